import { expect, test } from 'vitest';
import { systemClock } from '@financing-checkout/kit';
import { DAY_MS, insert, NOW, openDatabase } from '../../statuses/orders.fixture.ts';
import { defaultPolicy } from '../../statuses/policy.ts';
import { holdsEndingSoon } from './holds.ts';

const charge = (name: string, amount: number, days: number) => ({
  order_key: 'order:A',
  currency: 'USD',
  merchant_transaction_id: `auth-${name}`,
  charge_id: name,
  amount,
  authorized_at: NOW - days * DAY_MS,
});
const settle = (id: string, amount: number, days: number, chargeId?: string) => ({
  order_key: 'order:A',
  currency: 'USD',
  id,
  merchant_order_id: 'A',
  type: 'Settle',
  amount,
  occurred_at: NOW - days * DAY_MS,
  charge_id: chargeId,
  source: 'import',
  own: false,
});

test.each<
  [string, ReturnType<typeof charge>[], ReturnType<typeof settle>[], Record<string, number>]
>([
  [
    'once, for the oldest charge that is not settled',
    [charge('one', 10_000, 12), charge('two', 10_000, 11)],
    [settle('file', 10_000, 8)],
    { two: 10_000 },
  ],
  [
    'for the next charge with what is left of it',
    [charge('one', 10_000, 12), charge('two', 10_000, 11), charge('three', 5_000, 10)],
    [settle('file', 13_000, 8), settle('own', 2_000, 8, 'one')],
    { two: 5_000, three: 5_000 },
  ],
  [
    'for a charge whose hold ended long ago',
    [charge('old', 10_000, 40), charge('two', 10_000, 11)],
    [settle('file', 10_000, 30)],
    { two: 10_000 },
  ],
  [
    'for the charge that was authorized before it',
    [charge('one', 10_000, 13), charge('two', 10_000, 10)],
    [settle('first', 10_000, 13), settle('second', 6_000, 9)],
    { two: 4_000 },
  ],
  [
    'for no charge that was authorized after it',
    [charge('one', 10_000, 12)],
    [settle('before', 10_000, 60)],
    { one: 10_000 },
  ],
  ['for the only charge', [charge('one', 10_000, 12)], [settle('file', 10_000, 8)], {}],
])('counts a settle without a charge ID %s', async (_, charges, settles, open) => {
  const database = await openDatabase();
  await insert(database, 'authorizations', charges);
  await insert(database, 'ledger_lines', settles);
  const ctx = {
    database,
    policy: defaultPolicy,
    clock: { ...systemClock, now: () => NOW },
    facts: { days: () => Promise.resolve([]) },
  };
  const holds = await holdsEndingSoon(ctx, defaultPolicy.holds);
  expect(Object.fromEntries(holds.map(({ chargeId, amount }) => [chargeId, amount]))).toEqual(open);
});
