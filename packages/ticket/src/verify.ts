import type { FieldError, OrderTicketClaims } from '@financing-checkout/contract/storefront';
import { checkFields, orderTicketClaimsSchema } from '@financing-checkout/contract/storefront';
import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import type { z } from 'zod';
import { createPlainCheck } from './plain.ts';
import {
  DEFAULT_TICKET_MAX_LIFETIME_SECONDS,
  DEFAULT_TICKET_AUDIENCE,
  ticketSecretBytes,
} from './secret.ts';

/**
 * Seconds for which a ticket is accepted after `exp`. The clocks of two servers differ by seconds; a
 * larger difference means that a clock is wrong.
 */
const LEEWAY_SECONDS = 30;

/** Maximum seconds that `iat` and `nbf` may be ahead of this machine's clock. */
const SKEW_SECONDS = 60;

/**
 * Reports a refused ticket. `message` says how to fix the problem and contains no part of the
 * ticket.
 */
export class TicketError extends Error {
  override readonly name = 'TicketError';
  readonly code: 'invalid' | 'expired';
  readonly errors: FieldError[] | undefined;

  constructor(code: TicketError['code'], message: string, fields?: FieldError[]) {
    super(message);
    this.code = code;
    this.errors = fields;
  }
}

export interface TicketVerifierOptions {
  /** Accepted secrets, the current one first; a second one allows rotation. */
  secrets: readonly string[];
  /** @default 'financing-companion' */
  audience?: string;
  /**
   * Whether a ticket may omit the environment (`env`), as tickets from earlier shops do. Companions
   * in any environment that have the secret accept such a ticket. @default false
   */
  environmentOptional?: boolean;
  /** Maximum lifetime of a ticket, from `iat` to `exp`, in seconds. @default 86_400 */
  maxLifetimeSeconds?: number;
}

/** The claims of a verified ticket. Without `env` only if that is permitted. */
export type VerifiedTicket = Omit<OrderTicketClaims, 'env'> &
  Partial<Pick<OrderTicketClaims, 'env'>>;

/** Verifies a ticket at a given time (milliseconds since the Unix epoch). @throws {TicketError} */
export type TicketVerifier = (ticket: string, now: number) => Promise<VerifiedTicket>;

/** @throws {RangeError} when a secret is too short. */
export function createTicketVerifier(options: TicketVerifierOptions): TicketVerifier {
  const secrets = options.secrets.map(ticketSecretBytes);
  const audience = options.audience ?? DEFAULT_TICKET_AUDIENCE;
  const maxLifetime = options.maxLifetimeSeconds ?? DEFAULT_TICKET_MAX_LIFETIME_SECONDS;
  const claimsSchema = options.environmentOptional
    ? orderTicketClaimsSchema.partial({ env: true })
    : orderTicketClaimsSchema;
  if (secrets.length === 0) throw new RangeError('At least one order ticket secret is needed.');

  // Imported once: if given bytes, each verification would import the key again.
  let imported: Promise<HmacKey[]> | undefined;

  const plainClaims = createPlainCheck(secrets, audience);

  return async function verifyOrderTicket(ticket, now) {
    // Checked before jose splits the ticket: a string of dots would become millions of parts.
    if (ticket.split('.', 4).length !== 3) throw notCompact();
    const plain = claimsSchema.safeParse(plainClaims(ticket, now));
    if (plain.success) return timely(plain.data, now, maxLifetime);
    imported ??= Promise.all(secrets.map(hmacKey));
    const keys = await imported;
    for (const [index, key] of keys.entries()) {
      try {
        // A single, fixed algorithm: a ticket cannot choose its own (RFC 8725 3.1).
        const { payload } = await jwtVerify(ticket, key, {
          algorithms: ['HS256'],
          audience,
          clockTolerance: SKEW_SECONDS,
          currentDate: new Date(now),
          requiredClaims: ['exp', 'iat', 'jti', 'order'],
        });
        const claims = checkFields<z.ZodType<VerifiedTicket>>(claimsSchema, payload);
        if (claims.success) return timely(claims.data, now, maxLifetime);
        throw new TicketError(
          'invalid',
          'The ticket is signed, but these of its claims are not valid:',
          claims.errors,
        );
      } catch (error) {
        const lastKey = index === keys.length - 1;
        if (error instanceof errors.JWSSignatureVerificationFailed && !lastKey) continue;
        throw ticketError(error, audience, now);
      }
    }
    throw new TicketError('invalid', 'The ticket could not be verified.');
  };
}

/**
 * Returns the claims of a ticket whose timestamps are plausible.
 * @throws {TicketError} for a ticket that was issued in the future, has expired or lives too long
 */
function timely(claims: VerifiedTicket, now: number, maxLifetime: number): VerifiedTicket {
  const { iat, exp } = claims;
  if (iat * 1000 > now + SKEW_SECONDS * 1000) {
    throw new TicketError(
      'invalid',
      `The ticket is issued in the future, at ${utc(iat)}, and ${clockSays(now)}: set the clocks of shop and companion.`,
    );
  }
  if (exp <= Math.floor(now / 1000) - LEEWAY_SECONDS) throw expired(claims, now);
  // Whole seconds: with fractions, a lifetime of one day may slightly exceed a day.
  if (Math.floor(exp - iat) > maxLifetime) {
    throw new TicketError(
      'invalid',
      `The ticket's lifetime from "iat" to "exp" is longer than ${maxLifetime} seconds: sign it with a shorter one.`,
    );
  }
  return claims;
}

const utc = (seconds: number) => new Date(seconds * 1000).toISOString();
const clockSays = (now: number) => `the companion's clock says ${new Date(now).toISOString()}`;

/** Returns the error of an expired ticket. Its times show whether the shop's clock is behind. */
function expired({ iat, exp }: { iat?: number; exp?: number }, now: number): TicketError {
  const [issued, ended] = [iat, exp].map((time) => (time === undefined ? '?' : utc(time)));
  return new TicketError(
    'expired',
    `The ticket has expired: render the page again for a new one. It was issued at ${issued} and expired at ${ended}, and ${clockSays(now)}. If the page was just rendered, the shop's clock is behind: set it (NTP).`,
  );
}

type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

function hmacKey(secret: Uint8Array<ArrayBuffer>): Promise<HmacKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', secret, algorithm, false, ['verify']);
}

function ticketError(error: unknown, audience: string, now: number): TicketError {
  if (error instanceof TicketError) return error;
  if (error instanceof errors.JWTExpired) return expired(error.payload, now);
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return new TicketError(
      'invalid',
      'The signature does not match: shop and companion must share ORDER_TICKET_SECRET, and the ticket must reach the page unchanged.',
    );
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { nbf } = error.payload;
    if (error.claim === 'nbf' && nbf !== undefined && error.reason === 'check_failed') {
      return new TicketError(
        'invalid',
        `The ticket is not valid before its "nbf", ${utc(nbf)}, and ${clockSays(now)}: set the clocks of shop and companion.`,
      );
    }
    return new TicketError(
      'invalid',
      error.claim === 'aud'
        ? `The ticket's audience must be "${audience}".`
        : `The ticket's claim "${error.claim}" is missing or invalid.`,
    );
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return new TicketError('invalid', 'The ticket must be signed with HS256.');
  }
  return notCompact();
}

const notCompact = () => new TicketError('invalid', 'The ticket is not a compact JWS.');
