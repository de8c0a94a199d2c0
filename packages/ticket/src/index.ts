/**
 * What a shop's backend needs: order tickets, which are signed orders that travel through the
 * browser, and the rule that decides whether a result pays an order. Works in any backend with Web
 * Crypto, and contains no key of the financing service.
 * @packageDocumentation
 */
export { isPaid } from '@financing-checkout/contract/back-office';
export type {
  CheckoutRecord,
  ExpectedOrder,
  PaymentRecord,
  Webhook as WebhookMessage,
} from '@financing-checkout/contract/back-office';
export type {
  Environment,
  FieldError,
  Order,
  OrderTicketClaims,
} from '@financing-checkout/contract/storefront';
export {
  DEFAULT_TICKET_AUDIENCE,
  DEFAULT_TICKET_MAX_LIFETIME_SECONDS,
  MIN_TICKET_SECRET_BYTES,
} from './secret.ts';
export { signOrderTicket } from './sign.ts';
export { OrderSigningError } from './signing-error.ts';
export type { OrderSigningErrorCode } from './signing-error.ts';
export type { SignOrderTicketOptions } from './sign.ts';
export { createTicketVerifier, TicketError } from './verify.ts';
export type { TicketVerifier, TicketVerifierOptions, VerifiedTicket } from './verify.ts';
