import { describe, expect, it } from 'vitest';
import { found, lenient } from './found.fixture.ts';
import { day, funding, line, order, policy } from './order.fixture.ts';
import { reconcileOrder } from './order-status.ts';
import type { FundingLine } from './lines.ts';

const books = [
  line('Settle', 10_000, { transactionId: 'T1' }),
  line('Refund', 4_000, { transactionId: 'T2', occurredAt: day(20) }),
];
const paid = funding('Settle', 10_000, { transactionId: 'T1' });
const taken = funding('Refund', 4_000, { transactionId: 'T2', fundedAt: day(22) });
const chargedBack = (amount: number, at = 40) =>
  funding('Chargeback', amount, { fundedAt: day(at) });
const reversed = (amount: number, at = 60) => funding('Reversal', amount, { fundedAt: day(at) });

describe('ten units are let pass', () => {
  it.each([
    ['charged back by 10', [chargedBack(10)], []],
    ['charged back by 11', [chargedBack(11)], [['CHARGEBACK_OPEN', 11]]],
    ['10 more reversed', [chargedBack(6_000), reversed(6_010)], []],
    ['11 more reversed', [chargedBack(6_000), reversed(6_011)], [['OVER_REVERSED', 11]]],
  ])('%s', (_, debits, findings) => {
    expect(found(books.slice(0, 1), [paid, ...debits], lenient(10))).toEqual(findings);
  });

  it('of what is refunded and charged back together, and then all of it is told', () => {
    const debits = (amount: number) => [paid, taken, chargedBack(amount)];
    expect(found(books, debits(6_010), lenient(10))).toEqual([['CHARGEBACK_OPEN', 6_010]]);
    expect(found(books, debits(6_011), lenient(10))).toEqual([
      ['DOUBLE_DEBIT', 11],
      ['CHARGEBACK_OPEN', 6_011],
    ]);
  });
});

describe('taken twice', () => {
  it('is not a chargeback of just what the refund left', () => {
    expect(found(books, [paid, taken, chargedBack(6_000)])).toEqual([['CHARGEBACK_OPEN', 6_000]]);
  });

  it('is not a chargeback of more than was paid, where nothing was refunded', () => {
    expect(found(books.slice(0, 1), [paid, chargedBack(12_000)])).toEqual([
      ['CHARGEBACK_OPEN', 12_000],
    ]);
  });

  it('is not a refund that was posted twice: that is told of itself', () => {
    const again = funding('Refund', 4_000, { transactionId: 'T2', fundedAt: day(23) });
    expect(found(books, [paid, taken, again, chargedBack(6_000)])).toEqual([
      ['DUPLICATE_FUNDING', 4_000],
      ['CHARGEBACK_OPEN', 6_000],
    ]);
  });
});

describe('with the id of a settle that is not paid yet', () => {
  const [settle] = books.slice(0, 1).map((one) => ({ ...one, occurredAt: day(99) }));
  const of = (type: string, amount: number, at: number) =>
    funding(type, amount, { transactionId: 'T1', fundedAt: day(at) });
  const told = (...fundings: FundingLine[]) => found(settle ? [settle] : [], fundings);

  it('a chargeback of a part is that, before the settle is paid as after', () => {
    const back = of('Chargeback', 6_000, 99);
    expect(told(back)).toEqual([['CHARGEBACK_OPEN', 6_000]]);
    expect(told(back, { ...paid, fundedAt: day(100) })).toEqual([['CHARGEBACK_OPEN', 6_000]]);
    expect(told(back, of('Reversal', 6_000, 100))).toEqual([]);
  });

  it('a chargeback of all of it may be the settle under a wrong type, and is open all the same', () => {
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
    const findings = found(books.slice(0, 1), [paid, refunded(id)]);
    expect(findings).toEqual([['CHARGEBACK_OPEN', 4_000]]);
  });

  it('with the id of a refund leaves that refund to be taken', () => {
    expect(found(books, [paid, refunded('T2')])).toEqual([
      ['CHARGEBACK_OPEN', 4_000],
      ['REFUND_NOT_TAKEN', 4_000],
    ]);
  });
});

describe('a settle of several that is refunded and charged back', () => {
  const other = line('Settle', 20_000, { transactionId: 'T5' });
  const settles = [...books.slice(0, 1), other];
  const both = [paid, funding('Settle', 20_000, { transactionId: 'T5' })];
  const of = (type: string, amount: number, at: number) =>
    funding(type, amount, { transactionId: 'T1', fundedAt: day(at) });
  const given = line('Refund', 6_000, { occurredAt: day(20) });

  it('is a double debit, though the order as a whole was paid more', () => {
    const debits = [of('Refund', 6_000, 22), of('Chargeback', 6_000, 40)];
    expect(found([...settles, given], [...both, ...debits])).toEqual([
      ['DOUBLE_DEBIT', 2_000],
      ['CHARGEBACK_OPEN', 6_000],
    ]);
    const status = reconcileOrder(order([...settles, given], [...both, ...debits]), policy);
    expect(status.exceptions[0]).toMatchObject({ count: 2, since: day(40) });
  });

  it('is none where the chargeback was reversed, or is of another settle', () => {
    const refund = of('Refund', 6_000, 22);
    const reversal = [refund, of('Chargeback', 6_000, 40), of('Reversal', 6_000, 60)];
    expect(found([...settles, given], [...both, ...reversal])).toEqual([]);
    const apart = [refund, { ...of('Chargeback', 6_000, 40), transactionId: 'T5' }];
    expect(found([...settles, given], [...both, ...apart])).toEqual([['CHARGEBACK_OPEN', 6_000]]);
  });
});

describe('since when', () => {
  const since = (...debits: readonly FundingLine[]) =>
    Object.fromEntries(
      reconcileOrder(order(books, [paid, taken, ...debits]), policy).exceptions.map((one) => [
        one.code,
        (one.since - day(0)) / (day(1) - day(0)),
      ]),
    );

  it('the first, while more of the same follow', () => {
    expect(since(chargedBack(6_000, 40), chargedBack(1_000, 50), chargedBack(500, 70))).toEqual({
      CHARGEBACK_OPEN: 40,
      DOUBLE_DEBIT: 50,
    });
    expect(since(reversed(100, 60), reversed(200, 70))).toEqual({ OVER_REVERSED: 60 });
  });

  it('the last time, where it was mended in between', () => {
    const mended = [chargedBack(7_000, 40), reversed(7_000, 60)];
    expect(since(...mended)).toEqual({});
    expect(since(...mended, chargedBack(7_000, 80))).toEqual({
      CHARGEBACK_OPEN: 80,
      DOUBLE_DEBIT: 80,
    });
  });

  it('a reversal that is posted before its chargeback is none too many', () => {
    expect(since(reversed(6_000, 30), chargedBack(6_000, 40))).toEqual({});
  });
});
