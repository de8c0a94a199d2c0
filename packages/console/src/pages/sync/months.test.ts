import { expect, it } from 'vitest';
import type { FundingDay } from '@financing-checkout/contract/reconciliation';
import { lastDayOf, monthFrom, stateOf, weeksOf } from './months.ts';

it('starts weeks on Monday and omits days of other months', () => {
  const weeks = weeksOf('2026-02');
  expect(weeks).toHaveLength(5);
  expect(weeks[0]).toEqual([...Array.from({ length: 6 }), '2026-02-01']);
  expect(weeks[4]?.[5]).toBe('2026-02-28');
  expect(weeks[4]?.[6]).toBeUndefined();
  expect(weeksOf('2027-02')).toHaveLength(4);
});

it('handles the ends of months and years, and leap days', () => {
  expect([monthFrom('2026-01', -1), monthFrom('2026-11', 3)]).toEqual(['2025-12', '2027-02']);
  expect([lastDayOf('2028-02'), lastDayOf('2026-12')]).toEqual(['2028-02-29', '2026-12-31']);
});

it('prefers the coverage to the proof for the state of a day', () => {
  const proof = { day: '2026-01-02', state: 'complete' } as FundingDay;
  const coverage = {
    from: '2026-01-01',
    to: '2026-01-03',
    unproven: [{ day: '2026-01-02', state: 'stale', reason: 'read before the day ended' }],
  };
  const proofs = new Map([[proof.day, proof]]);
  expect(stateOf('2026-01-02', coverage, proofs)).toMatchObject({ state: 'stale', proof });
  expect(stateOf('2026-01-02', { ...coverage, unproven: [] }, proofs).state).toBe('complete');
  expect(stateOf('2026-01-03', coverage, proofs).state).toBe('never read');
  expect(stateOf('2026-01-04', coverage, proofs).state).toBe('outside');
});
