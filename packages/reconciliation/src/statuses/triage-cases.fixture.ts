import type { FundingLine, LedgerLine, Policy } from '@financing-checkout/reconciliation-rules';
import { type BookedOrder, DAY_MS, NOW } from './orders.fixture.ts';

const lender = 'Quillmoor';
const FIRST = NOW - 12 * DAY_MS;

/** One policy for each combination of tolerance and contract that the rules distinguish. */
export const policyCases: Policy[] = [
  { minorUnits: 0, basisPoints: 0 },
  { minorUnits: 1, basisPoints: 0 },
  { minorUnits: 0, basisPoints: 500 },
].flatMap((tolerance) =>
  [
    [],
    [{ lender, basisPoints: 290, returnedOnRefund: true }],
    [{ lender, basisPoints: 290, returnedOnRefund: false }],
    [{ lender, basisPoints: 287.5, returnedOnRefund: true }],
    [{ lender, basisPoints: 290, perSettle: { USD: 30 }, returnedOnRefund: true }],
    [
      { lender, basisPoints: 400, returnedOnRefund: true },
      { lender, basisPoints: 290, returnedOnRefund: true, from: FIRST },
    ],
    [
      { lender, productType: 'Installments', basisPoints: 100, returnedOnRefund: true },
      { lender, promoCode: 'SPRING', basisPoints: 400, returnedOnRefund: true },
      { lender, basisPoints: 290, returnedOnRefund: true },
    ],
  ].map((contracts) => ({
    now: NOW,
    complete: true,
    tolerance,
    contracts,
    aliases: {},
    slaDays: { default: 5, lenders: {} },
  })),
);

type Type = LedgerLine['type'];
type Line = Omit<LedgerLine, 'id'>;
type Funding = Omit<FundingLine, 'id'>;

/** Shapes of plainly paid orders, and similar shapes. */
const shapes: [type: Type, amount: number][][] = [
  [['Settle', 10_000]],
  [['Refund', 10_000]],
  [
    ['Settle', 10_000],
    ['Settle', 2_500],
  ],
  [
    ['Settle', 10_000],
    ['Refund', 2_500],
  ],
  [
    ['Settle', 10_000],
    ['Refund', 10_000],
  ],
  [
    ['Settle', 2_500],
    ['Refund', 10_000],
  ],
  [
    ['Settle', 10_000],
    ['Settle', 2_500],
    ['Refund', 2_500],
  ],
];

const basisPoints = [0, 100, 287.5, 290, 400];

/**
 * Difference between the discount and the percentage in units: exact, rounded the other way, off,
 * or with a fixed amount.
 */
const besides = [0, 1, -1, 30];

/** Deviations of the last funding and the last line. The first entry is no deviation. */
const deviations: { funding?: Partial<Funding>; line?: Partial<Line> }[] = [
  {},
  { funding: { status: 'AMOUNT_MISMATCH' } },
  { funding: { status: 'MISSING' } },
  { funding: { status: 'NEW_WORD' } },
  { funding: { transactionType: 'Chargeback' } },
  { funding: { transactionType: 'settle' } },
  { funding: { transactionType: 'Refund' } },
  { funding: { transactionAmount: -2_500 } },
  { funding: { transactionAmount: 9_999 } },
  { funding: { netAmount: 7 } },
  { funding: { transactionId: 't9' } },
  { funding: { transactionId: '' } },
  { funding: { transactionId: undefined } },
  { funding: { lenderName: 'Tamberley' } },
  { funding: { productType: 'Installments' } },
  { funding: { promoCode: 'SPRING' } },
  { line: { type: 'Refund' } },
  { line: { amount: 0 } },
  { line: { amount: 9_999 } },
  { line: { transactionId: 't0' } },
  { line: { transactionId: undefined } },
  { line: { merchantTransactionId: 'm0' } },
  { line: { occurredAt: FIRST - 1 } },
  { line: { transactionId: 't0' }, funding: { transactionId: 't0' } },
  { line: { transactionId: '' }, funding: { transactionId: '' } },
];

/**
 * Every combination of shape, rate and rounding, and every deviation of each shape with each
 * contracted discount, each as a separate order. Combining a deviation with another discount would
 * be ambiguous, because the rules would have two reasons.
 */
export const orderCases: BookedOrder[] = shapes
  .flatMap((shape) =>
    basisPoints.flatMap((rate) =>
      besides.flatMap((beside) => {
        const isAgreed = beside === 0 || (beside === 30 && rate === 290);
        const varied = isAgreed ? deviations : deviations.slice(0, 1);
        return varied.map((deviation) => ({ shape, rate, beside, deviation }));
      }),
    ),
  )
  .map(({ shape, rate, beside, deviation }, at): BookedOrder => {
    const isLast = (index: number) => index === shape.length - 1;
    const orderKey = `order:C-${at}`;
    return {
      orderKey,
      currency: 'USD',
      ledger: shape.map(([type, amount], index) => ({
        id: `L${index} ${orderKey}`,
        type,
        amount,
        occurredAt: FIRST + index,
        transactionId: `t${index}`,
        merchantTransactionId: `m${index}`,
        ...(isLast(index) ? deviation.line : {}),
      })),
      fundings: shape.map(([type, amount], index) => {
        const discountAmount = Math.round((amount * rate) / 10_000) + beside;
        return {
          id: `F${index} ${orderKey}`,
          status: 'RECONCILED',
          transactionType: type,
          transactionAmount: amount,
          discountAmount,
          netAmount: amount - discountAmount,
          fundedAt: FIRST + DAY_MS,
          updatedAt: FIRST + DAY_MS,
          lenderName: lender,
          transactionId: `t${index}`,
          ...(isLast(index) ? deviation.funding : {}),
        };
      }),
    };
  });
