/**
 * The elements as components for React 18 or later, including on server-rendered pages, and the
 * types of their tags. Each component is a separate module, so that a page loads only the elements
 * that it shows.
 * @packageDocumentation
 */
export type * from '../../frameworks/react.d.ts';
export { FinancingCheckout } from './checkout.ts';
export type { FinancingCheckoutProps } from './checkout.ts';
export { FinancingMessage } from './message.ts';
export type { FinancingMessageProps } from './message.ts';
export { FinancingPrequalify } from './prequalify.ts';
export type { FinancingPrequalifyProps } from './prequalify.ts';
