import type { FundingLine, LedgerLine } from '@financing-checkout/reconciliation';
import { describe, expect, test } from 'vitest';
import { places } from '../places.fixture.ts';
import { defaultPolicy } from '../policy.ts';
import { book, type BookedOrder, DAY_MS, environment, NOW, ruled } from './orders.fixture.ts';
import { surveyHere } from './survey-here.ts';
import { surveyInDatabase } from './survey-in-database.ts';

const scope = { environment, kind: 'all', after: '', last: undefined } as const;

type Line = Partial<Omit<LedgerLine, 'id' | 'occurredAt'>>;
type Funding = Partial<FundingLine>;

function line(id: string, change: Line = {}): LedgerLine {
  const plain = { type: 'Settle', amount: 10_000, transactionId: id } as const;
  return { id, occurredAt: NOW - 10 * DAY_MS, ...plain, ...change };
}

/** What pays such a line, in full. */
function funding(id: string, change: Funding = {}): FundingLine {
  const at = NOW - 9 * DAY_MS;
  const { transactionAmount = 10_000, discountAmount = 0 } = change;
  return {
    ...{ id, transactionId: id, status: 'RECONCILED', transactionType: 'Settle' },
    ...{ transactionAmount, discountAmount, netAmount: transactionAmount - discountAmount },
    ...{ fundedAt: at, updatedAt: at, lenderName: 'Tamberley Credit' },
    ...change,
  };
}

function order(key: string, ledger: LedgerLine[], fundings: FundingLine[]): BookedOrder {
  return { orderKey: `order:${key}`, currency: 'USD', ledger, fundings };
}

/** A line and a funding. */
const one = (key: string, expected: Line, paid: Funding) =>
  order(key, [line(key, expected)], [funding(key, paid)]);

/** Two of each; the ids as the books and as the service have them. */
const two = (key: string, lines: [Line, Line], fundings: [Funding, Funding]) =>
  order(
    key,
    lines.map((change, at) => line(`${key}-${at}`, change)),
    fundings.map((change, at) => funding(`${key}-${at}`, change)),
  );

const refund = { type: 'Refund' } as const;
const refunded = { transactionType: 'Refund' };
const large = Number.MAX_SAFE_INTEGER - 1;

const orders = [
  one('plain', {}, {}),
  one('discounted', {}, { discountAmount: 290 }),
  one('paid as a refund', {}, refunded),
  one('paid as a chargeback', {}, { transactionType: 'Chargeback' }),
  one('paid as a reversal', {}, { transactionType: 'Reversal' }),
  one('a refund paid as a settle', refund, {}),
  one('another transaction', {}, { transactionId: 'of another one' }),
  one('no transaction', { transactionId: undefined }, { transactionId: undefined }),
  one('an empty transaction', { transactionId: '' }, { transactionId: '' }),
  one('nothing', { amount: 0 }, { transactionAmount: 0 }),
  one('another amount', {}, { transactionAmount: 9_999 }),
  one('another net', {}, { netAmount: 9_999 }),
  one('another status', {}, { status: 'AMOUNT_MISMATCH' }),
  order('paid twice', [line('twice')], [funding('twice'), funding('again')]),
  order('paid once for two', [line('first'), line('second')], [funding('first')]),
  two('two', [{}, {}], [{}, {}]),
  two(
    'two the other way round',
    [{}, {}],
    [
      { transactionId: 'two the other way round-1' },
      { transactionId: 'two the other way round-0' },
    ],
  ),
  two('settled and given back', [{}, refund], [{}, refunded]),
  two(
    'given back with its discount',
    [{}, { ...refund, amount: 5_000 }],
    [{ discountAmount: 290 }, { ...refunded, transactionAmount: 5_000, discountAmount: 145 }],
  ),
  two('given back twice', [refund, refund], [refunded, refunded]),
  two(
    'more given back',
    [{}, { ...refund, amount: 20_000 }],
    [{}, { ...refunded, transactionAmount: 20_000 }],
  ),
  two(
    'one transaction of two',
    [{ transactionId: 'same' }, { transactionId: 'same' }],
    [{ transactionId: 'same' }, { transactionId: 'same' }],
  ),
  two(
    'too much to be summed',
    [{ amount: large }, { amount: large }],
    [{ transactionAmount: large }, { transactionAmount: large }],
  ),
];
/** Those that the rules cannot sum. */
const unsummed = ['too much to be summed'];

describe.each(places)('a survey on %s', (_, open) => {
  test.each([
    ['contracts', [], undefined],
    ['a contract of another lender', [{ lender: 'Another', basisPoints: 290 }], undefined],
    ['a tolerance', [], { minorUnits: 1, basisPoints: 0 }],
    ['a tolerance by share', [], { minorUnits: 0, basisPoints: 1 }],
  ])('calls paid what the rules do, one by one: by %s', async (_, contracts, tolerance) => {
    const { store, db } = await open();
    await book(db, orders);
    const policy = {
      ...defaultPolicy,
      ...(tolerance ? { tolerance } : {}),
      contracts: contracts.map((terms) => ({ ...terms, returnedOnRefund: true })),
      now: NOW,
      complete: true,
    };
    const expected = ruled(
      orders.filter(({ orderKey }) => !unsummed.includes(orderKey.slice('order:'.length))),
      policy,
    );
    const bulk = store.bulk;
    const kinds = bulk.kind === 'sqlite' ? [surveyHere, surveyInDatabase] : [surveyInDatabase];
    for (const survey of kinds) {
      const { paid, others } = await survey(bulk, scope, policy);
      const keys = paid.map(({ orderKey }) => orderKey.slice('order:'.length));
      for (const order of paid) {
        const { settle, refund, discount, net } = order;
        expect([order.orderKey, expected[`USD ${order.orderKey}`]]).toMatchObject([
          order.orderKey,
          {
            ...{ funding: 'FUNDED', expected: { settle, refund }, discount, net, awaiting: 0 },
            ...{ funded: { settle, refund, chargeback: 0, reversal: 0 }, exceptions: [] },
            recheckAt: undefined,
          },
        ]);
      }
      expect(keys).toEqual(expect.arrayContaining(['plain', 'discounted']));
      if (survey === surveyHere && !tolerance) {
        expect(keys).toEqual(
          expect.arrayContaining([
            'two',
            'two the other way round',
            'settled and given back',
            'given back with its discount',
          ]),
        );
      }
      expect(paid.length + others.length).toBe(orders.length);
    }
  });
});
