/**
 * Money and days as pure values: no schema, so that a worker or a browser loads no library with them.
 * @packageDocumentation
 */
export * from './csv.ts';
export * from './days.ts';
export * from './money.ts';
export * from './repayment.ts';
