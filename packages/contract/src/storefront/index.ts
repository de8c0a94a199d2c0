/**
 * What a browser and the companion's public listener exchange: an order and its ticket, a checkout
 * and its outcome, programmes, and the refusals of every program.
 * @packageDocumentation
 */
export { type Address, addressSchema, type Consumer, consumerSchema } from './consumer.ts';
export * from './field-errors.ts';
export * from './money-schema.ts';
export * from './order.ts';
export * from './outcome.ts';
export * from './prequalification.ts';
export * from './problem.ts';
export * from './programmes.ts';
export * from './storefront.ts';
export * from './ticket-description.ts';
