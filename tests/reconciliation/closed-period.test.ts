import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buy } from './buyer.ts';
import { startCompanion, startService } from './companion.ts';
import { policyOf, seedHistory } from './history.ts';
import { type Reconciler, startReconciler } from './reconciler.ts';
import { changeFunding, control, reportPage } from './unrest.ts';

interface Detail {
  period: { state: string; seal?: { hash: string; isApprovedBySecond: boolean } };
  statements: { currency: string; net: number; unexplained: number }[];
  checks: { check: string; state: string; digest: string }[];
}
interface Line {
  merchantOrderId: string;
  date: string;
}
interface Posting {
  fundedAt: string;
  transactionType: string;
  transactionAmount: number;
  lenderReferenceId?: string;
  merchantOrderId?: string;
}

const DAY_MS = 86_400_000;
const dayOf = (moment: number) => new Date(moment).toISOString().slice(0, 10);

/** Accepts what may be accepted, and prepares the period. */
async function prepare(program: Reconciler, id: string): Promise<void> {
  const { checks } = await program.get<Detail>(`/periods/${id}`);
  for (const { check, digest } of checks.filter(({ state }) => state === 'blocked')) {
    await program.post(`/periods/${id}/acceptance`, { check, digest, reason: 'known to finance' });
  }
  await program.post(`/periods/${id}/preparation`, {});
}

const anna = { authorization: 'Bearer anna-token-0000001' };
const ben = { authorization: 'Bearer ben-token-00000001' };
/** From the purchase to the close, in days: the lender has paid by then. */
const AHEAD = 12;

