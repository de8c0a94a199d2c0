import type { FundingLine, LedgerLine } from '@financing-checkout/reconciliation-rules';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { places } from '../places.fixture.ts';
import { defaultPolicy } from '../policy.ts';
import { book, type BookedOrder, DAY_MS, environment, NOW, ruled } from './orders.fixture.ts';
import { orders, policies } from './random-orders.fixture.ts';
import { benches, settle, withLines } from './recompute.fixture.ts';
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

const reference = { lenderReferenceId: 'reference' };
const refund = { type: 'Refund' } as const;
const refunded = { transactionType: 'Refund' };
const large = Number.MAX_SAFE_INTEGER - 1;

const knownOrders = [
  one('plain', {}, {}),
  one('discounted', {}, { discountAmount: 290 }),
  one('paid as a refund', {}, refunded),
  one('paid as a chargeback', {}, { transactionType: 'Chargeback' }),
  one('paid as a reversal', {}, { transactionType: 'Reversal' }),
  one('a refund paid as a settle', refund, {}),
  one('another transaction', {}, { transactionId: 'of another one' }),
  one('no transaction', { transactionId: undefined }, { transactionId: undefined }),
  one('the lender’s reference alone', { transactionId: undefined, ...reference }, reference),
  one('another transaction of one reference', reference, { ...reference, transactionId: 'other' }),
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
    await book(db, knownOrders);
    const policy = {
      ...defaultPolicy,
      ...(tolerance ? { tolerance } : {}),
      contracts: contracts.map((terms) => ({ ...terms, returnedOnRefund: true })),
      now: NOW,
      complete: true,
    };
    const expected = ruled(
      knownOrders.filter(({ orderKey }) => !unsummed.includes(orderKey.slice('order:'.length))),
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
      expect(paid.length + others.length).toBe(knownOrders.length);
    }
  });
});

