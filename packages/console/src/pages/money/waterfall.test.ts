import { describe, expect, it } from 'vitest';
import { setZone } from '../../locale/locale.ts';
import { lastFullMonth, monthOf, periodOf } from './period.ts';
import { barsOf, type Statement } from './waterfall.ts';

const statement: Statement = {
  currency: 'EUR',
  opening: 1000,
  expected: 20_000,
  awaiting: -3000,
  short: -60,
  accepted: -40,
  over: 50,
  refunds: -2000,
  chargebacks: -700,
  reversals: 700,
  duplicates: 400,
  other: 0,
  discount: -800,
  net: 15_550,
  unexplained: 0,
};

describe('the waterfall', () => {
  it('starts each step where the previous one ends, down to the net amount', () => {
    const bars = barsOf(statement);
    const steps = bars.slice(0, -2);
    for (const [index, bar] of steps.entries()) {
      expect(bar.from).toBe(steps[index - 1]?.to ?? 0);
      expect(bar.to - bar.from).toBe(bar.amount);
    }
    expect(steps.at(-1)?.to).toBe(statement.net);
    expect(bars.at(-2)).toMatchObject({ step: 'net', from: 0, to: 15_550, kind: 'total' });
    expect(bars.at(-1)).toMatchObject({ step: 'unexplained', from: 15_550, to: 15_550 });
  });

  it('shows the unexplained amount between the steps and the net amount', () => {
    const bars = barsOf({ ...statement, net: 15_500, unexplained: -50 });
    expect(bars.at(-3)?.to).toBe(15_550);
    expect(bars.at(-1)).toMatchObject({ from: 15_550, to: 15_500, amount: -50, kind: 'rest' });
  });
});

describe('the period', () => {
  it.each([
    ['UTC', '2026-01-15T12:00:00.000Z', '2025-12-01', '2025-12-31'],
    // 23:30 on the last day of the month.
    ['America/New_York', '2026-04-01T03:30:00.000Z', '2026-02-01', '2026-02-28'],
    // The clocks change on the first day of November.
    ['America/New_York', '2026-11-01T04:00:00.000Z', '2026-10-01', '2026-10-31'],
    ['Pacific/Kiritimati', '2026-02-28T10:00:00.000Z', '2026-02-01', '2026-02-28'],
  ])('is the last full month of %s by default, at %s', (zone, now, from, to) => {
    setZone(zone);
    expect(lastFullMonth(new Date(now))).toEqual({ from, to });
    expect(periodOf({ lender: 'x' }, new Date(now))).toEqual({ from, to });
  });

  it('comes from the URL, even when only one bound is set', () => {
    expect(periodOf({ from: '2026-01-05' })).toEqual({ from: '2026-01-05' });
  });

  it('shifts by whole months', () => {
    expect(monthOf('2026-01-31', 1)).toEqual({ from: '2026-02-01', to: '2026-02-28' });
    expect(monthOf('2026-01-31', -1)).toEqual({ from: '2025-12-01', to: '2025-12-31' });
  });
});
