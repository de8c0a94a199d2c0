import { fromMajorUnits, toMajorUnits } from '@financing-checkout/contract/money';
import { ZonedTime } from '@financing-checkout/reconciliation-rules/calendar';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainAmount } from './amounts.ts';
import { plainDate } from './dates.ts';

test.each([
  ['comma', '12,34', '12.34'],
  ['comma', '1.234,50', '1234.50'],
  ['comma', '1 234 567,5', '1234567.5'],
  ['comma', '1\u202f234', '1234'],
  ['comma', '1.234', '1234'],
  ['comma', '-0,05', '-0.05'],
  ['comma', '1.234,50-', '-1234.50'],
  ['comma', '−1.234,50', '-1234.50'],
  ['point', '(1,234.50)', '-1234.50'],
  ['point', '1,234.50', '1234.50'],
  ['point', '1’234.50', '1234.50'],
  ['point', '1234', '1234'],
] as const)('with a %s before decimals, %s is %s', (decimal, text, plain) => {
  expect(plainAmount(text, { decimal })).toBe(plain);
});

test.each([
  ['comma', '12.34'],
  ['comma', '1.2345'],
  ['comma', '12.34.567'],
  ['comma', '1.234 567,00'],
  ['comma', '1234.567,00'],
  ['comma', '-12,00-'],
  ['comma', '(12,00'],
  ['comma', '12,00)'],
  ['comma', '(-12,00)'],
  ['comma', '-12,00)'],
  ['comma', '0.500'],
  ['comma', '012.500'],
  ['comma', '12,'],
  ['comma', '1,234,567'],
  ['comma', '12,00 €'],
  ['point', '12,34'],
  ['point', '1,234,56'],
  ['point', '--1'],
] as const)('with a %s before decimals, %s is no amount', (decimal, text) => {
  expect(plainAmount(text, { decimal })).toBeUndefined();
});

test('parses the notations of many countries to the cent', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -99_999_999_999_999, max: 99_999_999_999_999 }),
      fc.constantFrom(
        ['de-DE', 'comma'],
        ['fr-FR', 'comma'],
        ['es-ES', 'comma'],
        ['pt-BR', 'comma'],
        ['en-US', 'point'],
        ['de-CH', 'point'],
        ['sv-SE', 'comma'],
      ),
      fc.constantFrom('EUR', 'JPY', 'KWD'),
      (value, [country, decimal], currency) => {
        const text = toMajorUnits({ value, currency });
        const digits = (text.split('.')[1] ?? '').length;
        const written = new Intl.NumberFormat(country, {
          minimumFractionDigits: digits,
          maximumFractionDigits: digits,
        }).format(text as `${number}`);
        const plain = plainAmount(written, { decimal });
        expect(fromMajorUnits(plain ?? '', currency).value).toBe(value);
      },
    ),
  );
});

test.each([
  ['dmy', '31.12.2026', '2026-12-31'],
  ['dmy', '1.2.2026', '2026-02-01'],
  ['dmy', '01/02/2026 14:05', '2026-02-01 14:05'],
  ['dmy', '1-2-2026, 9:05:33', '2026-02-01 09:05:33'],
  ['mdy', '12/31/2026', '2026-12-31'],
  ['mdy', '1/2/2026 2:05 PM', '2026-01-02 14:05'],
  ['mdy', '1/2/2026 12:05 am', '2026-01-02 00:05'],
  ['mdy', '1/2/2026 12:05:01 p.m.', '2026-01-02 12:05:01'],
  ['dmy', '2026-01-31T12:00:00Z', '2026-01-31 12:00:00Z'],
] as const)('with %s, %s is %s', (dates, text, plain) => {
  expect(plainDate(text, { dates })?.text).toBe(plain);
});

test.each([
  ['dmy', '12/31/2026'],
  ['mdy', '31.12.2026'],
  // Notations with the month first do not use dots.
  ['mdy', '1.2.2026'],
  ['dmy', '31.12/2026'],
  ['dmy', '30.2.2026'],
  ['mdy', '1/2/2026 13:05 PM'],
  ['mdy', '1/2/2026 0:05 AM'],
  ['dmy', '1.2.2026 25:00'],
  [undefined, '1.2.2026'],
] as const)('with %s, %s is no date', (dates, text) => {
  expect(new ZonedTime('UTC').read(plainDate(text, { dates })?.text ?? '')).toBeUndefined();
});
