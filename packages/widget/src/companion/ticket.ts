import { isObject } from '../platform/object.ts';

/** A ticket's unverified claims. Use them to find a checkout again, never to make a decision. */
interface TicketClaims {
  readonly merchantOrderId: unknown;
  /** In minor units. */
  readonly totalAmount: unknown;
  readonly taxAmount: unknown;
  readonly shippingAmount: unknown;
  readonly currency: unknown;
  /** Seconds since 1970 (RFC 7519 4.1.6 and 4.1.4). */
  readonly issuedAt: unknown;
  readonly expiresAt: unknown;
}

/**
 * Reads an order ticket's payload (a compact JWS, RFC 7515 3.1).
 * @returns undefined for any other string, such as a reference that only the companion can resolve
 */
export function readTicket(ticket: string | null | undefined): TicketClaims | undefined {
  try {
    const payload = (ticket?.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isObject(claims) && isObject(claims.order)
      ? ({ ...claims.order, issuedAt: claims.iat, expiresAt: claims.exp } as object as TicketClaims)
      : undefined;
  } catch {
    return undefined;
  }
}
