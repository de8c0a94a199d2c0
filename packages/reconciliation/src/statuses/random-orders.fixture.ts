import type { FundingLine, LedgerLine, Policy } from '@financing-checkout/reconciliation-rules';
import fc from 'fast-check';
import { type BookedOrder, DAY_MS, NOW } from './orders.fixture.ts';

const amount = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(10_000, 10_001, 2_500, 7_500, 1) },
  fc.constant(1_000_000_000_000_000),
);
// Values may contain the separators of serialized lines.
const transaction = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('t1', 't2', 't3') },
  fc.constantFrom('t1 1', 't\u00012', 't1\u0002t2'),
);
const day = fc.integer({ min: 1, max: 20 }).map((days) => NOW - days * DAY_MS);

const ledgerLine = fc.record({
  type: fc.constantFrom('Settle' as const, 'Settle' as const, 'Refund' as const),
  amount,
  occurredAt: day,
  transactionId: fc.option(transaction, { nil: undefined, freq: 6 }),
  merchantTransactionId: fc.option(fc.constantFrom('m1', 'm2'), { nil: undefined }),
  lenderReferenceId: fc.option(fc.constantFrom('R1', 'R2'), { nil: undefined }),
});

const funding = fc
  .record({
    status: fc.oneof(
      { weight: 6, arbitrary: fc.constant('RECONCILED') },
      fc.constantFrom('AMOUNT_MISMATCH', 'MISSING', 'CHARGEBACK', 'UNRECONCILED', 'NEW'),
    ),
    transactionType: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('Settle', 'Settle', 'Refund') },
      fc.constantFrom('Chargeback', 'Reversal', 'Authorize', 'Fee'),
    ),
    transactionAmount: fc.oneof({ weight: 8, arbitrary: amount }, fc.constant(-2_500)),
    // The contracted discount, one unit off, or unrelated.
    discountBy: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.constantFrom(1, -1, 2, -290)),
    netBy: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.constantFrom(1, -40)),
    fundedAt: day,
    lenderName: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom('Tamberley Credit', 'Tamberley', 'Quillmoor') },
      fc.constantFrom('Quillmoor\u0001', 'Tamberley\u0002'),
    ),
    productType: fc.option(fc.constantFrom('Installments', 'LineOfCredit'), { nil: undefined }),
    promoCode: fc.option(fc.constant('SPRING'), { nil: undefined }),
    transactionId: fc.option(transaction, { nil: undefined, freq: 6 }),
    merchantTransactionId: fc.option(fc.constantFrom('m1', 'm2'), { nil: undefined }),
    lenderReferenceId: fc.option(fc.constantFrom('R1', 'R2'), { nil: undefined }),
  })
  .map(({ discountBy, netBy, ...rest }) => {
    const discountAmount = Math.round(rest.transactionAmount * 0.029) + discountBy;
    const netAmount = rest.transactionAmount - discountAmount + netBy;
    return { ...rest, discountAmount, netAmount };
  });

/** Start of some contracts. */
const aroundBegin = fc.constantFrom(NOW - 9 * DAY_MS - 1, NOW - 9 * DAY_MS);

/** Timestamps around midnight in the policies' time zones, at which some lines are late. */
const aroundMidnight = fc
  .record({ days: fc.integer({ min: 1, max: 8 }), quarters: fc.integer({ min: -30, max: 30 }) })
  .map(({ days, quarters }) => NOW - days * DAY_MS + quarters * 900_000);

interface Lines {
  ledger: Omit<LedgerLine, 'id'>[];
  fundings: Omit<FundingLine, 'id' | 'updatedAt'>[];
}

