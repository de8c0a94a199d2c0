/**
 * What a shop's backend and reconciliation ask of the companion's private listener, and the messages that
 * the companion sends to the shop.
 * @packageDocumentation
 */
export * from './amount-difference.ts';
export * from './charge-state.ts';
export * from './charges.ts';
export * from './deliveries.ts';
export * from './funding-statuses.ts';
export * from './fundings.ts';
export * from './is-paid.ts';
export * from './ledger.ts';
export * from './links.ts';
export * from './losses.ts';
export * from './person.ts';
export * from './reversal.ts';
export * from './webhook.ts';
