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
 * Largest supported amount, in minor units. With fourteen digits every amount is exact as a JSON
 * number in the major unit (a double has fifteen significant digits).
 */
export const MAX_MINOR_UNITS = 99_999_999_999_999;

/**
 * ISO 4217 codes in use, by number of minor-unit digits where it is not two. The list does not come
 * from `Intl`, because CLDR uses the customary decimals of some currencies (none for AFN, ALL or IRR,
 * where ISO 4217 has two).
 * Source: ISO 4217:2015, list one.
 */
const digitsByCurrency: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
  ...(
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD ' +
    'CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS ' +
    'GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD ' +
    'LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB ' +
    'PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP ' +
    'SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG'
  )
    .split(' ')
    .map((code) => [code, 2] as const),
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

/** Returns whether this is a supported ISO 4217 code. */
export function isCurrency(code: string): boolean {
  return digitsByCurrency.has(code);
}

/**
 * Returns the number of decimals of a currency: 2 for USD, 0 for JPY, 3 for KWD.
 * @throws {MoneyError} `currency-unknown`
 */
export function minorUnitDigits(currency: string): number {
  const digits = digitsByCurrency.get(currency);
  if (digits === undefined) {
    throw new MoneyError('currency-unknown', 'The currency is not an ISO 4217 code in use.');
  }
  return digits;
}

/** A decimal number in JSON or user input: sign, digits, fraction, exponent. */
const decimal = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads an amount in the major unit ("99.99", 99.99) into minor units, exactly.
 * A number is read through its shortest decimal text, which equals the sender's text for any amount
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
 * Writes an amount as decimal text in the major unit: `{value: 9999, currency: 'USD'}` → "99.99".
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
