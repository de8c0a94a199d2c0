import { exceptionCodes } from '@financing-checkout/contract/reconciliation';
import { describe, expect, it } from 'vitest';
import { DAY, day, funding, line, now, order, orphan, policy } from '../order.fixture.ts';
import { reconcileOrder } from './order-status.ts';
import type { OrderLines } from '../order/lines.ts';

const settle = line('Settle', 10_000, { transactionId: 'T1', merchantTransactionId: 'M1' });
const paid = funding('Settle', 10_000, { transactionId: 'T1' });
const refund = line('Refund', 4_000, { transactionId: 'T2', occurredAt: day(20) });
const taken = funding('Refund', 4_000, { transactionId: 'T2', fundedAt: day(22) });

/** For each mistake: lines that contain it, and all expected exceptions. */
const mistakes: Record<string, [OrderLines, ...[code: string, amount: number, since: number][]]> = {
  'a wrong amount, too much': [
    order(
      [settle],
      [
        funding('Settle', 10_250, {
          transactionId: 'T1',
          status: 'AMOUNT_MISMATCH',
          discountAmount: 290,
        }),
      ],
    ),
    ['AMOUNT_MISMATCH', 250, day(12)],
  ],
  'too much in parts, wrong since the part that is too much': [
    order(
      [settle],
      [6_000, 6_000].map((amount, later) =>
        funding('Settle', amount, {
          transactionId: 'T1',
          status: 'AMOUNT_MISMATCH',
          fundedAt: day(12 + 9 * later),
        }),
      ),
    ),
    ['AMOUNT_MISMATCH', 2_000, day(21)],
  ],
  'a wrong amount, too little': [
    order(
      [settle],
      [
        funding('Settle', 9_000, {
          transactionId: 'T1',
          status: 'AMOUNT_MISMATCH',
          discountAmount: 290,
        }),
      ],
    ),
    ['AMOUNT_MISMATCH', -1_000, day(12)],
  ],
  'a settle stated as a refund': [
    order([settle], [funding('Refund', 10_000, { transactionId: 'T1', status: 'TYPE_MISMATCH' })]),
    ['TYPE_MISMATCH', 10_000, day(12)],
  ],
  'a settle stated as a chargeback': [
    order(
      [settle],
      [funding('Chargeback', 10_000, { transactionId: 'T1', status: 'TYPE_MISMATCH' })],
    ),
    ['CHARGEBACK_OPEN', 10_000, day(12)],
    ['TYPE_MISMATCH', 10_000, day(12)],
  ],
  'a settle stated as a refund, in two parts': [
    order(
      [settle],
      [4_000, 6_000].map((part) =>
        funding('Refund', part, { transactionId: 'T1', status: 'TYPE_MISMATCH' }),
      ),
    ),
    ['TYPE_MISMATCH', 10_000, day(12)],
  ],
  'a refund of another amount with the id of a settle that was never paid': [
    order([settle], [funding('Refund', 1, { transactionId: 'T1', fundedAt: day(14) })]),
    ['TYPE_MISMATCH', 1, day(14)],
    ['MISSING_AT_LENDER', 10_000, day(12)],
  ],
  'a settle of another amount with the id of a refund that was never taken': [
    order([settle, refund], [paid, funding('Settle', 4_100, { transactionId: 'T2' })]),
    ['TYPE_MISMATCH', 4_100, day(12)],
    ['REFUND_NOT_TAKEN', 4_000, day(22)],
  ],
  'paid in parts that sum to the whole': [
    order(
      [settle],
      [3_333, 3_333, 3_334].map((part) =>
        funding('Settle', part, { transactionId: 'T1', status: 'AMOUNT_MISMATCH' }),
      ),
    ),
  ],
  'paid twice': [
    order([settle], [paid, funding('Settle', 10_000, { transactionId: 'T1' })]),
    ['DUPLICATE_FUNDING', 10_000, day(12)],
  ],
  'a funding that names nothing': [
    orphan(funding('Settle', 10_000, { status: 'MISSING' })),
    ['MISSING_IN_SERVICE', 10_000, day(12)],
  ],
  'a funding that names the order alone': [
    order([settle], [funding('Settle', 10_000, { status: 'ORIGINAL_TRANSACTION_MISSING' })]),
    ['MISSING_IN_SERVICE', 10_000, day(12)],
  ],
  'the same in the older vocabulary': [
    order([settle], [funding('Settle', 10_000, { status: 'MISSING' })]),
    ['MISSING_IN_SERVICE', 10_000, day(12)],
  ],
  'never funded': [order([settle], []), ['MISSING_AT_LENDER', 10_000, day(12)]],
  'never sent to the service': [
    order([line('Settle', 10_000, { merchantTransactionId: 'M1' })], []),
    ['MISSING_AT_LENDER', 10_000, day(12)],
  ],
  'a refund that the lender did not take': [
    order([settle, refund], [paid]),
    ['REFUND_NOT_TAKEN', 4_000, day(22)],
  ],
  'a discount kept on a refund': [
    order([settle, refund], [paid, { ...taken, discountAmount: 0, netAmount: 4_000 }]),
    ['MDR_NOT_RETURNED', 116, day(22)],
  ],
  'a wrong discount': [
    order([settle], [funding('Settle', 10_000, { transactionId: 'T1', discountAmount: 340 })]),
    ['MDR_VARIANCE', 50, day(12)],
  ],
  'a net that is not gross less discount': [
    order([settle], [{ ...paid, netAmount: paid.netAmount - 37 }]),
    ['NET_MISMATCH', -37, day(12)],
  ],
  'a chargeback': [
    order(
      [settle],
      [paid, funding('Chargeback', 6_000, { transactionId: 'T3', fundedAt: day(40) })],
    ),
    ['CHARGEBACK_OPEN', 6_000, day(40)],
  ],
  'a chargeback that was reversed': [
    order(
      [settle],
      [
        paid,
        funding('Chargeback', 6_000, { transactionId: 'T3', fundedAt: day(40) }),
        funding('Reversal', 6_000, { transactionId: 'T4', fundedAt: day(60) }),
      ],
    ),
  ],
  'reversed by more than was charged back': [
    order(
      [settle],
      [
        paid,
        funding('Chargeback', 6_000, { transactionId: 'T3', fundedAt: day(40) }),
        funding('Reversal', 6_500, { transactionId: 'T4', fundedAt: day(60) }),
      ],
    ),
    ['OVER_REVERSED', 500, day(60)],
  ],
  'a dispute that the service was not told of': [
    order(
      [settle],
      [
        paid,
        funding('Refund', 6_000, { status: 'ORIGINAL_TRANSACTION_MISSING', fundedAt: day(40) }),
      ],
    ),
    ['MISSING_IN_SERVICE', 6_000, day(40)],
  ],
  'the same in the older vocabulary: a refund of status CHARGEBACK is a chargeback': [
    order([settle], [paid, funding('Refund', 6_000, { status: 'CHARGEBACK', fundedAt: day(40) })]),
    ['CHARGEBACK_OPEN', 6_000, day(40)],
  ],
  'refunded and charged back': [
    order(
      [settle, refund],
      [paid, taken, funding('Chargeback', 10_000, { transactionId: 'T3', fundedAt: day(40) })],
    ),
    ['DOUBLE_DEBIT', 4_000, day(40)],
    ['CHARGEBACK_OPEN', 10_000, day(40)],
  ],
  'an order that the ledger does not have': [order([], [paid]), ['NOT_IN_LEDGER', 10_000, day(12)]],
  'an order that neither side knows': [
    order([], [funding('Settle', 10_000, { status: 'ORIGINAL_TRANSACTION_MISSING' })]),
    ['NOT_IN_LEDGER', 10_000, day(12)],
    ['MISSING_IN_SERVICE', 10_000, day(12)],
  ],
  'a transaction without an order that the ledger does not have': [
    orphan(paid),
    ['NOT_IN_LEDGER', 10_000, day(12)],
  ],
  'a settle that the ledger does not have': [
    order([settle], [paid, funding('Settle', 700, { transactionId: 'T9' })]),
    ['LINE_NOT_IN_LEDGER', 700, day(12)],
  ],
  'a funding that more than one set of lines sums to': [
    order(
      [6_000, 4_000, 7_000, 3_000].map((amount) => line('Settle', amount)),
      [funding('Settle', 10_000, { transactionId: 'T9' })],
    ),
    ['AMBIGUOUS_PAYMENT', 10_000, day(12)],
    ['MISSING_AT_LENDER', 20_000, day(12)],
  ],
  'a refund that the ledger does not have': [
    order([settle], [paid, taken]),
    ['REFUND_NOT_IN_LEDGER', 4_000, day(22)],
  ],
  'an unknown type': [
    order([settle], [paid, funding('Adjustment', 10, { transactionId: 'T8' })]),
    ['UNKNOWN_TYPE', 10, day(12)],
  ],
  'an unknown status': [
    order([settle], [{ ...paid, status: 'PARTIALLY_RECONCILED' }]),
    ['UNKNOWN_TYPE', 10_000, day(12)],
  ],
  'RECONCILED, though half of it is still to come': [
    order(
      [{ ...settle, occurredAt: day(99) }],
      [funding('Settle', 5_000, { transactionId: 'T1', fundedAt: day(100) })],
    ),
    ['STATUS_DISAGREES', 5_000, day(100)],
  ],
  'RECONCILED, of what was taken back while its settle is awaited again': [
    order(
      [{ ...settle, occurredAt: day(99) }],
      [10_000, -10_000].map((amount) =>
        funding('Settle', amount, { transactionId: 'T1', fundedAt: day(100) }),
      ),
    ),
  ],
  'AMOUNT_MISMATCH, though the amount is right': [
    order([settle], [{ ...paid, status: 'AMOUNT_MISMATCH' }]),
    ['STATUS_DISAGREES', 10_000, day(12)],
  ],
  'TYPE_MISMATCH, though the type is right': [
    order([settle], [{ ...paid, status: 'TYPE_MISMATCH' }]),
    ['STATUS_DISAGREES', 10_000, day(12)],
  ],
};

