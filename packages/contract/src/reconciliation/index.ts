/**
 * What reconciliation answers to its console, its command line and other programs: orders, cases, periods,
 * journals, imports, the trail, and the operations that are declared once.
 * @packageDocumentation
 */
export * from './plain.ts';
export * from './actions.ts';
export * from './case-operations.ts';
export * from './case-sheet.ts';
export * from './cases.ts';
export * from './daily-operations.ts';
export * from './declared.ts';
export * from './forecast.ts';
export * from './funding-operations.ts';
export * from './import-operations.ts';
export * from './journal-operations.ts';
export * from './journals.ts';
export * from './lake.ts';
export * from './ledger-import.ts';
export * from './ledger-options.ts';
export * from './migration.ts';
export * from './money-operations.ts';
export {
  type Call,
  type ColumnKind,
  keyHeader,
  type Operation,
  type Table,
  type Verb,
} from './operation.ts';
export * from './order-operations.ts';
export * from './order-status.ts';
export * from './period-operations.ts';
export * from './periods.ts';
export {
  count,
  currencyCode,
  cursor,
  day,
  days,
  moment,
  name,
  noQuery,
  oneOf,
  parametersOf,
  part,
  switched,
  yesNo,
} from './query.ts';
export * from './reconciliation.ts';
export * from './session.ts';
export * from './syncs.ts';
export * from './today.ts';
export * from './trail-operations.ts';
