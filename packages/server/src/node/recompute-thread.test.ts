import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { defaultPolicy } from '../reconciliation/policy.ts';
import { createKyselyStore } from '../store/kysely-store.ts';
import { RecomputeThread } from './recompute-thread.ts';
import { sqliteDialect } from './sqlite.ts';

/** A thread on a store without orders that waits for questions for so long. */
async function threadOn({ idleMs }: { idleMs: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'recompute-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'companion.db');
  const store = createKyselyStore({ dialect: sqliteDialect(file) });
  await store.migrate();
  await store.close();

  const workers: Worker[] = [];
  const see = (message: unknown) => {
    workers.push((message as { worker: Worker }).worker);
  };
  subscribe('worker_threads', see);
  onTestFinished(() => void unsubscribe('worker_threads', see));

  const thread = new RecomputeThread(file, idleMs);
  onTestFinished(() => thread.close());
  const { tolerance, slaDays, aliases, contracts } = defaultPolicy;
  const policy = { tolerance, slaDays, aliases, contracts, now: 1, complete: true };
  let passes = 0;
  const pass = () =>
    thread.run({
      kind: 'due',
      environment: 'sandbox',
      policy,
      rules: 'one',
      holder: `pass ${++passes}`,
    });
  return { thread, workers, pass };
}

test('ends when it is not asked for a while, and starts again when it is', async () => {
  const { workers, pass } = await threadOn({ idleMs: 20 });
  expect(await pass()).toMatchObject({ state: 'done' });
  const [first] = workers;
  if (!first) throw new Error('No thread was started.');
  await once(first, 'exit');
  expect(await pass()).toMatchObject({ state: 'done' });
  expect(workers).toHaveLength(2);
});

test('stays while there is something to do', async () => {
  const { workers, pass } = await threadOn({ idleMs: 60_000 });
  await pass();
  await pass();
  expect(workers).toHaveLength(1);
});

test('asked while it ends, has another one answer', async () => {
  const { thread, workers, pass } = await threadOn({ idleMs: 60_000 });
  await pass();
  const closing = thread.close();
  expect(await pass()).toMatchObject({ state: 'done' });
  await closing;
  expect(workers).toHaveLength(2);
});

test('one that died is replaced by another one', async () => {
  const { workers, pass } = await threadOn({ idleMs: 60_000 });
  await pass();
  await workers[0]?.terminate();
  expect(await pass()).toMatchObject({ state: 'done' });
  expect(workers).toHaveLength(2);
});
