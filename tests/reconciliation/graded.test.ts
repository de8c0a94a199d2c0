import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Service, startCompanion, startService } from './companion.ts';
import { grade } from './grade.ts';
import { type History, policyOf, seedHistory, truthOf } from './history.ts';
import { type Reconciler, startReconciler } from './reconciler.ts';
import { unsettle } from './unrest.ts';

/** A funding of these kinds names no order in the books, so that nothing says which currency it is in. */
const ofUnknownCurrency = ['missing', 'late-match', 'orphan', 'not-in-ledger'];
const ofKnownCurrency =
  'wrong-amount wrong-type split duplicate original-missing never-funded refund-not-taken ' +
  'discount-kept wrong-discount net-mismatch late-change chargeback ' +
  'chargeback-reversed dispute double-debit refund-not-in-ledger not-submitted';

/** Starts the sandbox with a history, a companion and the program of reconciliation beside them. */
async function start(
  options: Parameters<typeof seedHistory>[1],
  env: Record<string, string> = {},
): Promise<{ history: History; service: Service; reconciler: Reconciler }> {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const history = seedHistory(join(folder, 'sandbox'), options);
  const service = await startService(history);
  onTestFinished(() => service.program.stop());
  const companion = await startCompanion({ folder: join(folder, 'companion'), service, history });
  onTestFinished(() => companion.program.stop());
  const reconciler = await startReconciler({
    folder: join(folder, 'reconciliation'),
    companionUrl: companion.url,
    history,
    policy: policyOf(history),
    env,
  });
  onTestFinished(() => reconciler.program.stop());
  return { history, service, reconciler };
}

async function gradeOf(history: History, reconciler: Reconciler) {
  const { precision, recall, planted, wrong, missed } = await grade(
    truthOf(history),
    await reconciler.found(),
  );
  expect({ wrong, missed }).toEqual({ wrong: [], missed: [] });
  expect({ precision, recall }).toEqual({ precision: 1, recall: 1 });
  return planted;
}

// Orders of a month with all that can be wrong with an order, through the sandbox over
// HTTPS, the companion and the program, each as it is run.
test.each([
  { name: 'all kinds of mistakes', faults: '40%', currencies: 'USD' },
  {
    name: `currencies with two, no and three decimals, without ${ofUnknownCurrency.join(', ')}`,
    faults: ofKnownCurrency
      .split(' ')
      .map((kind) => `${kind}=2%`)
      .join(','),
    currencies: 'USD,JPY,KWD',
  },
])(
  'every planted exception is found with its kind and amount, and nothing else is: $name',
  async ({ faults, currencies }) => {
    const { history, reconciler } = await start({ orders: 2_000, days: 12, faults, currencies });
    const imported = await reconciler.importLedger(history.ledger);
    expect(imported).toMatchObject({ applied: true, added: history.summary.ledgerLines });
    const run = await reconciler.sync();
    expect(run).toMatchObject({ state: 'complete', records: history.summary.fundings });
    expect(await gradeOf(history, reconciler)).toBeGreaterThan(500);
  },
);

test('records that arrive, change and move from day to day during a sync are right after the next one', async () => {
  // Many small pages: more of them are under way while something moves.
  const { history, service, reconciler } = await start(
    { orders: 1_000, days: 10, faults: '10%' },
    { RECONCILIATION_PAGE_SIZE: '100' },
  );
  await reconciler.importLedger(history.ledger);
  const { settle } = await unsettle(service, history, 100);
  let over = false;
  const first = reconciler.sync().finally(() => (over = true));
  const during = await settle(() => over);
  expect(during).toBeGreaterThan(20);
  expect(['complete', 'partial']).toContain((await first).state);
  expect(await reconciler.sync()).toMatchObject({ state: 'complete' });
  await gradeOf(history, reconciler);
});
