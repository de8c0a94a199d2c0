import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Service, startCompanion, startService } from './companion.ts';
import { grade } from './grade.ts';
import { type History, policyOf, seedHistory, truthOf } from './history.ts';
import { type Reconciler, startReconciler } from './reconciler.ts';
import { unsettle } from './unrest.ts';

/** Fundings of these kinds name no known order, so their currency is unknown. */
const ofUnknownCurrency = ['missing', 'late-match', 'orphan', 'not-in-ledger'];
const ofKnownCurrency =
  'wrong-amount wrong-type split duplicate original-missing never-funded refund-not-taken ' +
  'discount-kept wrong-discount net-mismatch late-change chargeback ' +
  'chargeback-reversed dispute double-debit refund-not-in-ledger not-submitted';

/** Starts the sandbox with a history, a companion and the reconciliation program. */
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

// A history with every kind of mistake, through the built sandbox over HTTPS, the companion and the
// reconciliation program. Fundings then arrive, change and move while a sync reads many small pages.
test('finds every planted exception with its kind and amount and no other one, also after a sync during changes', async () => {
  const { history, service, reconciler } = await start(
    { orders: 1_000, days: 12, faults: '40%' },
    { RECONCILIATION_PAGE_SIZE: '100' },
  );
  const imported = await reconciler.importLedger(history.ledger);
  expect(imported).toMatchObject({ applied: true, added: history.summary.ledgerLines });
  expect(await reconciler.sync()).toMatchObject({
    state: 'complete',
    records: history.summary.fundings,
  });
  expect(await gradeOf(history, reconciler)).toBeGreaterThan(250);

  const { settle } = await unsettle(service, history, 100);
  let over = false;
  const sync = reconciler.sync().finally(() => (over = true));
  expect(await settle(() => over)).toBeGreaterThan(20);
  expect(['complete', 'partial']).toContain((await sync).state);
  expect(await reconciler.sync()).toMatchObject({ state: 'complete' });
  await gradeOf(history, reconciler);
});

test(`finds every planted exception in currencies with two, no and three decimals, without ${ofUnknownCurrency.join(', ')}`, async () => {
  const faults = ofKnownCurrency
    .split(' ')
    .map((kind) => `${kind}=2%`)
    .join(',');
  const currencies = 'USD,JPY,KWD';
  const { history, reconciler } = await start({ orders: 1_000, days: 12, faults, currencies });
  await reconciler.importLedger(history.ledger);
  expect(await reconciler.sync()).toMatchObject({ state: 'complete' });
  expect(await gradeOf(history, reconciler)).toBeGreaterThan(250);
});
