/**
 * The elements as components of React 18 or later, also for pages that a server renders, and the types of
 * the tags. Each component is a module of its own, so that a page loads only the elements it shows.
 * @packageDocumentation
 */
export type * from '../../frameworks/react.d.ts';
export { FinancingCheckout } from './checkout.ts';
export type { FinancingCheckoutProps } from './checkout.ts';
export { FinancingMessage } from './message.ts';
export type { FinancingMessageProps } from './message.ts';
export { FinancingPrequalify } from './prequalify.ts';
export type { FinancingPrequalifyProps } from './prequalify.ts';
