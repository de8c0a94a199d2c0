import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startCompanion, startService } from './companion.ts';
import { comparableFacts, lastingFacts } from './facts-file.ts';
import { policyOf, seedHistory } from './history.ts';
import { type Reconciler, startReconciler } from './reconciler.ts';
import { changeFunding, reportPage } from './unrest.ts';

interface Case {
  id: string;
  state: string;
  orderKey: string;
  merchantOrderId?: string;
}
interface Deliveries {
  deliveries: { id: string; state: string }[];
  next?: string;
}

/** Starts a server that counts messages to finance. */
async function startFinance(): Promise<{ url: string; received: () => number }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      count += 1;
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/alerts`, received: () => count };
}

async function casesOf(reconciler: Reconciler): Promise<Case[]> {
  const all: Case[] = [];
  for (let cursor = ''; ;) {
    const page = await reconciler.get<{ cases: Case[]; next?: string }>(
      `/cases?sort=opened&limit=500${cursor}`,
    );
    all.push(...page.cases);
    if (page.next === undefined) return all;
    cursor = `&after=${encodeURIComponent(page.next)}`;
  }
}

// The analytics file may be deleted at any time: decisions, messages to finance and superseded
// fundings are facts.
test('keeps 150 cases, 50 decisions and superseded versions, and sends no alert, after its analytics file is deleted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const history = seedHistory(join(folder, 'sandbox'), { orders: 450, days: 10, faults: '50%' });
  const service = await startService(history);
  onTestFinished(() => service.program.stop());
  const companion = await startCompanion({ folder: join(folder, 'companion'), service, history });
  onTestFinished(() => companion.program.stop());
  const finance = await startFinance();
  const own = join(folder, 'reconciliation');
  const start = async () => {
    const reconciler = await startReconciler({
      folder: own,
      companionUrl: companion.url,
      history,
      // Some of the cases are large enough for an alert.
      policy: { ...policyOf(history), alerts: { amount: { default: 200_000 } } },
      env: {
        RECONCILIATION_ALERT_URL: finance.url,
        RECONCILIATION_ALERT_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
      },
    });
    onTestFinished(() => reconciler.program.stop());
    await reconciler.leads();
    return reconciler;
  };
  const first = await start();
  await first.importLedger(history.ledger);
  await first.sync();
  const cases = await casesOf(first);
  expect(cases.length).toBeGreaterThan(150);
  // A decision on one of two cases of an order leaves all the money at stake to the other one, which may
  // be enough for a message at the next start.
  const byOrder = Map.groupBy(cases, ({ orderKey }) => orderKey);
  const alone = cases.filter(({ orderKey }) => byOrder.get(orderKey)?.length === 1);
  expect(alone.length).toBeGreaterThan(50);
  for (const { id } of alone.slice(0, 50)) {
    const body = { reason: 'small', by: 'Ada' };
    await first.post(`/cases/${id}/ignore`, body, { 'idempotency-key': id });
  }
  const waiting = async () =>
    (await first.get<Deliveries>('/alerts?state=waiting&limit=100')).deliveries.length;
  await expect.poll(waiting).toBe(0);
  const alerts = finance.received();
  expect(alerts).toBeGreaterThan(10);
  const facts = join(own, 'facts.db');
  const lasting = lastingFacts(facts);
  const before = [lasting, await comparableFacts(facts), await casesOf(first)];
  expect(await first.get('/trail/verification')).toMatchObject({ valid: true });

  await first.program.stop();
  const file = join(own, 'analytics.duckdb');
  for (const path of [file, `${file}.wal`]) rmSync(path, { force: true });
  const second = await start();
  expect(existsSync(file)).toBe(true);
  // Neither a rebuild on request nor two rounds of work change anything.
  await second.post('/rebuild', {});
  await pause(2_500);
  const after = lastingFacts(facts);
  // The rebuild on request is an action: its beginning and its end are in the trail.
  const added = [...after].filter(([key]) => !lasting.has(key));
  expect(added.map(([, row]) => (JSON.parse(row) as { kind?: string }).kind)).toEqual([
    'rebuild',
    'rebuild',
  ]);
  for (const [key] of added) after.delete(key);
  expect([after, await comparableFacts(facts), await casesOf(second)]).toEqual(before);
  expect(await second.get('/trail/verification')).toMatchObject({ valid: true });
  expect(finance.received()).toBe(alerts);

  // A lender changes an amount while no file exists to compare it with.
  const page = await reportPage(service, { limit: '1000', offset: '0' });
  const [record] = (
    JSON.parse(page) as { records: { lenderReferenceId: string; transactionAmount: number }[] }
  ).records.slice(-1);
  if (record === undefined) throw new Error('The report is empty.');
  await second.program.stop();
  for (const path of [file, `${file}.wal`]) rmSync(path, { force: true });
  await changeFunding(service, record.lenderReferenceId, {
    transactionAmount: record.transactionAmount + 1,
  });
  const third = await start();
  expect(await third.sync()).toMatchObject({ state: 'complete', changed: 1 });
  const { superseded = [] } = await comparableFacts(facts);
  expect(superseded).toHaveLength(1);
  expect(superseded[0]).toContain(record.lenderReferenceId);
  const amounts = (await third.rows('lines'))
    .map(({ line }) => line as { lenderReferenceId: string | null; transactionAmount?: number })
    .filter(({ lenderReferenceId }) => lenderReferenceId === record.lenderReferenceId)
    .map(({ transactionAmount }) => transactionAmount);
  expect(amounts).toEqual([Math.round(record.transactionAmount * 100) + 100]);
});