describe('reports each mistake by its cause only', () => {
  it.each(Object.entries(mistakes))('%s', (_, [lines, ...findings]) => {
    const { exceptions, headline } = reconcileOrder(lines, policy);
    expect(exceptions.map(({ code, amount, since }) => [code, amount, since])).toEqual(findings);
    if (findings[0]) expect(headline).toBe(findings[0][0]);
  });

  it('control: covers every code of an order in one currency, except OVER_FUNDED', () => {
    const codes = Object.values(mistakes).flatMap(([, ...found]) => found.map(([code]) => code));
    expect([...new Set([...codes, 'OVER_FUNDED', 'CURRENCY_UNKNOWN'])].toSorted()).toEqual(
      exceptionCodes.toSorted(),
    );
  });

  it('reports OVER_FUNDED for the sum of two individually tolerated excesses', () => {
    const lines = order(
      [
        line('Settle', 10_000, { transactionId: 'T1' }),
        line('Settle', 10_000, { transactionId: 'T2' }),
      ],
      ['T1', 'T2'].map((transactionId) => funding('Settle', 10_003, { transactionId })),
    );
    const lenient = { ...policy, tolerance: { minorUnits: 4, basisPoints: 0 } };
    expect(reconcileOrder(lines, lenient)).toMatchObject({
      funding: 'OVER_FUNDED',
      exceptions: [{ code: 'OVER_FUNDED', amount: 6, count: 2 }],
    });
    const once = order(lines.ledger.slice(0, 1), lines.fundings.slice(0, 1));
    expect(reconcileOrder(once, lenient)).toMatchObject({ headline: 'FUNDED', exceptions: [] });
  });
});

