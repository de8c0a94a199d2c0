import { refusePage } from './page.ts';

/** The audience of a ticket, `aud`. */
export const DEFAULT_TICKET_AUDIENCE = 'financing-companion';

/** Maximum lifetime of a ticket in seconds, which is also how long a leaked ticket can be used. */
export const DEFAULT_TICKET_MAX_LIFETIME_SECONDS = 86_400;

/** HS256 requires a key at least as long as its hash (RFC 7518 3.2). */
export const MIN_TICKET_SECRET_BYTES = 32;

/**
 * Returns the bytes of a ticket secret.
 * @throws {RangeError} when it is too short
 * @throws {Error} in a page, which must not have the secret
 */
export function ticketSecretBytes(secret: string): Uint8Array<ArrayBuffer> {
  refusePage();
  const bytes = new TextEncoder().encode(secret);
  if (bytes.length < MIN_TICKET_SECRET_BYTES) {
    throw new RangeError(
      `The order ticket secret has ${bytes.length} bytes; HS256 requires ${MIN_TICKET_SECRET_BYTES} or more (RFC 7518 3.2).`,
    );
  }
  return bytes;
}
