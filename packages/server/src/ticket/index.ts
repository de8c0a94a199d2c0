/**
 * Order tickets: how a merchant's backend states an order that a browser then carries. Works in
 * any backend with Web Crypto; needs neither the companion nor a key of the financing service.
 * @packageDocumentation
 */
export type { Order, OrderTicketClaims } from '@financing-checkout/contract';
export { DEFAULT_TICKET_AUDIENCE } from './secret.ts';
export { signOrderTicket } from './sign.ts';
export type { SignOrderTicketOptions } from './sign.ts';
export { createTicketVerifier, TicketError } from './verify.ts';
export type { TicketVerifier, TicketVerifierOptions } from './verify.ts';