/** Mostly plain orders: lenders pay the expected amounts. */
const plainOrder: fc.Arbitrary<Lines> = fc
  .record({
    settles: fc.array(amount, { minLength: 1, maxLength: 2 }),
    refund: fc.boolean(),
    rate: fc.constantFrom(0.029, 0.029, 0.02875),
    fixed: fc.constantFrom(0, 0, 0, 30),
    funding,
    settledAt: aroundBegin,
    refundedAt: aroundBegin,
  })
  .map(({ settles, refund, rate, fixed, funding: like, settledAt, refundedAt }) => {
    const wanted = settles.map((value) => ({ type: 'Settle' as const, amount: value }));
    const back = { type: 'Refund' as const, amount: settles[0] ?? 1 };
    const lines = (refund ? [...wanted, back] : wanted).map((line, index) => ({
      ...line,
      occurredAt: line.type === 'Settle' ? settledAt + index : refundedAt,
      transactionId: `t${index}`,
      merchantTransactionId: `m${index}`,
    }));
    const fundings = lines.map((line) => {
      const besides = line.type === 'Settle' ? fixed : 0;
      const discountAmount = Math.round(line.amount * rate) + besides;
      return {
        ...like,
        status: 'RECONCILED',
        transactionType: line.type,
        transactionAmount: line.amount,
        discountAmount,
        netAmount: line.amount - discountAmount,
        transactionId: line.transactionId,
        merchantTransactionId: line.merchantTransactionId,
      };
    });
    return { ledger: lines, fundings };
  });

/** Orders that no lender has paid: some are waiting, some are late. */
const unpaidOrder: fc.Arbitrary<Lines> = fc
  .record({ plain: plainOrder, settledAt: fc.oneof(day, aroundMidnight) })
  .map(({ plain: { ledger }, settledAt }) => ({
    ledger: ledger.map((line) => ({ ...line, occurredAt: settledAt })),
    fundings: [],
  }));

type Line = Lines['ledger'][number];
type Funding = Lines['fundings'][number];

/** Makes a plain order deviate slightly. */
const changes = fc.oneof(
  fc
    .constantFrom<Partial<Funding>>(
      { status: 'AMOUNT_MISMATCH' },
      { status: 'MISSING' },
      { transactionType: 'Chargeback' },
      { transactionType: 'Reversal' },
      { transactionType: 'settle' },
      { netAmount: 9_711 },
      { transactionAmount: 10_002 },
      { transactionId: 't9' },
      { transactionId: '' },
      { transactionId: undefined },
    )
    .map((change) => ({ fundings: change, ledger: {} })),
  fc
    .constantFrom<Partial<Line>>(
      { type: 'Refund' },
      { amount: 10_003 },
      { transactionId: 't9' },
      { transactionId: '' },
      { transactionId: undefined },
    )
    .map((change) => ({ fundings: {}, ledger: change })),
  // Changes both sides, so that they still agree.
  fc
    .constantFrom('', 't9', 't1')
    .map((transactionId) => ({ fundings: { transactionId }, ledger: { transactionId } })),
  fc.constant({
    fundings: { transactionType: 'Refund' },
    ledger: { type: 'Refund' as const },
  }),
);

const nearlyPlainOrder: fc.Arbitrary<Lines> = fc
  .record({
    plain: plainOrder,
    change: changes,
    of: fc.constantFrom('first', 'last', 'each'),
    without: fc.constantFrom('nothing', 'nothing', 'nothing', 'ledger', 'fundings'),
  })
  .map(({ plain, change, of, without }) => {
    const isChanged = (index: number, { length }: { length: number }) =>
      of === 'each' || index === (of === 'first' ? 0 : length - 1);
    const ledger = plain.ledger.map((line, index, all) =>
      isChanged(index, all) ? { ...line, ...change.ledger } : line,
    );
    const fundings = plain.fundings.map((line, index, all) =>
      isChanged(index, all) ? { ...line, ...change.fundings } : line,
    );
    return {
      ledger: without === 'ledger' ? ledger.slice(1) : ledger,
      fundings: without === 'fundings' ? fundings.slice(1) : fundings,
    };
  });

const anyOrder: fc.Arbitrary<Lines> = fc.record({
  ledger: fc.array(ledgerLine, { maxLength: 3 }),
  fundings: fc.array(funding, { maxLength: 4 }),
});

