import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findExceptions } from '../exceptions.fixture.ts';
import { DAY, day, funding, line, order, policy } from '../order.fixture.ts';
import { reconcileOrder } from '../status/order-status.ts';
import type { Policy, SlaDays } from '../order/lines.ts';
import { fittingContracts } from './contract.ts';
import { dueOf } from './due-day.ts';
import { lenderOf } from './lender.ts';
import { share } from './share.ts';

const settle = line('Settle', 9_999, { transactionId: 'T1' });
const part = (amount: number, lenderName: string, at = 12) =>
  funding('Settle', amount, {
    transactionId: 'T1',
    lenderName,
    fundedAt: day(at),
    status: 'AMOUNT_MISMATCH',
  });

describe('the name of a lender', () => {
  it.each(['constructor', 'toString', '__proto__'])('may be %s', (name) => {
    expect(lenderOf(name, policy)).toBe(name);
    expect(findExceptions([settle], [part(5_000, name)])).toEqual([['AMOUNT_MISMATCH', -4_999]]);
  });

  it('follows aliases and stops at a cycle', () => {
    const aliases = { Q: 'Quill', Quill: 'Quillmoor', Quillmoor: 'Quillmoor' };
    expect(lenderOf('Q', { aliases })).toBe('Quillmoor');
    // A cycle ends at one of its names.
    expect(['A', 'B']).toContain(lenderOf('A', { aliases: { A: 'B', B: 'A' } }));
  });
});

describe('the days a lender may take', () => {
  const slaDays = { default: 2, lenders: { Quillmoor: 3, Tamberley: 95 } };

  it.each([
    ['Quillmoor', 'Tamberley'],
    ['Tamberley', 'Quillmoor'],
  ])('are the days of the slower lender for %s and %s', (first, second) => {
    const half = order([settle], [part(4_000, first, 11), part(4_000, second, 12)]);
    expect(reconcileOrder(half, { ...policy, contracts: [], slaDays })).toMatchObject({
      exceptions: [],
      awaiting: 1_999,
      recheckAt: day(10 + 95 + 1),
    });
  });
});

describe('days of a zone', () => {
  const due = (at: string, days: number, slaDays: Partial<SlaDays> = {}) =>
    new Date(
      dueOf(Date.parse(at), days, {
        default: 5,
        lenders: {},
        zone: 'America/New_York',
        ...slaDays,
      }),
    ).toISOString();

  it.each([
    // 23:30 on the last day of October; November 1 has 25 hours.
    ['2026-11-01T03:30:00.000Z', 1, '2026-11-01T04:00:00.000Z'],
    ['2026-11-01T04:00:00.000Z', 1, '2026-11-02T05:00:00.000Z'],
    ['2026-11-02T04:30:00.000Z', 1, '2026-11-02T05:00:00.000Z'],
    // March 8 has 23 hours.
    ['2026-03-08T04:30:00.000Z', 1, '2026-03-08T05:00:00.000Z'],
    ['2026-03-09T03:30:00.000Z', 1, '2026-03-09T04:00:00.000Z'],
  ])('a settle at %s with %i days is due on the day that starts at %s', (at, days, start) => {
    expect(due(at, days)).toBe(start);
  });

  it('skip weekends and holidays of the zone', () => {
    // 23:30 on Friday, which is Saturday in UTC.
    expect(due('2026-11-07T04:30Z', 1, { businessDays: true })).toBe('2026-11-09T05:00:00.000Z');
    const holidays = [Date.parse('2026-11-09')];
    expect(due('2026-11-07T04:30Z', 1, { businessDays: true, holidays })).toBe(
      '2026-11-10T05:00:00.000Z',
    );
  });

  it('end with the day of the zone, after 23 or 25 hours', () => {
    const slaDays = { default: 0, lenders: {}, zone: 'America/New_York' };
    for (const [at, end] of [
      ['2026-11-02T04:30Z', '2026-11-02T05:00Z'],
      ['2026-03-09T03:30Z', '2026-03-09T04:00Z'],
    ] as const) {
      const late = Date.parse(end);
      const lines = order([line('Settle', 100, { occurredAt: Date.parse(at) })], []);
      const before = reconcileOrder(lines, { ...policy, slaDays, now: late - 1 });
      expect(before).toMatchObject({ exceptions: [], recheckAt: late });
      const after = reconcileOrder(lines, { ...policy, slaDays, now: late });
      expect(after.exceptions).toMatchObject([{ code: 'MISSING_AT_LENDER' }]);
    }
  });
});