// Sandbox, companion and reconciliation, from the shopper's prime to the sealed period.
test('leaves a closed period as it was reported after a late line, a late chargeback, a changed day and a kill', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-period-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const faults = 'never-funded=5%,split=5%,chargeback=5%';
  const history = seedHistory(join(folder, 'sandbox'), { orders: 80, days: 12, faults });
  const service = await startService(history);
  onTestFinished(() => service.program.stop());
  const startShop = async (aheadMs: number) => {
    const companion = await startCompanion({
      folder: join(folder, 'companion'),
      service,
      history,
      aheadMs,
    });
    onTestFinished(() => companion.program.stop());
    return companion;
  };

  // The month's last order is bought from the shopper's button to the lender's payment.
  const asOf = Date.parse(history.summary.asOf);
  const today = Date.parse(history.summary.asOf.slice(0, 10));
  const bought = 'BOUGHT-1';
  let companion = await startShop(0);
  const purchase = { companion, service, now: asOf, merchantOrderId: bought, total: 48_900 };
  expect(await buy(purchase)).toBe('approved');
  await companion.program.stop();
  await control(service, '/clock', { advance: `${AHEAD}d` });
  companion = await startShop(AHEAD * DAY_MS);

  const from = Date.parse(history.summary.from.slice(0, 10));
  const last = today + (AHEAD - 2) * DAY_MS;
  const periods = [
    { id: 'P1', from: dayOf(from), to: dayOf(last) },
    { id: 'P2', from: dayOf(last + DAY_MS), to: dayOf(last + 30 * DAY_MS) },
  ];
  const readUntil = dayOf(today + AHEAD * DAY_MS);
  const start = async () => {
    const program = await startReconciler({
      folder: join(folder, 'reconciliation'),
      companionUrl: companion.url,
      history,
      aheadMs: AHEAD * DAY_MS,
      policy: { ...policyOf(history), periods },
      headers: anna,
      env: {
        RECONCILIATION_TOKENS: [
          'anna periods,sync,imports,rebuild anna-token-0000001',
          'ben periods ben-token-00000001',
        ].join('\n'),
      },
    });
    onTestFinished(() => program.program.stop());
    await program.leads();
    return program;
  };
  const lines = readFileSync(history.ledger, 'utf8').split('\n').filter(Boolean);
  const isEarly = (text: string) => Date.parse((JSON.parse(text) as Line).date) < from + 3 * DAY_MS;
  const late = lines.findLast(isEarly) ?? '';
  const lateOrder = (JSON.parse(late) as Line).merchantOrderId;
  const write = (name: string, texts: readonly string[]) => {
    const file = join(folder, name);
    writeFileSync(file, texts.map((text) => `${text}\n`).join(''));
    return file;
  };
  const postings = async (): Promise<Posting[]> => {
    const page = await reportPage(service, { limit: '1000', offset: '0' });
    return (JSON.parse(page) as { records: Posting[] }).records;
  };

  let program = await start();
  await program.importLedger(
    write(
      'ledger.ndjson',
      lines.filter((text) => text !== late),
    ),
  );
  expect(await program.sync(readUntil)).toMatchObject({ state: 'complete' });
  expect(await program.get(`/orders/order%3A${bought}`)).toMatchObject({
    currencies: [{ status: { headline: 'FUNDED' }, ledger: [{ source: 'companion' }] }],
  });
  await prepare(program, 'P1');
  const prepared = await program.get<Detail>('/periods/P1');
  expect(prepared.period.state).toBe('in-review');
  expect(prepared.statements.map(({ unexplained }) => unexplained)).toEqual([0]);
  await expect(program.post('/periods/P1/close', {})).rejects.toThrow('second-person-required');

  // Killed in the middle, the period is open or closed, and the next process can go on.
  const closing = program.post('/periods/P1/close', {}, ben).catch(() => undefined);
  await program.program.stop('SIGKILL');
  await closing;
  program = await start();
  const after = await program.get<Detail>('/periods/P1');
  expect(['in-review', 'closed']).toContain(after.period.state);
  if (after.period.state !== 'closed') await program.post('/periods/P1/close', {}, ben);
  const sealed = await program.get<Detail>('/periods/P1');
  expect(sealed.statements).toEqual(prepared.statements);
  expect(sealed.period).toMatchObject({ state: 'closed', seal: { isApprovedBySecond: true } });

  // The lender takes the order back, and dates that into the closed period.
  const dated = dayOf(last - DAY_MS);
  await control(service, '/chargebacks', { merchantOrderId: bought, announced: false });
  const chargeback = (await postings()).find(
    ({ merchantOrderId, transactionType }) =>
      merchantOrderId === bought && transactionType === 'Refund',
  );
  await changeFunding(service, chargeback?.lenderReferenceId ?? '', {
    fundedAt: `${dated}T09:00:00Z`,
  });
  const changed = (await postings()).find(
    ({ fundedAt, lenderReferenceId, merchantOrderId }) =>
      lenderReferenceId !== undefined &&
      merchantOrderId !== lateOrder &&
      Date.parse(fundedAt) < from + 4 * DAY_MS,
  );
  await changeFunding(service, changed?.lenderReferenceId ?? '', {
    transactionAmount: Math.round((changed?.transactionAmount ?? 0) + 5),
  });
  const report = await program.importLedger(write('late.ndjson', [late]));
  expect(report).toMatchObject({ added: 1, closed: [{ period: 'P1', lines: 1 }] });
  expect(await program.sync(readUntil)).toMatchObject({
    closed: [{ period: 'P1', days: [changed?.fundedAt.slice(0, 10), dated] }],
  });

  expect((await program.get<Detail>('/periods/P1')).statements).toEqual(sealed.statements);
  const { adjustments } = await program.get<{
    adjustments: { belongsTo: string; merchantOrderId?: string; reason: string }[];
  }>('/periods/P2/adjustments');
  const found = adjustments.map(({ belongsTo, merchantOrderId, reason }) => [
    belongsTo,
    merchantOrderId,
    reason,
  ]);
  expect(found.sort()).toEqual(
    [
      ['P1', bought, 'funding-changed'],
      ['P1', changed?.merchantOrderId, 'funding-changed'],
      ['P1', lateOrder, 'ledger-changed'],
    ].sort(),
  );
  expect(await program.get('/periods/verification')).toMatchObject({ isIntact: true });

  // A new analytics database has the seal, and the same adjustments.
  await program.post('/rebuild', {});
  expect((await program.get<Detail>('/periods/P1')).statements).toEqual(sealed.statements);
  expect(await program.get('/periods/P2/adjustments')).toMatchObject({ adjustments });
});
