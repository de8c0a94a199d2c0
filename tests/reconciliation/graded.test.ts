import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { foundIn, startCompanion, startService } from './companion.ts';
import { grade } from './grade.ts';
import { policyOf, seedHistory, truthOf } from './history.ts';
import { sqlitePlace } from './sqlite-place.ts';
import { unsettle } from './unrest.ts';

/** What a funding names no order in the books, so that nothing says which currency it is in. */
const ofUnknownCurrency = ['missing', 'late-match', 'orphan', 'not-in-ledger'];
const ofKnownCurrency =
  'wrong-amount wrong-type split duplicate original-missing never-funded refund-not-taken ' +
  'discount-kept wrong-discount net-mismatch late-change chargeback ' +
  'chargeback-reversed dispute double-debit refund-not-in-ledger not-submitted';

// Some thousand orders of a month with all that can be wrong with an order, through the sandbox over
// HTTPS and the companion as it is run: its import, its sync, its recompute.
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
    const folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const place = sqlitePlace(join(folder, 'companion'));
    const history = seedHistory(join(folder, 'sandbox'), {
      orders: 4_000,
      days: 30,
      faults,
      currencies,
    });
    const service = await startService(history);
    onTestFinished(() => service.program.stop());
    const companion = await startCompanion({
      folder: join(folder, 'companion'),
      service,
      history,
      policy: policyOf(history),
      place,
    });
    onTestFinished(() => companion.program.stop());
    const imported = await companion.importLedger(history.ledger);
    expect(imported).toMatchObject({ applied: true, added: history.summary.ledgerLines });
    const run = await companion.sync();
    expect(run).toMatchObject({ state: 'complete', records: history.summary.fundings });
    await companion.settled();
    const { precision, recall, planted, wrong, missed } = await grade(
      truthOf(history),
      await foundIn(place),
    );
    expect({ wrong, missed }).toEqual({ wrong: [], missed: [] });
    expect({ precision, recall }).toEqual({ precision: 1, recall: 1 });
    expect(planted).toBeGreaterThan(1_000);
  },
  60_000,
);

test('records that arrive, change and move from day to day during a sync are right after the next one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reconciliation-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = sqlitePlace(join(folder, 'companion'));
  const history = seedHistory(join(folder, 'sandbox'), { orders: 6_000, days: 20, faults: '10%' });
  const service = await startService(history);
  onTestFinished(() => service.program.stop());
  const companion = await startCompanion({
    folder: join(folder, 'companion'),
    service,
    history,
    policy: policyOf(history),
    place,
    // Many small pages: more of them are under way while something moves.
    env: { RECONCILIATION_PAGE_SIZE: '100' },
  });
  onTestFinished(() => companion.program.stop());
  await companion.importLedger(history.ledger);
  const { settle } = await unsettle(service, history, 200);
  let over = false;
  const first = companion.sync().finally(() => (over = true));
  const during = await settle(() => over);
  expect(during).toBeGreaterThan(20);
  expect(['complete', 'partial']).toContain((await first).state);
  expect(await companion.sync()).toMatchObject({ state: 'complete' });
  await companion.settled();
  const { precision, recall, wrong, missed } = await grade(truthOf(history), await foundIn(place));
  expect({ wrong, missed }).toEqual({ wrong: [], missed: [] });
  expect({ precision, recall }).toEqual({ precision: 1, recall: 1 });
}, 60_000);
