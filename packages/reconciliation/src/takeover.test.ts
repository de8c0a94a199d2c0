import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  CaseRecord,
  OrderStatusRecord,
  ReconciliationSummary,
} from '@financing-checkout/contract';
import { expect, inject, onTestFinished, test } from 'vitest';
import { settle, type TestCompanion } from './companion/companion.fixture.ts';
import { openFacts } from './facts/open.ts';
import { createDatabase } from './facts/postgres.fixture.ts';
import type { FactStore } from './facts/store.ts';
import type { StatusRecord } from './http/schemas.ts';
import {
  clientOf,
  type Running,
  shopDays,
  startShop,
  until,
  variablesOf,
} from './program.fixture.ts';
import { wireRecord } from './sync/history.fixture.ts';

interface Process extends Pick<Running, 'get' | 'post' | 'sync'> {
  child: ChildProcess;
  url: string;
  role: () => Promise<string>;
}

/** Starts a process of its own on a record store in PostgreSQL. */
async function start(shop: TestCompanion, store: string): Promise<Process> {
  const file = join(import.meta.dirname, 'serve.fixture.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    env: { PATH: process.env.PATH, ...variablesOf(shop, { RECONCILIATION_STORE: store }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const client = clientOf((path, init) => fetch(`${url}${path}`, init));
  await until(async () => (await fetch(`${url}/readyz`)).ok);
  const role = async () => (await client.get<StatusRecord>('/status')).role;
  return { child, url, role, ...client };
}

interface Pair {
  shop: TestCompanion;
  leader: Process;
  standby: Process;
  facts: FactStore;
}

async function startPair(): Promise<Pair> {
  const shop = await startShop(2);
  const store = await createDatabase(inject('postgresUrl'));
  const leader = await start(shop, store);
  await until(async () => (await leader.role()) === 'leader');
  const standby = await start(shop, store);
  const facts = await openFacts(store);
  onTestFinished(() => facts.close());
  return { shop, leader, standby, facts };
}

test('one process writes, and the other answers the same from its own database', async () => {
  const { shop, leader, standby } = await startPair();
  expect(await standby.role()).toBe('standby');
  const refused = await standby.post('/syncs', {});
  expect(refused.status).toBe(503);
  expect(refused.headers.get('financing-leader')).toBe(leader.url);
  expect(await refused.json()).toMatchObject({
    code: 'standby',
    detail: expect.stringContaining(leader.url) as string,
  });

  const sync = await leader.sync(shopDays());
  expect(sync.state).toBe('complete');
  // Followed at the standby, it ends when the standby has judged its orders.
  const events = await (await fetch(`${standby.url}/syncs/${sync.id}/events`)).text();
  expect(events).toContain('"state":"complete"');
  const paths = ['/orders', '/exceptions', '/walk'];
  const strip = (text: string) => text.replace(/"(?:asOf|computedAt|changedAt)":"[^"]*"/g, '""');
  for (const path of paths) {
    const [one, other] = await Promise.all(
      [leader, standby].map(async ({ url }) => strip(await (await fetch(url + path)).text())),
    );
    expect(other).toBe(one);
  }
  const answer = await fetch(`${standby.url}/summary`);
  expect(answer.headers.get('financing-as-of')).toMatch(/^\d{4}-/);

  // Cases and the companion's ledger come to the standby, too.
  const { cases } = await leader.get<{ cases: CaseRecord[] }>('/cases');
  const headers = { 'idempotency-key': 'key-1' };
  await leader.post(`/cases/${cases[0]?.id}/ignore`, { reason: 'small' }, headers);
  shop.entries.push(settle(4, 'B-1', 500));
  await until(async () => {
    const found = await standby.get<{ cases: CaseRecord[] }>('/cases?state=ignored');
    const { orders } = await standby.get<{ orders: OrderStatusRecord[] }>(
      '/orders?merchantOrderId=B-1',
    );
    return found.cases.length === 1 && orders.length === 1;
  });
});

test('the standby takes over within seconds after the writer is killed', async () => {
  const { shop, leader, standby } = await startPair();
  await leader.sync(shopDays());
  leader.child.kill('SIGKILL');
  const killed = Date.now();
  await until(async () => (await standby.role()) === 'leader');
  expect(Date.now() - killed).toBeLessThan(10_000);
  shop.records.push(wireRecord(7, new Date(Date.now() - 2 * 86_400_000).toISOString()));
  expect(await standby.sync(shopDays())).toMatchObject({
    state: 'complete',
    records: 4,
    changed: 1,
  });
  const summary = await standby.get<ReconciliationSummary>('/summary');
  expect(summary.exceptions.map(({ code }) => code)).toContain('NOT_IN_LEDGER');
});

test('a writer that is asked to end frees the lease at once', async () => {
  const { leader, standby } = await startPair();
  const ended = once(leader.child, 'exit');
  leader.child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  await until(async () => (await standby.role()) === 'leader');
});

test('a writer that was paused in the middle of a sync writes nothing when it comes back', async () => {
  const { shop, leader, standby, facts } = await startPair();
  await leader.sync(shopDays());
  // The next sync of the writer waits for its pages.
  let paused = false;
  shop.before = async () => {
    while (paused) await sleep(20);
    return false;
  };
  shop.records.push(wireRecord(7, new Date(Date.now() - 2 * 86_400_000).toISOString()));
  paused = true;
  const begun = (await (await leader.post('/syncs', shopDays())).json()) as { id: string };
  leader.child.kill('SIGSTOP');
  await until(async () => (await standby.role()) === 'leader');
  const head = await facts.head();
  const run = await facts.sync(begun.id);
  paused = false;
  leader.child.kill('SIGCONT');
  await until(async () => (await leader.role()) === 'standby');
  await sleep(1_500);
  expect(await facts.head()).toBe(head);
  expect(await facts.sync(begun.id)).toEqual(run);
  // The new writer takes it up.
  expect(await standby.sync(shopDays())).toMatchObject({
    id: begun.id,
    state: 'complete',
    resumed: 1,
    changed: 1,
  });
  await until(async () => {
    const { orders } = await leader.get<{ orders: OrderStatusRecord[] }>(
      '/orders?merchantOrderId=A-7',
    );
    return orders.length === 1;
  });
});
