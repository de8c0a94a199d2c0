import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { currencySchema, moneySchema } from '../storefront/money-schema.ts';
import {
  currencies as table,
  fromMajorUnits,
  isCurrency,
  isCurrencyOn,
  MAX_MINOR_UNITS,
  minorUnitDigits,
  MoneyError,
  toMajorUnits,
} from './money.ts';

const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
const currencies = letters
  .flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
  .filter(isCurrency);

const currency = fc.constantFrom(...table.keys());
const minorUnits = fc.oneof(
  fc.integer({ min: -MAX_MINOR_UNITS, max: MAX_MINOR_UNITS }),
  fc.integer({ min: -100_000, max: 100_000 }),
  fc.constantFrom(0, 1, -1, MAX_MINOR_UNITS, -MAX_MINOR_UNITS, 2 ** 31, 2 ** 32 + 1),
);

/** Returns the code of a conversion's MoneyError; fails the test without one. */
function failure(convert: () => unknown): MoneyError['code'] {
  try {
    convert();
  } catch (error) {
    if (error instanceof MoneyError) return error.code;
    throw error;
  }
  throw new Error('It did not fail.');
}

describe('an amount keeps its value in a round trip', () => {
  it('through decimal text and back, in every currency', () => {
    fc.assert(
      fc.property(minorUnits, currency, (value, currency) => {
        const money = { value: value === 0 ? 0 : value, currency };
        expect(fromMajorUnits(toMajorUnits(money), currency)).toEqual(money);
      }),
      { numRuns: 2000 },
    );
  });

  it('through a JSON number and back, as the service writes it', () => {
    fc.assert(
      fc.property(minorUnits, currency, (value, currency) => {
        const money = { value: value === 0 ? 0 : value, currency };
        const wire = JSON.parse(`{"amount":${toMajorUnits(money)}}`) as { amount: number };
        expect(fromMajorUnits(wire.amount, currency)).toEqual(money);
        const again = JSON.parse(JSON.stringify(wire)) as { amount: number };
        expect(fromMajorUnits(again.amount, currency)).toEqual(money);
      }),
      { numRuns: 2000 },
    );
  });

  it('written with trailing zeros or an exponent', () => {
    fc.assert(
      fc.property(minorUnits, currency, fc.nat(8), fc.nat(6), (value, currency, zeros, shift) => {
        const money = { value: value === 0 ? 0 : value, currency };
        const text = toMajorUnits(money);
        const point = text.includes('.') ? '' : '.0';
        expect(fromMajorUnits(text + point + '0'.repeat(zeros), currency)).toEqual(money);
        const digits = minorUnitDigits(currency) + shift;
        const scaled = `${value}${'0'.repeat(shift)}e-${digits}`;
        expect(fromMajorUnits(scaled, currency)).toEqual(money);
      }),
    );
  });

  // Each of these is off by one when read as Math.trunc(amount * 100).
  test.each([
    [5872.01, 587_201],
    [1.15, 115],
    [4.35, 435],
    [8.2, 820],
    [19.99, 1999],
    [1001.1, 100_110],
    [1.005e3, 100_500],
    [999_999_999_999.99, 99_999_999_999_999],
  ])('%d USD is %i cents, without binary rounding errors', (amount, cents) => {
    expect(fromMajorUnits(amount, 'USD')).toEqual({ value: cents, currency: 'USD' });
  });

  test.each([
    ['1.5e3', 'USD', 150_000],
    ['1.5E+3', 'USD', 150_000],
    ['150000e-3', 'USD', 15_000],
    ['0e99', 'USD', 0],
    ['-0', 'USD', 0],
    [-0, 'USD', 0],
    ['-12.34', 'USD', -1234],
    [-0.01, 'USD', -1],
    ['500', 'JPY', 500],
    ['500.00', 'JPY', 500],
    ['1.234', 'KWD', 1234],
    ['1.2345', 'CLF', 12_345],
    ['0012.30', 'EUR', 1230],
  ])('%s %s is %i', (amount, currency, value) => {
    const money = fromMajorUnits(amount, currency);
    expect(money).toEqual({ value, currency });
    expect(Object.is(money.value, -0)).toBe(false);
  });

  test.each([
    [9999, 'USD', '99.99'],
    [5, 'USD', '0.05'],
    [0, 'USD', '0.00'],
    [-5, 'USD', '-0.05'],
    [-123_456, 'USD', '-1234.56'],
    [500, 'JPY', '500'],
    [-7, 'JPY', '-7'],
    [1, 'KWD', '0.001'],
    [12_345, 'UYW', '1.2345'],
    [MAX_MINOR_UNITS, 'USD', '999999999999.99'],
  ])('writes %i minor units of %s as %s', (value, currency, text) => {
    expect(toMajorUnits({ value, currency })).toBe(text);
  });
});

