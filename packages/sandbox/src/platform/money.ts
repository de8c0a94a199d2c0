/** Maximum amount, in minor units: a JSON number in the major unit represents it exactly. */
export const MAX_MINOR_UNITS = 99_999_999_999_999;

/** ISO 4217 codes (list one) by number of decimal places. */
const currencies: Readonly<Record<number, string>> = {
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

const digitsByCurrency: ReadonlyMap<string, number> = new Map(
  Object.entries(currencies).flatMap(([digits, codes]) =>
    codes.split(' ').map((code) => [code, Number(digits)] as const),
  ),
);

/** Returns the decimal places of a currency (2 for USD, 0 for JPY); undefined if unknown. */
export function currencyDigits(currency: string): number | undefined {
  return digitsByCurrency.get(currency);
}

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/;

/**
 * Converts an amount on the wire (a JSON number in the major unit) to minor units, exactly. Returns
 * a field error message if the amount would have to be rounded.
 */
export function toMinorUnits(amount: number, currency: string): number | string {
  const digits = currencyDigits(currency);
  if (digits === undefined) return 'has a currency that is not an ISO 4217 code in use';
  // Up to 15 digits, the shortest decimal string of a double is the number that the sender wrote.
  const match = decimal.exec(String(amount));
  if (!match) return 'must be a decimal number';
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const shift = digits - fraction.length + Number(exponent);
  let minor = BigInt(whole + fraction);
  if (shift > 20) return 'is larger than can be handled';
  if (shift >= 0) {
    minor *= 10n ** BigInt(shift);
  } else {
    const divisor = 10n ** BigInt(-shift);
    if (minor % divisor !== 0n) return `has more decimals than ${currency} has (${digits})`;
    minor /= divisor;
  }
  if (minor > BigInt(MAX_MINOR_UNITS)) return 'is larger than can be handled';
  return sign === '-' && minor !== 0n ? -Number(minor) : Number(minor);
}

/** Converts minor units to a JSON number in the major unit: 9999 USD → 99.99. */
export function toWireAmount(minorUnits: number, currency: string): number {
  return Number(toDecimal(minorUnits, currency));
}

/** Converts minor units to a decimal string in the major unit: 9990 USD → "99.90". */
function toDecimal(minorUnits: number, currency: string): string {
  const digits = currencyDigits(currency) ?? 2;
  const sign = minorUnits < 0 ? '-' : '';
  const text = String(Math.abs(minorUnits)).padStart(digits + 1, '0');
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Returns `numerator / denominator`, rounded half up; both must be non-negative. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}