/** Orders of all kinds, some in two currencies, and fundings without an order. */
export const orders = fc
  .array(
    fc.record({
      lines: fc.oneof(
        { weight: 8, arbitrary: plainOrder },
        { weight: 3, arbitrary: unpaidOrder },
        nearlyPlainOrder,
        anyOrder,
      ),
      // Ids that sort differently by collation and by code unit.
      key: fc.constantFrom(
        'order:A-1',
        'order:a-1',
        'order:Ä',
        'order:😀',
        'order:\uFF5E',
        'order:A-1\u0001',
        'funding:x',
      ),
      currency: fc.constantFrom('USD', 'USD', 'JPY'),
    }),
    // A pass over 100 orders takes as long as one over a single order.
    { minLength: 60, maxLength: 120, size: 'max' },
  )
  .map((list) => {
    const byKey = new Map<string, BookedOrder>();
    for (const [index, { lines, key: name, currency }] of list.entries()) {
      // Some orders are in two currencies.
      const key = `${name}${Math.floor(index / 2) % 20}`;
      const statusKey = `${currency} ${key}`;
      if (byKey.has(statusKey)) continue;
      byKey.set(statusKey, {
        orderKey: key,
        currency,
        ledger: (key.startsWith('order:') ? lines.ledger : []).map((line, index) => ({
          ...line,
          id: `L${index} ${statusKey}`,
        })),
        fundings: lines.fundings.map((line, index) => ({
          ...line,
          id: `F${index} ${statusKey}`,
          updatedAt: line.fundedAt,
        })),
      });
    }
    return [...byKey.values()];
  });

/** Policies, including ones under which the plain orders are plain. */
export const policies: fc.Arbitrary<Policy> = fc.record({
  now: fc.constantFrom(NOW, NOW + 30 * DAY_MS),
  complete: fc.boolean(),
  tolerance: fc.constantFrom(
    { minorUnits: 0, basisPoints: 0 },
    { minorUnits: 1, basisPoints: 0 },
    { minorUnits: 0, basisPoints: 500 },
    { minorUnits: 0, basisPoints: 12.5 },
  ),
  slaDays: fc.constantFrom(
    { default: 5, lenders: { Quillmoor: 2 } },
    { default: 3, lenders: { Quillmoor: 2 }, businessDays: true },
    { default: 3, lenders: { Quillmoor: 2 }, zone: 'America/New_York' },
  ),
  aliases: fc.constantFrom<Record<string, string>[]>({}, { Tamberley: 'Tamberley Credit' }),
  contracts: fc.constantFrom(
    [],
    [{ lender: 'Tamberley Credit', basisPoints: 290, returnedOnRefund: true }],
    [{ lender: 'Tamberley Credit', basisPoints: 287.5, returnedOnRefund: true }],
    ['Tamberley Credit', 'Quillmoor'].map((lender) => ({
      lender,
      basisPoints: 290,
      perSettle: { USD: 30, EUR: 25 },
      returnedOnRefund: true,
    })),
    [
      { lender: 'Tamberley Credit', basisPoints: 290, returnedOnRefund: false },
      {
        lender: 'Tamberley Credit',
        productType: 'Installments',
        basisPoints: 100,
        returnedOnRefund: true,
      },
      { lender: 'Quillmoor', promoCode: 'SPRING', basisPoints: 290, returnedOnRefund: true },
    ],
    [
      { lender: 'Tamberley Credit', basisPoints: 400, returnedOnRefund: true },
      {
        lender: 'Tamberley Credit',
        basisPoints: 290,
        returnedOnRefund: true,
        from: NOW - 9 * DAY_MS,
      },
      { lender: 'Quillmoor', basisPoints: 290, returnedOnRefund: true },
      {
        lender: 'Quillmoor',
        basisPoints: 400,
        returnedOnRefund: true,
        from: NOW - 9 * DAY_MS,
      },
    ],
    Array.from({ length: 101 }, (_, index) => ({
      lender: index === 50 ? 'Quillmoor' : `Lender ${index}`,
      basisPoints: 290,
      returnedOnRefund: true,
    })),
  ),
});