describe('missing payments', () => {
  const open = order(
    [
      { ...settle, occurredAt: day(98) + 1 },
      { ...refund, occurredAt: day(99) },
    ],
    [],
  );

  it('awaits an amount that is not late, with the time of the next check', () => {
    expect(reconcileOrder(open, policy)).toMatchObject({
      headline: 'AWAITING_FUNDING',
      exceptions: [],
      awaiting: 10_000,
      recheckAt: now + DAY,
    });
  });

  it('are late at the end of their due day', () => {
    const at = (time: number) => reconcileOrder(open, { ...policy, now: time });
    expect(at(now + DAY - 1)).toMatchObject({ headline: 'AWAITING_FUNDING', awaiting: 10_000 });
    expect(at(now + DAY)).toMatchObject({
      headline: 'MISSING_AT_LENDER',
      awaiting: 0,
      exceptions: [{ amount: 10_000, count: 1, since: now }],
      recheckAt: now + 2 * DAY,
    });
    expect(at(now + 2 * DAY)).toMatchObject({
      exceptions: [{ code: 'REFUND_NOT_TAKEN' }, { code: 'MISSING_AT_LENDER' }],
      recheckAt: undefined,
    });
  });

  it('count as funded when the lender pays late', () => {
    const late = order(
      [settle],
      [funding('Settle', 10_000, { transactionId: 'T1', fundedAt: now })],
    );
    expect(reconcileOrder(late, policy)).toMatchObject({ headline: 'FUNDED', exceptions: [] });
  });

  it('are not reported while data is incomplete', () => {
    const partial = { ...policy, complete: false };
    const half = funding('Settle', 5_000, { transactionId: 'T1' });
    expect(reconcileOrder(order([settle, refund], []), partial)).toMatchObject({
      headline: 'AWAITING_FUNDING',
      exceptions: [],
      awaiting: 10_000,
      recheckAt: undefined,
    });
    expect(reconcileOrder(order([settle, refund], [half]), partial)).toMatchObject({
      headline: 'PARTIALLY_FUNDED',
      exceptions: [],
      awaiting: 5_000,
    });
  });

  it('wait for the slowest lender of the order under any of its names', () => {
    const slow = {
      ...policy,
      slaDays: { default: 2, lenders: { Quill: 200 } },
      aliases: { Quillmoor: 'Quill' },
    };
    const half = order(
      [settle],
      [funding('Settle', 5_000, { transactionId: 'T1', status: 'AMOUNT_MISMATCH' })],
    );
    expect(reconcileOrder(half, slow)).toMatchObject({ exceptions: [], awaiting: 5_000 });
  });
});
