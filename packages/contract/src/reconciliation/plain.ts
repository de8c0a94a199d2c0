/**
 * The vocabularies of reconciliation without schemas, for programs that run many processes, and for
 * browsers: loading a schema library takes 15 MB of memory each time.
 * @packageDocumentation
 */
export { fundingStatuses, missingStatuses } from '../back-office/funding-statuses.ts';
export * from './alarms.ts';
export * from './case-verbs.ts';
export * from './exceptions.ts';
export * from './file-kind.ts';
export * from './filters.ts';
export * from './gaps.ts';
export * from './journal-words.ts';
export * from './ledger-questions.ts';
export * from './reasons.ts';
export { type ShownColumn, tables } from './tables.ts';
export * from './words.ts';
