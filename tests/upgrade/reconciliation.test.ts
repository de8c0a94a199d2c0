import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../bench/postgres.ts';
import { startCompanion, startService } from '../reconciliation/companion.ts';
import { type History, policyOf, seedHistory } from '../reconciliation/history.ts';
import { type Reconciler, startReconciler } from '../reconciliation/reconciler.ts';
import { older } from './older.ts';

const BY = 'Ines';

/** Starts the sandbox with a history and a companion, and returns what starts reconciliation. */
async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const history = seedHistory(join(folder, 'sandbox'), { orders: 200, days: 12, faults: '30%' });
  const service = await startService(history);
  onTestFinished(() => service.program.stop());
  const companion = await startCompanion({ folder: join(folder, 'companion'), service, history });
  onTestFinished(() => companion.program.stop());
  const start = async (name: string, store: string, file?: string) => {
    const reconciler = await startReconciler({
      folder: join(folder, name),
      companionUrl: companion.url,
      history,
      policy: policyOf(history),
      store,
      file,
    });
    onTestFinished(() => reconciler.program.stop());
    return reconciler;
  };
  return { folder, history, start };
}

/** Imports the ledger, reads the fundings, and works on two cases. */
async function work(reconciler: Reconciler, history: History): Promise<void> {
  await reconciler.leads();
  const imported = await reconciler.importLedger(history.ledger);
  expect(imported).toMatchObject({ applied: true, added: history.summary.ledgerLines });
  expect(await reconciler.sync()).toMatchObject({ state: 'complete' });
  await expect.poll(async () => (await casesOf(reconciler)).length).toBeGreaterThan(10);
  const cases = await casesOf(reconciler);
  const [first = expect.fail(), second = expect.fail()] = cases.map(({ id }) => String(id));
  const key = () => ({ 'idempotency-key': randomUUID() });
  await reconciler.post(`/cases/${first}/assign`, { by: BY, assignee: 'Tomas' }, key());
  await reconciler.post(`/cases/${first}/note`, { by: BY, note: 'asked the lender' }, key());
  await reconciler.post(`/cases/${second}/ignore`, { by: BY, reason: 'rounding' }, key());
}

const fields = ['id', 'orderKey', 'currency', 'code', 'state', 'amount', 'assignee', 'reason'];

async function casesOf(reconciler: Reconciler) {
  const rows = await reconciler.rows('cases');
  // A version may write an absent field as null or omit it.
  const valueOf = (value: unknown): unknown => (value === null ? undefined : value);
  return rows
    .map((row) => Object.fromEntries(fields.map((field) => [field, valueOf(row[field])])))
    .sort((a, b) => String(a.id).localeCompare(String(b.id)));
}

/** Returns what people and reports rely on. */
async function stateOf(reconciler: Reconciler) {
  const [orders, lines] = [await reconciler.rows('orders'), await reconciler.rows('lines')];
  return {
    cases: await casesOf(reconciler),
    orders: orders
      .map(({ orderKey, currency, headline }) => [orderKey, currency, headline].join(' '))
      .sort(),
    lines: lines.length,
    exceptions: (await reconciler.found())
      .map(({ name, code, amount }) => `${name} ${code} ${amount}`)
      .sort(),
  };
}

test('hands the lease to this version, back to a running one before, and to this version again', async () => {
  const postgres = await startPostgres();
  onTestFinished(postgres.stop);
  const { folder, history, start } = await setUp();
  const first = await start('older', postgres.url, older.reconciliation);
  await work(first, history);
  const standby = await start('older standby', postgres.url, older.reconciliation);
  const state = await stateOf(first);

  // Both versions are alive, and the one before leads.
  const current = await start('current', postgres.url);
  const role = async (one: Reconciler) => (await one.get<{ role: string }>('/status')).role;
  expect([await role(first), await role(standby), await role(current)]).toEqual([
    'leader',
    'standby',
    'standby',
  ]);
  expect(await stateOf(current)).toEqual(state);
  const added = join(folder, 'added.ndjson');
  const line = (order: string) =>
    `${JSON.stringify({
      merchantOrderId: order,
      type: 'Settle',
      amount: 1_000,
      currency: 'USD',
      date: `${history.summary.from}T12:00:00Z`,
      transactionId: `T-${order}`,
    })}\n`;
  const importLine = async (one: Reconciler, order: string) => {
    writeFileSync(added, line(order));
    expect(await one.importLedger(added)).toMatchObject({ applied: true, added: 1 });
  };
  const has = async (one: Reconciler, order: string) =>
    (await one.rows('orders')).some(({ orderKey }) => orderKey === `order:${order}`);
  await importLine(first, 'N-1');
  for (const one of [standby, current]) await expect.poll(() => has(one, 'N-1')).toBe(true);

  const keepsCases = async (one: Reconciler) => {
    const ids = new Set(state.cases.map(({ id }) => id));
    expect((await casesOf(one)).filter(({ id }) => ids.has(id))).toEqual(state.cases);
  };
  // The later version takes over. A process that is suspended takes no lease.
  process.kill(standby.program.pid, 'SIGSTOP');
  await first.program.stop('SIGTERM');
  await expect.poll(() => role(current)).toBe('leader');
  process.kill(standby.program.pid, 'SIGCONT');
  await importLine(current, 'N-2');
  expect(await current.sync()).toMatchObject({ state: 'complete', changed: 0 });
  await expect.poll(() => has(standby, 'N-2')).toBe(true);

  // The version before, which still runs, takes over from it, and has everything.
  await current.program.stop('SIGTERM');
  await expect.poll(() => role(standby)).toBe('leader');
  await importLine(standby, 'N-3');
  expect(await standby.sync()).toMatchObject({ state: 'complete' });
  await keepsCases(standby);

  const last = await start('current again', postgres.url);
  await standby.program.stop('SIGTERM');
  await expect.poll(() => role(last)).toBe('leader');
  for (const order of ['N-1', 'N-2', 'N-3']) {
    await expect.poll(() => has(last, order)).toBe(true);
  }
  expect(await last.sync()).toMatchObject({ state: 'complete' });
  await keepsCases(last);
  expect(await last.get('/trail/verification')).toMatchObject({ valid: true });
});
