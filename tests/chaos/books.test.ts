import { describe, expect, test } from 'vitest';
import { judge, type Books, type Verdict } from '../../bench/chaos/books.ts';
import { makePlan, type Visit } from '../../bench/chaos/plan.ts';

// Control of the chaos run: its comparison finds every kind of difference.

const visit: Visit = {
  merchantOrderId: 'order-1',
  total: 5_000,
  tabs: 1,
  leaves: false,
  refund: 300,
  seed: 1,
};
const charge = {
  id: 'charge-1',
  merchant_order_id: 'order-1',
  state: 'PartiallyRefunded',
  total: 5_000,
  settled: 5_000,
  refunded: 300,
};
const entry = (type: string, value: number, transaction = 'txn-1') => ({
  merchantOrderId: 'order-1',
  chargeId: 'charge-1',
  type,
  amount: { value },
  merchantTransactionId: transaction,
  state: 'accepted',
});
const message = {
  checkoutId: 'chk-1',
  merchantOrderId: 'order-1',
  revision: 4,
  status: 'approved',
  chargeId: 'charge-1',
  amount: { value: 5_000, currency: 'USD' },
};
const good: Books = {
  charges: [charge],
  ledger: [entry('Authorize', 5_000), entry('Settle', 5_000), entry('Refund', 300, 'txn-2')],
  messages: [message],
  checkouts: [message],
};

function verdictOf(change: Partial<Books>, of: Visit = visit): Verdict {
  const verdict: Verdict = { lost: [], doubled: [], stuck: [] };
  judge(of, verdict, { ...good, ...change });
  return verdict;
}
const found = (verdict: Verdict) =>
  Object.entries(verdict).flatMap(([kind, lines]) =>
    (lines as string[]).length > 0 ? [kind] : [],
  );

test('finds no difference between equal records', () => {
  expect(found(verdictOf({}))).toEqual([]);
});

describe.each<[string, string, Partial<Books>]>([
  ['doubled', 'a second charge', { charges: [charge, { ...charge, id: 'charge-2' }] }],
  ['doubled', 'a refund that was made twice', { charges: [{ ...charge, refunded: 600 }] }],
  ['doubled', 'a settlement of more than the total', { charges: [{ ...charge, settled: 5_001 }] }],
  [
    'doubled',
    'a second payment that the shop was message of',
    { messages: [message, { ...message, checkoutId: 'chk-2' }] },
  ],
  [
    'doubled',
    'a second settlement in the ledger',
    { ledger: [...good.ledger, entry('Settle', 5_000, 'txn-3')] },
  ],
  ['lost', 'no charge', { charges: [], ledger: [] }],
  [
    'lost',
    'no charge in any of the books',
    { charges: [], ledger: [], messages: [], checkouts: [] },
  ],
  ['lost', 'a charge that the shop knows nothing of', { messages: [], checkouts: [] }],
  [
    'lost',
    'another amount than the shop was message',
    { messages: [{ ...message, amount: { value: 4_999, currency: 'USD' } }] },
  ],
  ['lost', 'a settlement that was not made', { charges: [{ ...charge, settled: 4_999 }] }],
  ['lost', 'a charge that the ledger knows nothing of', { ledger: [] }],
  ['lost', 'a refund that was not made', { charges: [{ ...charge, refunded: 0 }] }],
  ['lost', 'another amount in the ledger', { ledger: [...good.ledger, entry('Settle', 4_999)] }],
  [
    'lost',
    'another charge in the ledger',
    { ledger: good.ledger.map((line) => ({ ...line, chargeId: 'charge-2' })) },
  ],
  ['stuck', 'a checkout in the middle', { checkouts: [{ ...message, status: 'confirming' }] }],
  [
    'stuck',
    'a checkout that may have a charge',
    {
      messages: [message, { ...message, checkoutId: 'chk-2', status: 'unavailable' }],
      checkouts: [message, { ...message, checkoutId: 'chk-2', status: 'unavailable' }],
    },
  ],
  [
    'stuck',
    'a later message that did not arrive',
    { checkouts: [{ ...message, revision: 5, status: 'failed' }] },
  ],
  [
    'stuck',
    'an outcome that is not known',
    { ledger: [...good.ledger, { ...entry('Refund', 1, 'txn-4'), state: 'unknown' }] },
  ],
  [
    'stuck',
    'a message that did not arrive',
    { checkouts: [message, { ...message, checkoutId: 'chk-2', status: 'failed' }] },
  ],
])('%s:', (kind, what, change) => {
  test(what, () => {
    expect(found(verdictOf(change))).toContain(kind);
  });
});

test('ignores a voided charge', () => {
  const voided = { ...charge, id: 'charge-0', state: 'Voided' };
  expect(found(verdictOf({ charges: [voided, charge] }))).toEqual([]);
});

test('the plan follows from the seed', () => {
  const options = { checkouts: 200, kills: 20, seed: 7 };
  expect(makePlan(options)).toEqual(makePlan(options));
  expect(makePlan(options)).not.toEqual(makePlan({ ...options, seed: 8 }));
  expect(makePlan(options).kills).toHaveLength(20);
});
