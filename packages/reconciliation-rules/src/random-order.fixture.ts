import { fundingStatuses } from '@financing-checkout/contract/back-office';
import fc from 'fast-check';
import type { FundingLine, LedgerLine, OrderLines, Policy } from './order/lines.ts';
import { day, policy } from './order.fixture.ts';

/** A few ids and amounts that collide: duplicates, parts, wrong types, conflicting ids. */
const id = fc.constantFrom(undefined, undefined, '', 'T1', 'T2', 'T3');
const amount = fc.oneof(
  fc.constantFrom(100, 100, 50, 101, 1, 0),
  fc.integer({ min: 1, max: 9_999_999_999 }),
);
const at = fc.integer({ min: 60, max: 100 }).map(day);

const ledgerLine = fc.record({
  type: fc.constantFrom('Settle' as const, 'Settle' as const, 'Refund' as const),
  amount,
  occurredAt: at,
  transactionId: id,
  merchantTransactionId: id,
});

const fundingLine = fc
  .record({
    status: fc.constantFrom('RECONCILED', 'RECONCILED', ...fundingStatuses, 'NEW_WORD'),
    transactionType: fc.constantFrom(
      'Settle',
      'Settle',
      'Refund',
      'Chargeback',
      'Reversal',
      'Authorize',
      'Adjustment',
    ),
    transactionAmount: fc.tuple(amount, fc.constantFrom(1, 1, 1, -1)).map(([a, sign]) => a * sign),
    basisPoints: fc.constantFrom(0, 290, 290, 400, 287.5),
    fixed: fc.constantFrom(0, 0, 0, 25),
    off: fc.constantFrom(0, 0, 0, 0, 1, -1, 25),
    fundedAt: at,
    updatedAt: at,
    lenderName: fc.constantFrom('Quillmoor', 'Quillmoor', 'Tamberley'),
    transactionId: id,
    merchantTransactionId: id,
    lenderReferenceId: fc.constantFrom(undefined, '', 'R1', 'R2', 'R3', 'R4'),
  })
  .map(({ basisPoints, fixed, off, ...line }): Omit<FundingLine, 'id'> => {
    const discountAmount = Math.round((line.transactionAmount * basisPoints) / 10_000) + fixed;
    return { ...line, discountAmount, netAmount: line.transactionAmount - discountAmount + off };
  });

/** Generates arbitrary orders, including unlikely ones. */
export const anyOrder: fc.Arbitrary<OrderLines> = fc
  .record({
    merchantOrderId: fc.constantFrom('A-1', 'A-1', 'A-1', undefined),
    currency: fc.constantFrom('USD', 'JPY'),
    ledger: fc.array(ledgerLine, { maxLength: 4 }),
    fundings: fc.array(fundingLine, { maxLength: 6 }),
  })
  .map((lines) => ({
    ...lines,
    ledger: lines.ledger.map((line, index): LedgerLine => ({ ...line, id: `line-${index}` })),
    fundings: lines.fundings.map((line, index): FundingLine => ({
      ...line,
      id: `funding-${index}`,
      transactionAmount: line.transactionAmount + 0,
    })),
  }));

export const anyPolicy: fc.Arbitrary<Policy> = fc.record({
  now: fc.integer({ min: 90, max: 110 }).map(day),
  tolerance: fc.record({
    minorUnits: fc.constantFrom(0, 0, 1, 60),
    basisPoints: fc.constantFrom(0, 0, 100),
  }),
  slaDays: fc.constantFrom(
    policy.slaDays,
    { default: 5, lenders: { Tamberley: 30 } },
    { default: 2, lenders: {}, zone: 'America/New_York' },
    { default: 3, lenders: { Tamberley: 0 }, businessDays: true, holidays: [day(92), day(95)] },
  ),
  aliases: fc.constantFrom<Record<string, string>[]>({}, { Tamberley: 'Quillmoor' }),
  contracts: fc.constantFrom(
    policy.contracts,
    [],
    [{ lender: 'Quillmoor', basisPoints: 290, returnedOnRefund: false }],
    [{ lender: 'Quillmoor', basisPoints: 287.5, returnedOnRefund: true }],
    [{ lender: 'Quillmoor', basisPoints: 290, perSettle: { USD: 25 }, returnedOnRefund: true }],
    [
      { lender: 'Quillmoor', basisPoints: 400, returnedOnRefund: true },
      { lender: 'Quillmoor', basisPoints: 290, returnedOnRefund: true, from: day(88) },
    ],
  ),
  complete: fc.boolean(),
});

/** Generates the simplest order, with at most one deviation. */
export const nearlyPlainOrder: fc.Arbitrary<OrderLines> = fc
  .record({
    amount: fc.oneof(amount, fc.constantFrom(99_999_999_999_999, 10_000)),
    discountOff: fc.constantFrom(0, 0, 1, -1, 2, 24, 25, 26, 80),
    change: fc.oneof(
      fc.constant({}),
      fc.record({ netAmount: amount }),
      fc.record({ status: fc.constantFrom('AMOUNT_MISMATCH', 'MISSING', 'NEW_WORD') }),
      fc.record({ transactionType: fc.constantFrom('Refund', 'Chargeback', 'settle') }),
      fc.record({ transactionId: id }),
      fc.record({ transactionAmount: amount }),
      fc.record({ lenderName: fc.constantFrom('Tamberley') }),
    ),
    lineChange: fc.oneof(
      fc.constant({}),
      fc.record({ occurredAt: fc.constantFrom(day(87), day(89)) }),
      fc.record({ transactionId: id }),
      fc.record({ type: fc.constant('Refund' as const) }),
    ),
  })
  .map(({ amount: total, discountOff, change, lineChange }) => {
    const discountAmount = Number((BigInt(total) * 290n + 5_000n) / 10_000n) + discountOff;
    const funding: FundingLine = {
      id: 'funding',
      status: 'RECONCILED',
      transactionType: 'Settle',
      transactionAmount: total,
      discountAmount,
      netAmount: total - discountAmount,
      fundedAt: day(90),
      updatedAt: day(90),
      lenderName: 'Quillmoor',
      transactionId: 'T1',
      ...change,
    };
    const line: LedgerLine = {
      id: 'line',
      type: 'Settle',
      amount: total,
      occurredAt: day(88),
      transactionId: 'T1',
      ...lineChange,
    };
    return { merchantOrderId: 'A-1', currency: 'USD', ledger: [line], fundings: [funding] };
  });
