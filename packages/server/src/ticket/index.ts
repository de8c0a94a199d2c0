/**
 * What a shop's backend needs: order tickets, which state an order that a browser then carries, and
 * the rule that says whether a result pays an order. Works in any backend with Web Crypto; needs
 * neither the companion nor a key of the financing service.
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
