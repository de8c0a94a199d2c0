/**
 * An amount of money: an integer count of the currency's minor unit (cents for USD, yen for JPY).
 * Decimals exist only in the financing service's API, and are converted exactly at that boundary.
 */
export interface Money {
  /** Integer minor units. */
  value: number;
  /** ISO 4217 alphabetic code. */
  currency: string;
}

/**
 * Maximum supported amount, in minor units. With at most fourteen digits, every amount is exact as
 * a JSON number in the major unit (a double has fifteen significant digits).
 */
export const MAX_MINOR_UNITS = 99_999_999_999_999;

/**
 * Currencies in use, by number of minor-unit digits. The list does not come from `Intl`, because
 * CLDR uses the customary decimals of some currencies (none for HUF, COP or IDR, where ISO 4217 has
 * two). Source: ISO 4217:2015, list one, published 2026-01-01, without the codes that have no minor
 * unit.
 */
const inUse: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD ' +
    'CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS ' +
    'GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD ' +
    'LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB ' +
    'PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP ' +
    'SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

/**
 * Currencies withdrawn since 2010, with their decimals and the last day on which they were in use
 * (ISO 8601). Ledgers and fundings of those years use them. Source: ISO 4217:2015, list three,
 * published 2026-01-01, which gives the month; the day is derived from the successor's
 * introduction.
 */
const withdrawn: Readonly<Record<string, readonly [digits: number, lastDay: string]>> = {
  ANG: [2, '2025-03-31'],
  BGN: [2, '2025-12-31'],
  BYR: [0, '2016-12-31'],
  CUC: [2, '2021-06-30'],
  EEK: [2, '2010-12-31'],
  HRK: [2, '2022-12-31'],
  LTL: [2, '2014-12-31'],
  LVL: [2, '2013-12-31'],
  MRO: [2, '2017-12-31'],
  SLL: [2, '2024-03-31'],
  STD: [2, '2017-12-31'],
  VEF: [2, '2018-08-31'],
  ZMK: [2, '2012-12-31'],
  ZWL: [2, '2024-08-31'],
};

interface Currency {
  /** Number of decimals of the major unit. */
  digits: number;
  /** Last day of use, ISO 8601; undefined for a currency in use. */
  lastDay: string | undefined;
}

/** All known currencies by their code: those in use, and those withdrawn since 2010. */
export const currencies: ReadonlyMap<string, Currency> = new Map<string, Currency>([
  ...Object.entries(inUse).flatMap(([digits, codes]) =>
    codes
      .split(' ')
      .map((code): [string, Currency] => [code, { digits: Number(digits), lastDay: undefined }]),
  ),
  ...Object.entries(withdrawn).map(([code, [digits, lastDay]]): [string, Currency] => [
    code,
    { digits, lastDay },
  ]),
]);

/** Thrown for an amount or a currency that cannot be represented exactly. */
export class MoneyError extends Error {
  override readonly name = 'MoneyError';
  /** Stable code of the error. */
  readonly code: 'currency-unknown' | 'amount-invalid' | 'amount-too-precise' | 'amount-too-large';

  constructor(code: MoneyError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns whether the code is the ISO 4217 code of a currency in use. */
export function isCurrency(code: string): boolean {
  return currencies.get(code)?.lastDay === undefined && currencies.has(code);
}

/**
 * Returns whether the code is the ISO 4217 code of a currency that was in use on a day.
 * @param day ISO 8601, such as 2022-12-31
 */
export function isCurrencyOn(code: string, day: string): boolean {
  const currency = currencies.get(code);
  return currency !== undefined && (currency.lastDay === undefined || day <= currency.lastDay);
}

/**
 * Returns the number of decimals of a currency, in use or withdrawn: 2 for USD, 0 for JPY, 3 for
 * KWD.
 * @throws {MoneyError} `currency-unknown`
 */
export function minorUnitDigits(currency: string): number {
  const digits = currencies.get(currency)?.digits;
  if (digits === undefined) {
    throw new MoneyError('currency-unknown', 'The currency is not an ISO 4217 code.');
  }
  return digits;
}

/** A decimal number in JSON or user input: sign, digits, fraction, exponent. */
const decimal = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Converts an amount in the major unit ("99.99", 99.99) to minor units, exactly.
 * A number is parsed from its shortest decimal text, which equals the sender's text for any amount
 * up to {@link MAX_MINOR_UNITS}.
 * @throws {MoneyError} `amount-invalid`, `amount-too-large`, `currency-unknown`, and
 * `amount-too-precise` when it has more decimals than the currency (never rounded, never 0).
 */
export function fromMajorUnits(amount: number | string, currency: string): Money {
  const digits = minorUnitDigits(currency);
  const match = decimal.exec(String(amount));
  if (!match) throw new MoneyError('amount-invalid', 'The amount is not a decimal number.');
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const shift = digits - fraction.length + Number(exponent);
  let minor = BigInt(whole + fraction);
  if (shift >= 0) {
    minor *= 10n ** BigInt(shift);
  } else {
    const divisor = 10n ** BigInt(-shift);
    if (minor % divisor !== 0n) {
      throw new MoneyError(
        'amount-too-precise',
        `The amount has more decimals than ${currency} has (${digits}).`,
      );
    }
    minor /= divisor;
  }
  if (minor > BigInt(MAX_MINOR_UNITS)) {
    throw new MoneyError('amount-too-large', 'The amount is larger than can be handled exactly.');
  }
  const value = Number(minor);
  return { value: sign && value !== 0 ? -value : value, currency };
}

/**
 * Formats an amount as decimal text in the major unit: `{value: 9999, currency: 'USD'}` → "99.99".
 * @throws {MoneyError} `amount-invalid`, `amount-too-large`, `currency-unknown`
 */
export function toMajorUnits(money: Money): string {
  const digits = minorUnitDigits(money.currency);
  if (!Number.isInteger(money.value)) {
    throw new MoneyError('amount-invalid', 'The amount is not an integer of minor units.');
  }
  if (Math.abs(money.value) > MAX_MINOR_UNITS) {
    throw new MoneyError('amount-too-large', 'The amount is larger than can be handled exactly.');
  }
  const text = String(Math.abs(money.value)).padStart(digits + 1, '0');
  const sign = money.value < 0 ? '-' : '';
  if (digits === 0) return sign + text;
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
