import { describe, expect, it } from 'vitest';
import { findExceptions, lenient } from '../exceptions.fixture.ts';
import { day, funding, line, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';
import type { FundingLine } from '../order/lines.ts';

const ledger = [
  line('Settle', 10_000, { transactionId: 'T1' }),
  line('Refund', 4_000, { transactionId: 'T2', occurredAt: day(20) }),
];
const paid = funding('Settle', 10_000, { transactionId: 'T1' });
const taken = funding('Refund', 4_000, { transactionId: 'T2', fundedAt: day(22) });
const chargedBack = (amount: number, at = 40) =>
  funding('Chargeback', amount, { fundedAt: day(at) });
const reversed = (amount: number, at = 60) => funding('Reversal', amount, { fundedAt: day(at) });

describe('within a tolerance of ten units', () => {
  it.each([
    ['charged back by 10', [chargedBack(10)], []],
    ['charged back by 11', [chargedBack(11)], [['CHARGEBACK_OPEN', 11]]],
    ['10 more reversed', [chargedBack(6_000), reversed(6_010)], []],
    ['11 more reversed', [chargedBack(6_000), reversed(6_011)], [['OVER_REVERSED', 11]]],
  ])('%s', (_, debits, findings) => {
    expect(findExceptions(ledger.slice(0, 1), [paid, ...debits], lenient(10))).toEqual(findings);
  });

  it('tolerates a small excess of refund and chargeback, and reports the full excess beyond', () => {
    const debits = (amount: number) => [paid, taken, chargedBack(amount)];
    expect(findExceptions(ledger, debits(6_010), lenient(10))).toEqual([
      ['CHARGEBACK_OPEN', 6_010],
    ]);
    expect(findExceptions(ledger, debits(6_011), lenient(10))).toEqual([
      ['DOUBLE_DEBIT', 11],
      ['CHARGEBACK_OPEN', 6_011],
    ]);
  });
});

describe('double debits', () => {
  it('accepts a chargeback of exactly the unrefunded remainder', () => {
    expect(findExceptions(ledger, [paid, taken, chargedBack(6_000)])).toEqual([
      ['CHARGEBACK_OPEN', 6_000],
    ]);
  });

  it('does not report a chargeback above the paid amount without a refund', () => {
    expect(findExceptions(ledger.slice(0, 1), [paid, chargedBack(12_000)])).toEqual([
      ['CHARGEBACK_OPEN', 12_000],
    ]);
  });

  it('reports a refund that was posted twice only as a duplicate', () => {
    const again = funding('Refund', 4_000, { transactionId: 'T2', fundedAt: day(23) });
    expect(findExceptions(ledger, [paid, taken, again, chargedBack(6_000)])).toEqual([
      ['DUPLICATE_FUNDING', 4_000],
      ['CHARGEBACK_OPEN', 6_000],
    ]);
  });
});

describe('a chargeback with the id of an unpaid settle', () => {
  const [settle] = ledger.slice(0, 1).map((one) => ({ ...one, occurredAt: day(99) }));
  const of = (type: string, amount: number, at: number) =>
    funding(type, amount, { transactionId: 'T1', fundedAt: day(at) });
  const told = (...fundings: FundingLine[]) => findExceptions(settle ? [settle] : [], fundings);

  it('is a chargeback for a partial amount, before and after the settle is paid', () => {
    const back = of('Chargeback', 6_000, 99);
    expect(told(back)).toEqual([['CHARGEBACK_OPEN', 6_000]]);
    expect(told(back, { ...paid, fundedAt: day(100) })).toEqual([['CHARGEBACK_OPEN', 6_000]]);
    expect(told(back, of('Reversal', 6_000, 100))).toEqual([]);
  });

  it('for the full amount, counts as the settle with a wrong type and as an open chargeback', () => {
    expect(told(of('Chargeback', 10_000, 99))).toEqual([
      ['CHARGEBACK_OPEN', 10_000],
      ['TYPE_MISMATCH', 10_000],
    ]);
  });
});

describe('a refund of status CHARGEBACK', () => {
  const refunded = (transactionId: string | undefined) =>
    funding('Refund', 4_000, { transactionId, status: 'CHARGEBACK', fundedAt: day(22) });

  it.each(['T1', 'T2', 'T9', undefined])('is an open chargeback with the id %s', (id) => {
    const findings = findExceptions(ledger.slice(0, 1), [paid, refunded(id)]);
    expect(findings).toEqual([['CHARGEBACK_OPEN', 4_000]]);
  });

  it('leaves the refund with its id unpaid', () => {
    expect(findExceptions(ledger, [paid, refunded('T2')])).toEqual([
      ['CHARGEBACK_OPEN', 4_000],
      ['REFUND_NOT_TAKEN', 4_000],
    ]);
  });
});

describe('one of several settles, refunded and charged back', () => {
  const other = line('Settle', 20_000, { transactionId: 'T5' });
  const settles = [...ledger.slice(0, 1), other];
  const both = [paid, funding('Settle', 20_000, { transactionId: 'T5' })];
  const of = (type: string, amount: number, at: number) =>
    funding(type, amount, { transactionId: 'T1', fundedAt: day(at) });
  const given = line('Refund', 6_000, { occurredAt: day(20) });

  it('is a double debit even if the order as a whole was overpaid', () => {
    const debits = [of('Refund', 6_000, 22), of('Chargeback', 6_000, 40)];
    expect(findExceptions([...settles, given], [...both, ...debits])).toEqual([
      ['DOUBLE_DEBIT', 2_000],
      ['CHARGEBACK_OPEN', 6_000],
    ]);
    const status = reconcileOrder(order([...settles, given], [...both, ...debits]), policy);
    expect(status.exceptions[0]).toMatchObject({ count: 2, since: day(40) });
  });

  it('is not a double debit if the chargeback was reversed or belongs to another settle', () => {
    const refund = of('Refund', 6_000, 22);
    const reversal = [refund, of('Chargeback', 6_000, 40), of('Reversal', 6_000, 60)];
    expect(findExceptions([...settles, given], [...both, ...reversal])).toEqual([]);
    const apart = [refund, { ...of('Chargeback', 6_000, 40), transactionId: 'T5' }];
    expect(findExceptions([...settles, given], [...both, ...apart])).toEqual([
      ['CHARGEBACK_OPEN', 6_000],
    ]);
  });
});

describe('the date of an exception', () => {
  const since = (...debits: readonly FundingLine[]) =>
    Object.fromEntries(
      reconcileOrder(order(ledger, [paid, taken, ...debits]), policy).exceptions.map((one) => [
        one.code,
        (one.since - day(0)) / (day(1) - day(0)),
      ]),
    );

  it('is the date of the first debit, even if more follow', () => {
    expect(since(chargedBack(6_000, 40), chargedBack(1_000, 50), chargedBack(500, 70))).toEqual({
      CHARGEBACK_OPEN: 40,
      DOUBLE_DEBIT: 50,
    });
    expect(since(reversed(100, 60), reversed(200, 70))).toEqual({ OVER_REVERSED: 60 });
  });

  it('is the date of the latest excess when an earlier excess was corrected', () => {
    const mended = [chargedBack(7_000, 40), reversed(7_000, 60)];
    expect(since(...mended)).toEqual({});
    expect(since(...mended, chargedBack(7_000, 80))).toEqual({
      CHARGEBACK_OPEN: 80,
      DOUBLE_DEBIT: 80,
    });
  });

  it('ignores a reversal that is posted before its chargeback', () => {
    expect(since(reversed(6_000, 30), chargedBack(6_000, 40))).toEqual({});
  });
});
