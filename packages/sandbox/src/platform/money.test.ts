import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_MINOR_UNITS, toMinorUnits, toWireAmount } from './money.ts';

describe('money on the wire', () => {
  it('round-trips without a change, for every number of decimal places', () => {
    const currency = fc.constantFrom('USD', 'JPY', 'KWD', 'CLF');
    const amount = fc.integer({ min: -MAX_MINOR_UNITS, max: MAX_MINOR_UNITS });
    fc.assert(
      fc.property(amount, currency, (minor, code) => {
        const sent = JSON.parse(JSON.stringify(toWireAmount(minor, code))) as number;
        expect(toMinorUnits(sent, code)).toBe(minor === 0 ? 0 : minor);
      }),
    );
  });

  it.each([
    [0.1 + 0.2, 'USD', /more decimals/],
    [1.5, 'JPY', /more decimals/],
    [1e21, 'USD', /larger/],
    [1e300, 'USD', /larger/],
    [Number.NaN, 'USD', /decimal number/],
    [1, 'ABC', /ISO 4217/],
  ])('rejects %d %s instead of rounding', (amount, currency, reason) => {
    expect(toMinorUnits(amount, currency)).toMatch(reason);
  });
});
