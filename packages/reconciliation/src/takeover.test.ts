import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  CaseRecord,
  OrderStatusRecord,
  ReconciliationSummary,
} from '@financing-checkout/contract/reconciliation';
import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { settle, type TestCompanion } from './companion/companion.fixture.ts';
import { openFacts } from './facts/open.ts';
import { createDatabase, queryPostgres } from './facts/postgres.fixture.ts';
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

const ends: (() => void | Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

let shop: TestCompanion;
let store: string;
let facts: FactStore;
let processes: Process[] = [];
/** The writing process and the standby. */
let leader: Process;
let standby: Process;

const isRunning = ({ child }: Pick<Process, 'child'>) =>
  child.exitCode === null && child.signalCode === null;

beforeAll(async () => {
  shop = await startShop(2, (end) => void ends.push(end));
  store = await createDatabase(inject('postgresUrl'));
  facts = await openFacts(store);
  ends.push(() => facts.close());
  processes = [await start()];
  await findRoles();
  await leader.sync(shopDays());
});

/** Restarts the processes that a test has ended, and finds the writing one. */
beforeEach(async () => {
  processes = processes.filter(isRunning);
  while (processes.length < 2) processes.push(await start());
  await findRoles();
});

async function findRoles(): Promise<void> {
  await until(async () => {
    const roles = await Promise.all(processes.map((one) => one.role()));
    const at = roles.indexOf('leader');
    [leader = leader, standby = standby] = [processes[at], processes[1 - at]];
    return at >= 0;
  });
}

/** Starts a process on the record store in PostgreSQL. */
async function start(): Promise<Process> {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(import.meta.dirname, 'serve.fixture.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    env: { PATH: process.env.PATH, ...variablesOf(shop, { RECONCILIATION_STORE: store }, folder) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ends.push(async () => {
    if (!isRunning({ child })) return;
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

/** Expires the lease of a process that does not renew it. */
const expireLease = () => queryPostgres(store, 'update fact_head set until = 0');

test('serves the same responses on a standby as on the writing process, from its own database', async () => {
  expect(await standby.role()).toBe('standby');
  const refused = await standby.post('/syncs', {});
  expect(refused.status).toBe(503);
  expect(refused.headers.get('financing-leader')).toBe(leader.url);
  expect(await refused.json()).toMatchObject({
    code: 'standby',
    detail: expect.stringContaining(leader.url) as string,
  });
  const missing = { currency: 'USD', lender: 'Northway Credit', answer: 'missing' };
  const key = { 'idempotency-key': 'missing' };
  expect((await standby.post('/ledger-starts', missing, key)).status).toBe(503);

  const sync = await leader.sync(shopDays());
  expect(sync.state).toBe('complete');
  // A sync followed on the standby ends when the standby has judged its orders.
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

  // The standby also receives cases and the companion's ledger.
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

test('writes nothing after a pause in the middle of a sync', async () => {
  // The writer's next sync waits for its fundings pages.
  let paused = false;
  shop.before = async () => {
    while (paused) await sleep(20);
    return false;
  };
  const { child } = leader;
  onTestFinished(() => {
    paused = false;
    child.kill('SIGCONT');
  });
  shop.records.push(wireRecord(7, new Date(Date.now() - 2 * 86_400_000).toISOString()));
  paused = true;
  const begun = (await (await leader.post('/syncs', shopDays())).json()) as { id: string };
  child.kill('SIGSTOP');
  await expireLease();
  await until(async () => (await standby.role()) === 'leader');
  const head = await facts.head();
  const run = await facts.sync(begun.id);
  paused = false;
  child.kill('SIGCONT');
  await until(async () => (await leader.role()) === 'standby');
  await sleep(1_500);
  expect(await facts.head()).toBe(head);
  expect(await facts.sync(begun.id)).toEqual(run);
  // The new writer resumes the sync.
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

test('releases the lease at once when the writer receives a termination signal', async () => {
  const ended = once(leader.child, 'exit');
  leader.child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  await until(async () => (await standby.role()) === 'leader');
});

test('takes over after the writer is killed', async () => {
  leader.child.kill('SIGKILL');
  await once(leader.child, 'exit');
  await expireLease();
  await until(async () => (await standby.role()) === 'leader');
  shop.records.push(wireRecord(8, new Date(Date.now() - 2 * 86_400_000).toISOString()));
  expect(await standby.sync(shopDays())).toMatchObject({
    state: 'complete',
    records: shop.records.length,
    changed: 1,
  });
  const summary = await standby.get<ReconciliationSummary>('/summary');
  expect(summary.exceptions.map(({ code }) => code)).toContain('NOT_IN_LEDGER');
});
