// Generated from the contract's table by metadata/currency-digits.ts.

/** Currencies in use whose minor unit is not a hundredth, by their decimals (ISO 4217). */
export const unusualDigits: readonly (readonly [digits: number, currencies: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];