describe.each(benches)('each survey on %s', (_, open) => {
  test('each survey calls paid only what the rules do, with the same sums', async () => {
    const { db, bulk } = await open();
    const kinds = bulk.kind === 'sqlite' ? [surveyHere, surveyInDatabase] : [surveyInDatabase];
    const found = kinds.map(() => 0);
    await fc.assert(
      fc.asyncProperty(orders, policies, async (list, policy) => {
        await book(db, list);
        const scope = { environment, kind: 'all', after: '', last: undefined } as const;
        const expected = ruled(list, policy);
        const surveys = kinds.map((survey) => survey(bulk, scope, policy));
        for (const [at, { paid, others }] of (await Promise.all(surveys)).entries()) {
          found[at] = (found[at] ?? 0) + paid.length;
          for (const order of paid) {
            const status = expected[`${order.currency} ${order.orderKey}`];
            expect(status).toMatchObject({
              exceptions: [],
              funding: 'FUNDED',
              expected: { settle: order.settle, refund: order.refund },
              funded: { settle: order.settle, refund: order.refund, chargeback: 0, reversal: 0 },
              discount: order.discount,
              net: order.net,
              awaiting: 0,
              recheckAt: undefined,
            });
          }
          const told = [...paid, ...others].map((it) => `${it.currency} ${it.orderKey}`);
          expect(told.sort()).toEqual(Object.keys(expected).sort());
        }
      }),
      { numRuns: 150 },
    );
    // Neither would be worth anything if it found none.
    expect(Math.min(...found)).toBeGreaterThan(20);
  }, 60_000);

  test('each survey knows what is only just, and what is not quite, paid as agreed', async () => {
    const { db, bulk } = await open();
    const kinds = bulk.kind === 'sqlite' ? [surveyHere, surveyInDatabase] : [surveyInDatabase];
    const policy = {
      ...defaultPolicy,
      now: NOW,
      complete: true,
      // The others are of what none of these orders is.
      contracts: [{}, { productType: 'Installments' }, { promoCode: 'SPRING' }].map(
        (of, index) => ({
          lender: 'Tamberley Credit',
          basisPoints: 290 + 100 * index,
          returnedOnRefund: true,
          ...of,
        }),
      ),
    };
    const kept = (key: string, discountAmount: number) =>
      withLines(key, [{ type: 'Settle', amount: 10_000, discountAmount }]);
    const back = (key: string, amount: number, discountAmount: number) =>
      withLines(key, [
        { type: 'Settle', amount: 10_000, discountAmount: 290 },
        { type: 'Refund', amount, discountAmount },
      ]);
    const list = [
      kept('as agreed', 290),
      kept('a unit less', 289),
      kept('a unit more', 291),
      // 2.9 percent of 30 are 0.87, of 17 they are 0.493.
      withLines('another net', [
        { type: 'Settle', amount: 10_000, discountAmount: 290, netAmount: 9_708 },
      ]),
      back('the unit given back', 30, 1),
      back('the unit kept', 30, 0),
      back('half a unit kept', 17, 0),
      withLines('a refund alone', [{ type: 'Refund', amount: 10_000, discountAmount: 290 }]),
      back('all of it', 10_000, 290),
      back('more than all', 20_000, 580),
      settle('of another currency', { ledger: [] }),
      settle('of another currency', { currency: 'JPY', fundings: [] }),
    ];
    await book(db, list);
    const expected = ruled(list, policy);
    const isPlain = (key: string) => {
      const status = expected[`USD order:${key}`];
      return status?.funding === 'FUNDED' && status.exceptions.length === 0;
    };
    const plain = ['as agreed', 'the unit given back', 'half a unit kept', 'all of it'];
    expect(plain.filter(isPlain)).toEqual(plain);
    const scope = { environment, kind: 'all', after: '', last: undefined } as const;
    for (const survey of kinds) {
      const { paid } = await survey(bulk, scope, policy);
      const names = paid.map(({ orderKey }) => orderKey.slice('order:'.length));
      expect(names.filter((name) => !isPlain(name))).toEqual([]);
      // The database tells orders of one line alone.
      const told = survey === surveyHere ? plain : plain.slice(0, 1);
      expect(names.sort()).toEqual(told.toSorted());
    }
  });

  test('each survey knows what is kept of each settle beside its share, in its currency', async () => {
    const { db, bulk } = await open();
    const terms = { lender: 'Tamberley Credit', basisPoints: 290, returnedOnRefund: true };
    const contracts = [{ ...terms, perSettle: { JPY: 7, USD: 30 } }];
    const policy = { ...defaultPolicy, now: NOW, complete: true, contracts };
    const kept = (key: string, discountAmount: number, currency = 'USD') => ({
      ...withLines(key, [{ type: 'Settle' as const, amount: 10_000, discountAmount }]),
      currency,
    });
    const list = [
      kept('both', 320),
      kept('the share alone', 290),
      kept('a unit more', 321),
      kept('of another currency', 297, 'JPY'),
      kept('of one without', 290, 'EUR'),
      kept('of one without, and more', 320, 'EUR'),
    ];
    await book(db, list);
    const plain = Object.entries(ruled(list, policy))
      .filter(([, { headline }]) => headline === 'FUNDED')
      .map(([place]) => place);
    expect(plain).toEqual([
      'USD order:both',
      'JPY order:of another currency',
      'EUR order:of one without',
    ]);
    const scope = { environment, kind: 'all', after: '', last: undefined } as const;
    for (const survey of bulk.kind === 'sqlite'
      ? [surveyHere, surveyInDatabase]
      : [surveyInDatabase]) {
      const { paid } = await survey(bulk, scope, policy);
      const places = paid.map(({ orderKey, currency }) => `${currency} ${orderKey}`);
      expect(places.sort()).toEqual(plain.toSorted());
    }
  });

  test('an id that holds what the text of lines is taken apart by makes no other order', async () => {
    const { db, bulk } = await open();
    // In the last value of all: nothing comes after it that would be out of order.
    await book(db, [settle('1'), settle('2', { ledger: settle('2\u0002zz').ledger })]);
    const policy = { ...defaultPolicy, now: NOW, complete: true };
    const scope = { environment, kind: 'all', after: '', last: undefined } as const;
    const survey = bulk.kind === 'sqlite' ? surveyHere : surveyInDatabase;
    const { paid, others } = await survey(bulk, scope, policy);
    const keys = [...paid, ...others].map(({ orderKey }) => orderKey);
    expect(keys.sort()).toEqual(['order:1', 'order:2']);
  });
});
