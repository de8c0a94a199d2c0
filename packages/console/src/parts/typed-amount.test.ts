import { describe, expect, test } from 'vitest';
import { readAmount } from './typed-amount.ts';

describe('readAmount', () => {
  test.each([
    ['945.63', 2, 'en-US', 94_563],
    [' 1,234.5 ', 2, 'en-US', 123_450],
    ['1234567.89', 2, 'en-US', 123_456_789],
    ['0.29', 2, 'en-US', 29],
    ['5', 2, 'en-US', 500],
    ['5.', 2, 'en-US', 500],
    ['12.00', 0, 'en-US', 12],
    ['1.234,50', 2, 'de-DE', 123_450],
    ['1.500', 2, 'de-DE', 150_000],
    ['1 234,50', 2, 'fr-FR', 123_450],
    ['1\u202F234,50', 2, 'fr-FR', 123_450],
    ["1'234.50", 2, 'de-CH', 123_450],
    ['12,34,567.00', 2, 'en-IN', 123_456_700],
    ['1234', 0, 'ja-JP', 1_234],
    ['1.2345', 4, 'en-US', 12_345],
    ['90071992547409.91', 2, 'en-US', Number.MAX_SAFE_INTEGER],
  ])('reads %j with %i decimals in %s', (text, decimals, locale, minor) => {
    expect(readAmount(text, decimals, locale)).toBe(minor);
  });

  test.each([
    ['', 2, 'en-US', 'missing'],
    ['  ', 2, 'en-US', 'missing'],
    ['1.50', 2, 'de-DE', 'unreadable'],
    ['1,50', 2, 'en-US', 'unreadable'],
    ['1,2345.00', 2, 'en-US', 'unreadable'],
    ['1.2.3', 2, 'en-US', 'unreadable'],
    ['-5', 2, 'en-US', 'unreadable'],
    ['+5', 2, 'en-US', 'unreadable'],
    ['1e3', 2, 'en-US', 'unreadable'],
    ['$5', 2, 'en-US', 'unreadable'],
    ['.50', 2, 'en-US', 'unreadable'],
    ['90071992547409.92', 2, 'en-US', 'unreadable'],
    ['1.005', 2, 'en-US', 'too-precise'],
    ['1.5', 0, 'en-US', 'too-precise'],
  ])('refuses %j with %i decimals in %s: %s', (text, decimals, locale, problem) => {
    expect(readAmount(text, decimals, locale)).toBe(problem);
  });
});
