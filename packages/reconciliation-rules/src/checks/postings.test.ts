import { describe, expect, it } from 'vitest';
import { findExceptions, lenient } from '../exceptions.fixture.ts';
import { day, funding, line, order, orphan, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';

const settle = line('Settle', 10_000, { transactionId: 'T1' });
const paid = funding('Settle', 10_000, { transactionId: 'T1' });

describe('a single funding', () => {
  it.each([
    [-2, [['NET_MISMATCH', -2]]],
    [-1, []],
    [1, []],
    [2, [['NET_MISMATCH', 2]]],
  ])('may have a net amount that is off by one unit because of rounding: %i', (off, findings) => {
    expect(findExceptions([settle], [{ ...paid, netAmount: paid.netAmount + off }])).toEqual(
      findings,
    );
  });

  it.each(['Authorize', 'Void'])('%s moves no money and has no exception', (type) => {
    const none = funding(type, 10_000, { status: 'MISSING', netAmount: 0, transactionId: 'T9' });
    expect(findExceptions([], [none])).toEqual([]);
    expect(reconcileOrder(order([], [none]), policy).headline).toBe('NOTHING_DUE');
    expect(findExceptions([settle], [paid, none])).toEqual([]);
  });

  it.each([0, -25, 10_000])('pays no line when its type is unknown: %i', (amount) => {
    const adjusted = funding('Adjustment', amount, { transactionId: 'T1' });
    const findings = [
      ['UNKNOWN_TYPE', amount],
      ['MISSING_AT_LENDER', 10_000],
    ];
    expect(findExceptions([settle], [adjusted])).toEqual(findings);
    expect(findExceptions([settle], [adjusted, paid])).toEqual([['UNKNOWN_TYPE', amount]]);
    const early = { ...policy, now: day(11) };
    const lines = order([{ ...settle, occurredAt: day(10) }], [adjusted]);
    expect(reconcileOrder(lines, early).awaiting).toBe(10_000);
  });

  it.each([
    ['the service does not know', 'Settle', { status: 'MISSING', lenderReferenceId: 'R' }],
    ['is of a wrong type', 'Refund', { transactionId: 'T1' }],
  ])('that %s but has since been reversed is no exception', (_, type, other) => {
    const posted = [4_000, -4_000].map((amount, later) =>
      funding(type, amount, { ...other, fundedAt: day(12 + later) }),
    );
    expect(findExceptions([settle], posted)).toEqual([['MISSING_AT_LENDER', 10_000]]);
    const code = type === 'Settle' ? 'MISSING_IN_SERVICE' : 'TYPE_MISMATCH';
    expect(findExceptions([settle], [...posted, funding(type, 700, other)])).toEqual([
      [code, 700],
      ['MISSING_AT_LENDER', 10_000],
    ]);
  });

  it('unknown to the service is reported even when it fits two sets of lines', () => {
    const ledger = [100, 200, 120, 180].map((amount) => line('Settle', amount));
    const unknown = funding('Settle', 300, { status: 'MISSING' });
    expect(findExceptions(ledger, [unknown])).toEqual([
      ['AMBIGUOUS_PAYMENT', 300],
      ['MISSING_IN_SERVICE', 300],
      ['MISSING_AT_LENDER', 600],
    ]);
  });

  it('with the status CHARGEBACK and the type Settle is a settle', () => {
    expect(findExceptions([settle], [{ ...paid, status: 'CHARGEBACK' }])).toEqual([]);
  });
});

describe('fundings that are not in the ledger', () => {
  const refund = funding('Refund', 4_000, { transactionId: 'T2' });

  it('include a refunded order, with a negative outgoing amount', () => {
    expect(findExceptions([], [refund])).toEqual([['NOT_IN_LEDGER', -4_000]]);
    expect(findExceptions([], [paid, refund])).toEqual([['NOT_IN_LEDGER', 10_000]]);
  });

  it('have the incoming amount for an order that was paid and fully refunded', () => {
    const whole = funding('Refund', 10_000, { transactionId: 'T2' });
    expect(findExceptions([], [paid, whole])).toEqual([['NOT_IN_LEDGER', 10_000]]);
    const more = funding('Refund', 10_001, { transactionId: 'T2' });
    expect(findExceptions([], [paid, more])).toEqual([['NOT_IN_LEDGER', -10_001]]);
  });

  it.each(['Settle', 'Refund'])('exclude a %s that was taken back', (type) => {
    const posted = (amount: number) => funding(type, amount, { transactionId: 'T3' });
    expect(findExceptions([settle], [paid, posted(4_000), posted(-4_000)])).toEqual([]);
    const code = type === 'Settle' ? 'LINE_NOT_IN_LEDGER' : 'REFUND_NOT_IN_LEDGER';
    const fundings = [paid, posted(4_000), posted(-4_000), posted(4_000)];
    expect(findExceptions([settle], fundings)).toEqual([[code, 4_000]]);
  });

  const back = funding('Chargeback', 4_000, { fundedAt: day(14) });
  const given = funding('Reversal', 4_000, { fundedAt: day(15) });

  it('include an order with only a chargeback', () => {
    const unknown = { code: 'NOT_IN_LEDGER', amount: -4_000, count: 1, since: day(14) };
    const { exceptions, headline } = reconcileOrder(order([], [back]), policy);
    expect(exceptions).toContainEqual(unknown);
    expect(headline).toBe('CHARGEBACK_OPEN');
    expect(reconcileOrder(orphan(back), policy).exceptions).toContainEqual(unknown);
  });

  it('include an order with a reversed chargeback', () => {
    expect(findExceptions([], [back, given])).toEqual([['NOT_IN_LEDGER', 4_000]]);
    expect(
      findExceptions(
        [],
        [{ ...back, transactionAmount: 10, netAmount: 10, discountAmount: 0 }],
        lenient(10),
      ),
    ).toEqual([]);
  });

  it('report the chargeback of an unknown settle only as a chargeback', () => {
    expect(findExceptions([], [paid, back])).toEqual([
      ['CHARGEBACK_OPEN', 4_000],
      ['NOT_IN_LEDGER', 10_000],
    ]);
  });

  it.each([
    ['Settle', 'LINE_NOT_IN_LEDGER'],
    ['Refund', 'REFUND_NOT_IN_LEDGER'],
  ])('tolerate ten units of a %s, but not eleven', (type, code) => {
    const loose = (amount: number) => [paid, funding(type, amount, { transactionId: 'T9' })];
    expect(findExceptions([settle], loose(10), lenient(10))).toEqual([]);
    expect(findExceptions([settle], loose(11), lenient(10))).toEqual([[code, 11]]);
  });
});

it('form one exception per kind, dated by the first of them', () => {
  const later = line('Settle', 500, { transactionId: 'T2', occurredAt: day(20) });
  expect(reconcileOrder(order([later, settle], []), policy).exceptions).toEqual([
    { code: 'MISSING_AT_LENDER', amount: 10_500, count: 2, since: day(12) },
  ]);
});