describe('business days', () => {
  const iso = (text: string) => Date.parse(text);
  const due = (from: string, days: number, slaDays: Partial<SlaDays> = {}) =>
    new Date(
      dueOf(iso(from), days, { default: 5, lenders: {}, businessDays: true, ...slaDays }),
    ).toISOString();

  it.each([
    // November 6, 2026 is a Friday.
    ['2026-11-06T23:59:59.999Z', 1, '2026-11-09'],
    ['2026-11-06T10:00:00.000Z', 5, '2026-11-13'],
    ['2026-11-07T00:00:00.000Z', 1, '2026-11-09'],
    ['2026-11-08T12:00:00.000Z', 2, '2026-11-10'],
    ['2026-11-06T10:00:00.000Z', 0, '2026-11-06'],
    ['2026-11-07T10:00:00.000Z', 0, '2026-11-09'],
    ['2026-11-09T10:00:00.000Z', 10, '2026-11-23'],
  ])('a settle on %s with %i days is due on %s', (from, days, day) => {
    expect(due(from, days)).toBe(`${day}T00:00:00.000Z`);
  });

  it('skip holidays, and include every day without the option', () => {
    const holidays = [iso('2026-12-24'), iso('2026-12-25'), iso('2026-12-26')];
    expect(due('2026-12-23T10:00Z', 1, { holidays })).toBe('2026-12-28T00:00:00.000Z');
    expect(due('2026-12-25T10:00Z', 0, { holidays })).toBe('2026-12-28T00:00:00.000Z');
    expect(due('2026-12-23T10:00Z', 1, { holidays, businessDays: false })).toBe(
      '2026-12-24T00:00:00.000Z',
    );
  });

  it('property: the agreed number of business days passes, and the last day is one of them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5_000 * DAY }),
        fc.nat({ max: 40 }),
        fc.array(fc.nat({ max: 5_050 }), { maxLength: 30 }),
        (at, days, free) => {
          const holidays = free.map((count) => count * DAY);
          const end = dueOf(at, days, { default: 5, lenders: {}, businessDays: true, holidays });
          let open = 0;
          const isOpen = (day: number) =>
            !['Sat', 'Sun'].includes(new Date(day).toUTCString().slice(0, 3)) &&
            !holidays.includes(day);
          const begun = Math.floor(at / DAY) * DAY;
          for (let day = begun + DAY; day <= end; day += DAY) if (isOpen(day)) open += 1;
          expect(isOpen(end)).toBe(true);
          expect(open).toBe(days > 0 ? days : Number(!isOpen(begun)));
        },
      ),
    );
  });

  it('determine when an order is late', () => {
    // Day 10 of the tests, January 11, 2026, is a Sunday; days 16 and 17 are a weekend.
    const slaDays = { default: 5, lenders: {}, businessDays: true };
    const [friday, monday] = [day(15), day(18)];
    const at = (moment: number) =>
      reconcileOrder(order([settle], []), { ...policy, slaDays, now: moment });
    expect(at(friday + DAY - 1)).toMatchObject({ exceptions: [], recheckAt: friday + DAY });
    expect(at(friday + DAY).exceptions).toMatchObject([{ code: 'MISSING_AT_LENDER' }]);
    const holidays = [friday];
    const later = { ...slaDays, holidays };
    expect(
      reconcileOrder(order([settle], []), { ...policy, slaDays: later, now: friday + DAY }),
    ).toMatchObject({ exceptions: [], recheckAt: monday + DAY });
  });
});

describe('tolerance', () => {
  const share10: Policy = { ...policy, tolerance: { minorUnits: 0, basisPoints: 10 } };

  it('is rounded down: a thousandth of 9,999 is 9', () => {
    expect(findExceptions([settle], [part(9_990, 'Quillmoor')], share10)).toEqual([]);
    expect(findExceptions([settle], [part(9_989, 'Quillmoor')], share10)).toEqual([
      ['AMOUNT_MISMATCH', -10],
    ]);
  });

  it('is a share of the settled amount, regardless of refunds', () => {
    const ledger = [
      line('Settle', 10_000, { transactionId: 'T1' }),
      line('Refund', 4_000, { transactionId: 'T2' }),
    ];
    const taken = (amount: number) => [
      funding('Settle', 10_000, { transactionId: 'T1' }),
      funding('Refund', amount, { transactionId: 'T2' }),
    ];
    expect(findExceptions(ledger, taken(3_990), share10)).toEqual([]);
    expect(findExceptions(ledger, taken(3_988), share10)).toEqual([['AMOUNT_MISMATCH', -12]]);
  });
});

describe('the applicable contract', () => {
  const rate = (basisPoints: number) => ({ basisPoints, returnedOnRefund: true });

  it('applies to the lender under any of its names', () => {
    const contracts = [{ lender: 'Quillmoor Fin.', ...rate(290) }];
    const aliases = { 'Quillmoor Fin.': 'Quillmoor', 'Quillmoor Ltd': 'Quillmoor' };
    for (const lenderName of ['Quillmoor', 'Quillmoor Fin.', 'Quillmoor Ltd']) {
      expect(fittingContracts({ lenderName }, { contracts, aliases })).toEqual(contracts);
    }
    expect(fittingContracts({ lenderName: 'Tamberley' }, { contracts, aliases })).toEqual([]);
  });

  it('prefers the promo code, even if the contract with the product started later', () => {
    const byProduct = { lender: 'Quillmoor', productType: 'LOAN', ...rate(300), from: day(1) };
    const byPromo = { lender: 'Quillmoor', promoCode: 'SPRING', ...rate(200) };
    const both = { ...byProduct, promoCode: 'SPRING' };
    const contracts = [byProduct, byPromo, both];
    const lines = { lenderName: 'Quillmoor', productType: 'LOAN', promoCode: 'SPRING' };
    expect(fittingContracts(lines, { ...policy, contracts })).toEqual([both, byPromo, byProduct]);
  });
});

describe('a share of an amount', () => {
  it.each([
    [50, 1],
    [5_000_000_050, 145_000_001],
    [500_000_000_050, 14_500_000_001],
  ])('of %i, and of its reversal, is %i', (amount, whole) => {
    expect(share(amount, 290, 'half-up')).toBe(whole);
    expect(share(-amount, 290, 'half-up')).toBe(-whole);
  });
});
