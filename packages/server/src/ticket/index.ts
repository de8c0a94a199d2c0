/**
 * Tools for a shop's backend: order tickets, which state an order that the browser carries, and the rule
 * that decides whether a result pays an order. Works in any backend with Web Crypto, without the
 * companion and without a key of the financing service.
 * @packageDocumentation
 */
export { isPaid } from '@financing-checkout/contract';
export type {
  ExpectedOrder,
  FieldError,
  Order,
  OrderTicketClaims,
  PaymentRecord,
} from '@financing-checkout/contract';
export { DEFAULT_TICKET_AUDIENCE } from './secret.ts';
export { signOrderTicket } from './sign.ts';
export { OrderSigningError } from './signing-error.ts';
export type { OrderSigningErrorCode } from './signing-error.ts';
export type { SignOrderTicketOptions } from './sign.ts';
export { createTicketVerifier, TicketError } from './verify.ts';
export type { TicketVerifier, TicketVerifierOptions } from './verify.ts';
