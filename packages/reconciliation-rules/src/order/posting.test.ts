import { describe, expect, it } from 'vitest';
import type { FundingLine } from './lines.ts';
import { day, funding, line, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';
import { postingsOf } from './posting.ts';

const settle = line('Settle', 10_000, { transactionId: 'T1' });
const found = (...fundings: FundingLine[]) =>
  reconcileOrder(order([settle], fundings), policy).exceptions.map(({ code, amount }) => [
    code,
    amount,
  ]);

describe('the sign of a refund', () => {
  it.each([
    ['transaction', { transactionId: 'T2' }],
    ['merchant’s transaction', { merchantTransactionId: 'M2' }],
    ['lender’s reference', { lenderReferenceId: 'R2' }],
  ])('is corrected by the opposite sign of a posting with the same %s', (_, id) => {
    const ledger = [settle, line('Refund', 3_000, { transactionId: 'T2' })];
    const paid = funding('Settle', 10_000, { transactionId: 'T1' });
    const taken = [3_000, -3_000].map((amount) => funding('Refund', amount, id));
    expect(reconcileOrder(order(ledger, [paid, ...taken]), policy)).toMatchObject({
      returns: 'NONE',
      funded: { settle: 10_000, refund: 0 },
      net: 9_710,
    });
  });

  it('is determined separately for each refund without ids', () => {
    const taken = [3_000, -2_000].map((amount) =>
      funding('Refund', amount, { lenderReferenceId: undefined }),
    );
    expect(reconcileOrder(order([settle], taken), policy).funded.refund).toBe(5_000);
  });

  it('stays unchanged for an unknown type', () => {
    const unknown = funding('Adjustment', -1_000, { transactionId: 'T3' });
    const taken = funding('Refund', -3_000, { transactionId: 'T2' });
    const { net, exceptions } = reconcileOrder(order([settle], [unknown, taken]), policy);
    expect(net).toBe(-971 - 2_913);
    expect(exceptions).toContainEqual(
      expect.objectContaining({ code: 'UNKNOWN_TYPE', amount: -1_000 }),
    );
  });

  it('stays unchanged when two postings are a correction: the chargeback precedes its reversal', () => {
    const posted = (amount: number, transactionId: string, at: number) =>
      funding('Chargeback', amount, { transactionId, fundedAt: day(at) });
    const { exceptions } = reconcileOrder(
      order(
        [line('Settle', 20_000, { transactionId: 'T1' })],
        [
          funding('Settle', 20_000, { transactionId: 'T1' }),
          posted(6_000, 'T3', 40),
          posted(5_000, 'T4', 50),
          posted(-6_000, 'T3', 60),
        ],
      ),
      policy,
    );
    expect(exceptions).toEqual([
      { code: 'CHARGEBACK_OPEN', amount: 5_000, count: 3, since: day(40) },
    ]);
  });
});

describe('repeated lines', () => {
  it('keep their latest version, whichever page has it', () => {
    const before = funding('Settle', 9_000, { transactionId: 'T1' });
    const after = { ...funding('Settle', 10_000, { transactionId: 'T1' }), id: before.id };
    const newer = { ...after, updatedAt: day(13) };
    expect(found(before, newer)).toEqual([]);
    expect(found(newer, before)).toEqual([]);
  });

  const posted = { lenderReferenceId: 'R', fundedAt: day(12) };
  const missing = (other: Partial<FundingLine> = {}) =>
    funding('Settle', 10_000, { ...posted, status: 'MISSING', ...other });
  const matched = funding('Settle', 10_000, { ...posted, transactionId: 'T1' });

  it.each([
    ['another reference', 10_000, missing({ lenderReferenceId: 'R2' })],
    ['another day', 10_000, missing({ fundedAt: day(13) })],
    ['another amount', 9_000, { ...missing(), transactionAmount: 9_000, netAmount: 8_710 }],
    ['another type', 10_000, missing({ transactionType: 'Chargeback' })],
    ['a transaction of its own', 10_000, missing({ transactionId: 'T9' })],
  ])('include no MISSING posting with %s', (_, amount, other) => {
    expect(found(matched, other)).toContainEqual(['MISSING_IN_SERVICE', amount]);
  });

  it.each([undefined, ''])('are not recognized without a reference: %s', (none) => {
    const reference = { lenderReferenceId: none };
    const findings = found({ ...matched, ...reference }, missing(reference));
    expect(findings).toContainEqual(['MISSING_IN_SERVICE', 10_000]);
  });

  it('replace one MISSING posting per matched posting, and keep a second one', () => {
    expect(found(matched, missing())).toEqual([]);
    expect(found(matched, missing(), missing())).toEqual([
      ['DUPLICATE_FUNDING', 10_000],
      ['MISSING_IN_SERVICE', 10_000],
    ]);
  });
});

describe('the order of fundings', () => {
  // Each later field favors the second funding.
  const first = {
    fundedAt: day(12),
    lenderReferenceId: 'R1',
    transactionId: 'T1',
    transactionType: 'Refund',
    transactionAmount: 100,
    id: 'F1',
  };
  const second = {
    fundedAt: day(13),
    lenderReferenceId: 'R2',
    transactionId: 'T2',
    transactionType: 'Settle',
    transactionAmount: 200,
    id: 'F2',
  };
  const keys = Object.keys(first) as (keyof typeof first)[];

  it.each(keys.map((key, index) => [key, keys.slice(0, index)] as const))(
    'depends on %s when all earlier fields are equal',
    (key, same) => {
      const alike = Object.fromEntries(same.map((name) => [name, first[name]]));
      const one = funding('Settle', 1, { ...second, ...alike, [key]: first[key] });
      const other = funding('Settle', 1, { ...first, [key]: second[key] });
      for (const fundings of [
        [one, other],
        [other, one],
      ]) {
        expect(postingsOf(fundings).map((posting) => posting.funding)).toEqual([one, other]);
      }
    },
  );

  it('is by code unit in every locale', () => {
    const named = ['b', 'B', 'ä', 'a'].map((lenderReferenceId) =>
      funding('Settle', 1, { lenderReferenceId }),
    );
    const sorted = postingsOf(named).map((posting) => posting.funding.lenderReferenceId);
    expect(sorted).toEqual(['B', 'a', 'b', 'ä']);
  });

  it('makes the later posting the duplicate', () => {
    const paid = (lenderReferenceId: string, at: number) =>
      funding('Settle', 10_000, { transactionId: 'T1', lenderReferenceId, fundedAt: day(at) });
    const lines = order([settle], [paid('R1', 30), paid('R9', 12)]);
    expect(reconcileOrder(lines, policy).exceptions).toMatchObject([
      { code: 'DUPLICATE_FUNDING', since: day(30) },
    ]);
  });
});
