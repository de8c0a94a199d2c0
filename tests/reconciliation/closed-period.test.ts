import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startCompanion, startService } from './companion.ts';
import { policyOf, seedHistory } from './history.ts';
import { type Reconciler, startReconciler } from './reconciler.ts';
import { changeFunding, reportPage } from './unrest.ts';

interface Detail {
  period: { state: string; seal?: { hash: string; isApprovedBySecond: boolean } };
  statements: { currency: string; net: number; unexplained: number }[];
  checks: { check: string; state: string }[];
}
interface Line {
  merchantOrderId: string;
  date: string;
}

const DAY_MS = 86_400_000;
const dayOf = (moment: number) => new Date(moment).toISOString().slice(0, 10);

/** Accepts what may be accepted, and prepares the period. */
async function prepare(program: Reconciler, id: string): Promise<void> {
  const { checks } = await program.get<Detail>(`/periods/${id}`);
  for (const { check } of checks.filter(({ state }) => state === 'blocked')) {
    await program.post(`/periods/${id}/acceptance`, { check, reason: 'known to finance' });
  }
  await program.post(`/periods/${id}/preparation`, {});
}

// Sandbox, companion and reconciliation, from the settled orders to the sealed period.
test('leaves a closed period as it was reported after a late line, a changed day and a kill', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-period-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const faults = 'never-funded=5%,split=5%,chargeback=5%';
  const history = seedHistory(join(folder, 'sandbox'), { orders: 80, days: 12, faults });
  const service = await startService(history);
  onTestFinished(() => service.program.stop());
  const companion = await startCompanion({ folder: join(folder, 'companion'), service, history });
  onTestFinished(() => companion.program.stop());

  const from = Date.parse(history.summary.from.slice(0, 10));
  const today = Date.parse(history.summary.asOf.slice(0, 10));
  const periods = [
    { id: 'P1', from: dayOf(from), to: dayOf(from + 5 * DAY_MS) },
    { id: 'P2', from: dayOf(from + 6 * DAY_MS), to: dayOf(today + 30 * DAY_MS) },
  ];
  const start = async () => {
    const program = await startReconciler({
      folder: join(folder, 'reconciliation'),
      companionUrl: companion.url,
      history,
      policy: { ...policyOf(history), periods },
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

  let program = await start();
  await program.importLedger(
    write(
      'ledger.ndjson',
      lines.filter((text) => text !== late),
    ),
  );
  expect(await program.sync()).toMatchObject({ state: 'complete' });
  await prepare(program, 'P1');
  const prepared = await program.get<Detail>('/periods/P1');
  expect(prepared.period.state).toBe('in-review');
  expect(prepared.statements.map(({ unexplained }) => unexplained)).toEqual([0]);

  // Killed in the middle, the period is open or closed, and the next process can go on.
  const closing = program.post('/periods/P1/close', {}).catch(() => undefined);
  await program.program.stop('SIGKILL');
  await closing;
  program = await start();
  const after = await program.get<Detail>('/periods/P1');
  expect(['in-review', 'closed']).toContain(after.period.state);
  if (after.period.state !== 'closed') await program.post('/periods/P1/close', {});
  const sealed = await program.get<Detail>('/periods/P1');
  expect(sealed.statements).toEqual(prepared.statements);
  expect(sealed.period).toMatchObject({ state: 'closed', seal: { isApprovedBySecond: false } });

  const { records } = JSON.parse(await reportPage(service, { limit: '1000', offset: '0' })) as {
    records: {
      fundedAt: string;
      lenderReferenceId?: string;
      merchantOrderId?: string;
      transactionAmount: number;
    }[];
  };
  const changed = records.find(
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
  await program.sync();

  expect((await program.get<Detail>('/periods/P1')).statements).toEqual(sealed.statements);
  const { adjustments } = await program.get<{
    adjustments: { belongsTo: string; merchantOrderId?: string; reason: string }[];
  }>('/periods/P2/adjustments');
  expect(adjustments).toContainEqual(
    expect.objectContaining({
      belongsTo: 'P1',
      merchantOrderId: lateOrder,
      reason: 'ledger-changed',
    }),
  );
  expect(adjustments.map(({ reason }) => reason)).toContain('funding-changed');
  expect(await program.get('/periods/verification')).toMatchObject({ isIntact: true });

  // A new analytics database has the seal, and the same adjustments.
  await program.post('/rebuild', {});
  expect((await program.get<Detail>('/periods/P1')).statements).toEqual(sealed.statements);
  expect(await program.get('/periods/P2/adjustments')).toMatchObject({ adjustments });
});
