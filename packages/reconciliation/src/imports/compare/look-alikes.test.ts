import { expect, test } from 'vitest';
import { NOW, openLedger } from '../keep/ledger.fixture.ts';

const line = (change: object = {}) => ({
  merchantOrderId: 'A-1',
  type: 'settle',
  amount: 500,
  currency: 'USD',
  date: '2026-03-02',
  ...change,
});
const file = (...changes: object[]) => changes.map((it) => JSON.stringify(line(it))).join('\n');
const at = '2026-03-02T14:03:00Z';

test('rejects the same line at another time, lists it in a dry run, and replaces or keeps it as declared', async () => {
  const { run, lines } = await openLedger();
  await run(file({}));
  for (const dryRun of [true, false]) {
    const refused = await run(file({ date: at }, { merchantOrderId: 'A-2' }), { dryRun });
    expect(refused).toMatchObject({ applied: false, added: 0, lookAlikeCount: 1 });
    expect(refused.errors).toMatchObject([{ code: 'look-alikes' }]);
    expect(refused.lookAlikes).toEqual([
      {
        line: 1,
        kind: 'same-amount',
        merchantOrderId: 'A-1',
        type: 'Settle',
        currency: 'USD',
        amount: 500,
        recordedAmount: 500,
        recordedDate: Date.UTC(2026, 2, 2),
      },
    ]);
  }
  const replacing = await run(file({ date: at }), { replace: true });
  expect(replacing).toMatchObject({ applied: true, added: 1, replaced: 1 });
  expect(await lines()).toMatchObject([{ amount: 500, at: '2026-03-02T14:03:00.000Z' }]);
  expect(await run(file({}), { keepBoth: true })).toMatchObject({ added: 1, replaced: 0 });
  expect(await lines()).toHaveLength(2);
  // If a file contains both lines, both are intended.
  expect(await run(file({}, { date: at }, { date: '2026-03-05' }))).toMatchObject({
    added: 1,
    repeated: 2,
  });
});

test('treats lines with different ids of the same kind as separate lines', async () => {
  const { run } = await openLedger();
  await run(file({ transactionId: 'T-1' }, { amount: 7, merchantTransactionId: 'M-1' }));
  const others = file({ transactionId: 'T-2' }, { amount: 7, merchantTransactionId: 'M-2' });
  expect(await run(others)).toMatchObject({ added: 2, lookAlikeCount: 0 });
});

test('rejects a corrected amount with the same id, and replaces it as declared', async () => {
  const { run, lines, dirty } = await openLedger();
  await run(file({ transactionId: 'T-1' }));
  const corrected = file({ transactionId: 'T-1', amount: 450 });
  expect(await run(corrected, { dryRun: true })).toMatchObject({
    errors: [{ line: 1, code: 'line-contradicts' }],
    lookAlikes: [{ kind: 'changed', merchantOrderId: 'A-1', amount: 450, recordedAmount: 500 }],
  });
  expect(await run(corrected, { replace: true })).toMatchObject({
    applied: true,
    added: 1,
    replaced: 1,
  });
  expect(await lines()).toMatchObject([{ id: 't:Settle:T-1', amount: 450 }]);
  expect(await dirty()).toEqual(['order:A-1']);
});

test('keeps the companion’s settle, and skips or keeps another program’s line for it as chosen', async () => {
  const { run, lines, companion } = await openLedger();
  const entry = {
    merchantOrderId: 'A-1',
    chargeId: 'chg-1',
    type: 'Settle',
    state: 'accepted',
    amount: { value: 500, currency: 'USD' },
    merchantTransactionId: 'txn_1',
    transactionId: 'T-1',
    occurredAt: new Date(NOW).toISOString(),
  } as const;
  await companion(entry);
  const invoice = file({ merchantTransactionId: 'INV-7' });
  expect(await run(invoice)).toMatchObject({ applied: false, lookAlikes: [{ kind: 'companion' }] });
  expect(await run(invoice, { replace: true })).toMatchObject({
    applied: true,
    added: 0,
    repeated: 1,
  });
  expect(await lines()).toMatchObject([{ id: 'm:Settle:txn_1' }]);
  expect(await run(invoice, { keepBoth: true })).toMatchObject({ added: 1 });
});

test('keeps two settles of an order with the same transaction, and gives the companion’s own precedence', async () => {
  const { run, lines, companion } = await openLedger();
  const named = { transactionId: 'T-1' };
  const byMerchant = file(
    { ...named, merchantTransactionId: 'M-1', amount: 40_000 },
    { ...named, merchantTransactionId: 'M-2', amount: 20_489 },
  );
  expect(await run(byMerchant)).toMatchObject({ added: 2, errors: [] });
  await run(byMerchant, { withdraw: true });
  const parts = file({ ...named, amount: 40_000 }, { ...named, amount: 20_489 });
  expect(await run(parts)).toMatchObject({
    applied: false,
    errors: [{ line: 2, code: 'line-contradicts' }],
  });
  expect(await run(parts, { keepBoth: true })).toMatchObject({ added: 2, errors: [] });
  // A file with the lines in another order counts as the same file.
  const turned = parts.split('\n').toReversed().join('\n');
  expect(await run(turned)).toMatchObject({ added: 0, repeated: 2, errors: [] });
  expect((await lines()).map(({ amount }) => amount)).toEqual([20_489, 40_000]);
  const whole = {
    merchantOrderId: 'A-1',
    chargeId: 'chg-1',
    type: 'Settle',
    state: 'accepted',
    amount: { value: 60_489, currency: 'USD' },
    merchantTransactionId: 'txn_1',
    transactionId: 'T-1',
    occurredAt: new Date(NOW).toISOString(),
  } as const;
  expect(await companion(whole)).toMatchObject({ differing: 0 });
  expect(await lines()).toMatchObject([{ id: 'm:Settle:txn_1', amount: 60_489 }]);
});

test('rejects replace and keep-both together, or in a withdrawal', async () => {
  const { run } = await openLedger();
  await expect(run('', { replace: true, keepBoth: true })).rejects.toThrow(/not both/);
  await expect(run('', { replace: true, withdraw: true })).rejects.toThrow(/withdrawal/);
});
