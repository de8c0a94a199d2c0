/**
 * Money and days as plain values, without schemas, so that workers and browsers load no library
 * with them.
 * @packageDocumentation
 */
export * from './csv.ts';
export * from './days.ts';
export * from './money.ts';
export * from './repayment.ts';
