// Generated from the contract's table by metadata/currency-digits.ts.

/** Returns the number of decimals of a currency in use (ISO 4217). */
export function digitsOf(currency: string): number {
  if ('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.includes(currency)) {
    return 0;
  }
  if ('BHD IQD JOD KWD LYD OMR TND'.includes(currency)) {
    return 3;
  }
  if ('CLF UYW'.includes(currency)) {
    return 4;
  }
  return 2;
}
