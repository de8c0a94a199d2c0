import { describe, expect, it, test } from 'vitest';
import type { FundingLine, LedgerLine } from '../order/lines.ts';
import { DAY, day, funding, line, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';

/** A tolerance of four units, once per order. */
const lenient = { ...policy, tolerance: { minorUnits: 4, basisPoints: 0 }, contracts: [] };
const judged = (
  ledger: readonly LedgerLine[],
  fundings: readonly FundingLine[],
  at = lenient.now,
) => reconcileOrder(order(ledger, fundings), { ...lenient, now: at });

const settle = (transactionId: string, occurredAt = day(10)) =>
  line('Settle', 10_000, { transactionId, occurredAt });
const paid = (transactionId: string, amount: number, fundedAt = day(12)) =>
  funding('Settle', amount, { transactionId, fundedAt });
const refund = (transactionId: string, occurredAt = day(20)) =>
  line('Refund', 1_000, { transactionId, occurredAt });
const taken = (transactionId: string, amount: number, fundedAt = day(22)) =>
  funding('Refund', amount, { transactionId, fundedAt });

describe('differences that are tolerated individually but not in sum', () => {
  it('are OVER_FUNDED as of the last of their postings, excluding exact payments', () => {
    const fundings = [
      paid('T1', 10_003, day(30)),
      paid('T2', 10_003, day(20)),
      paid('T3', 10_000, day(40)),
    ];
    expect(
      judged(
        ['T1', 'T2', 'T3'].map((id) => settle(id)),
        fundings,
      ).exceptions,
    ).toEqual([{ code: 'OVER_FUNDED', amount: 6, count: 2, since: day(30) }]);
  });

  it('include a funding of a few units that is not in the ledger', () => {
    const extra = paid('T9', 3, day(50));
    expect(judged([settle('T1')], [paid('T1', 10_000), extra]).exceptions).toEqual([]);
    expect(judged([settle('T1')], [paid('T1', 10_003), extra]).exceptions).toEqual([
      { code: 'OVER_FUNDED', amount: 6, count: 2, since: day(50) },
    ]);
  });

  it('add no exception to an order that is not in the ledger', () => {
    const [few, again] = [paid('T8', 3, day(50)), paid('T9', 3, day(51))];
    expect(judged([], [few, again]).exceptions).toEqual([
      { code: 'NOT_IN_LEDGER', amount: 6, count: 2, since: day(50) },
    ]);
    const [taken1, taken2] = [taken('T8', 3), taken('T9', 3)];
    expect(judged([], [paid('T1', 10_000), taken1, taken2]).exceptions).toEqual([
      { code: 'NOT_IN_LEDGER', amount: 10_000, count: 3, since: day(12) },
    ]);
  });

  it('exclude a funding unknown to the service, which has its own exception', () => {
    const extra = funding('Settle', 3, { status: 'MISSING' });
    expect(judged([settle('T1')], [paid('T1', 10_003), extra]).exceptions).toMatchObject([
      { code: 'MISSING_IN_SERVICE', amount: 3 },
    ]);
  });

  it('are awaited until the last one is late, and are a mismatch from then on', () => {
    const ledger = [settle('T1', day(90)), settle('T2', day(91))];
    const fundings = [paid('T1', 9_997, day(91)), paid('T2', 9_997, day(92))];
    const late = day(93) + DAY;
    expect(judged(ledger, fundings, late - 1)).toMatchObject({
      exceptions: [],
      awaiting: 6,
      recheckAt: late,
    });
    expect(judged(ledger, fundings, late)).toMatchObject({
      exceptions: [{ code: 'AMOUNT_MISMATCH', amount: -6, count: 2, since: day(93) }],
      awaiting: 0,
      recheckAt: undefined,
    });
  });

  test.each([
    [1_003, [{ code: 'REFUND_NOT_IN_LEDGER', amount: 6, count: 2, since: day(22) }]],
    [1_002, []],
    [998, []],
    [997, [{ code: 'REFUND_NOT_TAKEN', amount: 6, count: 2, since: day(22) }]],
  ])('apply to two refunds of 1,000 that were posted as %i', (amount, exceptions) => {
    const ledger = [settle('T1'), refund('T2'), refund('T3')];
    const fundings = [paid('T1', 10_000), taken('T2', amount), taken('T3', amount)];
    expect(judged(ledger, fundings).exceptions).toEqual(exceptions);
  });

  it('do not count as awaited money when they are refunds that are not late', () => {
    const ledger = [settle('T1'), refund('T2', day(98)), refund('T3', day(98))];
    const fundings = [paid('T1', 10_000), taken('T2', 997, day(99)), taken('T3', 997, day(99))];
    expect(judged(ledger, fundings)).toMatchObject({
      exceptions: [],
      awaiting: 0,
      recheckAt: day(101),
    });
  });
});

it('a settle with only negative postings is short by more than its amount', () => {
  expect(judged([settle('T1')], [paid('T1', -500)])).toMatchObject({
    funding: 'UNFUNDED',
    exceptions: [{ code: 'AMOUNT_MISMATCH', amount: -10_500, count: 1, since: day(12) }],
  });
});