describe('an amount that cannot be represented exactly is an error, never rounded and never 0', () => {
  it('with one more decimal than the currency has', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        currency,
        fc.integer({ min: 1, max: 9 }),
        (value, currency, last) => {
          const text = toMajorUnits({ value, currency });
          const precise = text.includes('.') ? `${text}${last}` : `${text}.${last}`;
          expect(failure(() => fromMajorUnits(precise, currency))).toBe('amount-too-precise');
        },
      ),
    );
  });

  test.each([
    [0.1 + 0.2, 'USD'],
    ['0.30000000000000004', 'USD'],
    [1e-7, 'USD'],
    ['1e-7', 'USD'],
    [Number.MIN_VALUE, 'USD'],
    ['0.001', 'USD'],
    ['0.5', 'JPY'],
    [19.999, 'EUR'],
    ['1.00001', 'CLF'],
  ])('%s %s has too many decimals', (amount, currency) => {
    expect(failure(() => fromMajorUnits(amount, currency))).toBe('amount-too-precise');
  });

  test.each([
    ['1000000000000.00', 'USD'],
    [1e21, 'USD'],
    [-1e15, 'USD'],
    [Number.MAX_VALUE, 'USD'],
    ['1e99', 'JPY'],
    ['999999999999999999999999999999', 'JPY'],
  ])('%s %s is too large', (amount, currency) => {
    expect(failure(() => fromMajorUnits(amount, currency))).toBe('amount-too-large');
  });

  test.each([
    '',
    ' ',
    ' 1',
    '1 ',
    '1\n',
    '+1',
    '.5',
    '5.',
    '1,000.00',
    '1.000,00',
    '$1',
    '0x10',
    '1e',
    '1e1.5',
    '--1',
    '٣',
    'NaN',
    'Infinity',
    NaN,
    Infinity,
    -Infinity,
  ])('%j is not an amount', (amount) => {
    expect(failure(() => fromMajorUnits(amount, 'USD'))).toBe('amount-invalid');
  });

  test.each([
    [{ value: 1.5, currency: 'USD' }, 'amount-invalid'],
    [{ value: NaN, currency: 'USD' }, 'amount-invalid'],
    [{ value: Infinity, currency: 'USD' }, 'amount-invalid'],
    [{ value: MAX_MINOR_UNITS + 1, currency: 'USD' }, 'amount-too-large'],
    [{ value: -MAX_MINOR_UNITS - 1, currency: 'USD' }, 'amount-too-large'],
    [{ value: 1, currency: 'usd' }, 'currency-unknown'],
  ])('refuses to format %j', (money, code) => {
    expect(failure(() => toMajorUnits(money))).toBe(code);
  });

  it('does not repeat the amount in the error', () => {
    for (const amount of ['12345.678', '98765432109876543210', 'secret-amount']) {
      expect(() => fromMajorUnits(amount, 'USD')).not.toThrow(amount);
    }
  });

  it('any text is parsed exactly or rejected', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String)), currency, (text, currency) => {
        try {
          const money = fromMajorUnits(text, currency);
          expect(Number(toMajorUnits(money))).toBe(Number(text) === 0 ? 0 : Number(text));
        } catch (error) {
          expect(error).toBeInstanceOf(MoneyError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the list of currencies', () => {
  const intl = Intl.supportedValuesOf('currency');

  it('contains every currency of Intl except withdrawn ones', () => {
    // Withdrawn from ISO 4217, or a unit of account of central banks.
    const withdrawn = ['ANG', 'BGN', 'BYR', 'CUC', 'HRK', 'SLL', 'ZWL'];
    const notMoney = ['XDR', 'XSU', 'XUA', 'XTS', 'XXX', 'XAG', 'XAU', 'XPD', 'XPT'];
    const missing = intl.filter((code) => !isCurrency(code));
    expect([...withdrawn, ...notMoney]).toEqual(expect.arrayContaining(missing));
    for (const code of [...withdrawn, ...notMoney]) expect(isCurrency(code)).toBe(false);
  });

  it('contains in addition only funds codes, and currencies newer than Intl', () => {
    const funds = ['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW'];
    const recent = ['VED', 'XCG', 'ZWG'];
    const more = currencies.filter((code) => !intl.includes(code));
    expect([...funds, ...recent]).toEqual(expect.arrayContaining(more));
    expect(currencies.length).toBeGreaterThan(150);
  });

  it('has the ISO 4217 decimals even if fewer are customary', () => {
    const customary = (code: string) =>
      new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions()
        .maximumFractionDigits ?? NaN;
    const differing = currencies.filter(
      (code) => intl.includes(code) && customary(code) !== minorUnitDigits(code),
    );
    // Their coins are out of use, so CLDR formats amounts without decimals.
    const rounded = 'AFN ALL COP HUF IDR IQD IRR KPW LAK LBP MGA MMK PKR SOS SYP YER'.split(' ');
    expect(rounded).toEqual(expect.arrayContaining(differing));
    for (const code of differing) expect(customary(code)).toBeLessThan(minorUnitDigits(code));
  });

  test.each([
    ['BGN', '2025-12-31', '2026-01-01', 2],
    ['HRK', '2022-12-31', '2023-01-01', 2],
    ['BYR', '2016-12-31', '2017-01-01', 0],
  ])(
    'reports %s as in use until %s, not from %s on, and always knows its decimals',
    (code, last, next, digits) => {
      expect(isCurrencyOn(code, last)).toBe(true);
      expect(isCurrencyOn(code, next)).toBe(false);
      expect(isCurrency(code)).toBe(false);
      expect(currencySchema.safeParse(code).success).toBe(false);
      expect(minorUnitDigits(code)).toBe(digits);
      expect(moneySchema.safeParse({ value: 1, currency: code }).success).toBe(true);
    },
  );

  it('reports each current currency as in use on any day', () => {
    for (const code of currencies) expect(isCurrencyOn(code, '9999-12-31'), code).toBe(true);
    expect(isCurrencyOn('ZZZ', '2025-01-01')).toBe(false);
  });

  test.each([
    ['USD', 2],
    ['EUR', 2],
    ['JPY', 0],
    ['KRW', 0],
    ['ISK', 0],
    ['BHD', 3],
    ['KWD', 3],
    ['IQD', 3],
    ['CLF', 4],
    ['UYW', 4],
  ])('%s has %i decimals', (code, digits) => {
    expect(minorUnitDigits(code)).toBe(digits);
  });

  test.each(['', 'usd', 'US', 'USDX', 'ZZZ', '__proto__', 'XAU'])(
    '%j is not a currency',
    (code) => {
      expect(isCurrency(code)).toBe(false);
      expect(currencySchema.safeParse(code).success).toBe(false);
      expect(failure(() => minorUnitDigits(code))).toBe('currency-unknown');
      expect(failure(() => fromMajorUnits('1', code))).toBe('currency-unknown');
    },
  );
});

describe('money in the project’s own APIs', () => {
  it('is an integer in minor units and a currency', () => {
    fc.assert(
      fc.property(minorUnits, currency, (value, currency) => {
        expect(moneySchema.parse({ value, currency })).toEqual({ value, currency });
      }),
    );
  });

  test.each([
    [{ value: 0.5, currency: 'USD' }, ['value']],
    [{ value: '5', currency: 'USD' }, ['value']],
    [{ value: MAX_MINOR_UNITS + 1, currency: 'USD' }, ['value']],
    [{ value: 5 }, ['currency']],
    [{ value: 5, currency: 'usd' }, ['currency']],
    [{ value: 5, currency: 'USD', digits: 2 }, []],
  ])('is not %j', (money, path) => {
    const { error } = moneySchema.safeParse(money);
    expect(error?.issues.map((issue) => issue.path)).toEqual([path]);
  });
});
