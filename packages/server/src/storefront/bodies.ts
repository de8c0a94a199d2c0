import { MAX_ORDER_TICKET_LENGTH } from '@financing-checkout/contract/storefront';
import { MAX_SMALL_BODY_BYTES, maxBytesOf, readBody } from '@financing-checkout/kit/http';
import type { Context, MiddlewareHandler } from 'hono';
import type { Clock } from '@financing-checkout/kit';
import type { Env } from '../platform/http/requests.ts';
import { ProblemError } from '../platform/problem.ts';
import { type BodySlot, BodySlots } from './body-slots.ts';

/**
 * Maximum size in bytes of a body with an order ticket: the maximum ticket length plus the limit
 * for other bodies.
 */
export const MAX_TICKET_BODY_BYTES = MAX_ORDER_TICKET_LENGTH + MAX_SMALL_BODY_BYTES;

/** Maximum number of bodies over {@link MAX_SMALL_BODY_BYTES} that are processed concurrently. */
export const MAX_LARGE_BODIES = 16;

/**
 * Reads bodies up to the maximum of their routes. Any client can send a large body before
 * authentication, and the body takes several times its size in memory until the request is
 * answered. So at most {@link MAX_LARGE_BODIES} large bodies are processed concurrently, and any
 * more are refused as `overloaded`. A body takes a slot once more bytes have arrived than the limit
 * for small bodies, regardless of its Content-Length, so an idle connection holds no slot. Smaller
 * bodies, which nearly all orders have, need no slot.
 */
export function readBodies(clock: Clock): MiddlewareHandler<Env> {
  const slots = new BodySlots(MAX_LARGE_BODIES, clock);

  return async function readBodies(c, next) {
    const length = statedLength(c);
    const isSmall = length !== undefined && length <= MAX_SMALL_BODY_BYTES;
    if (isSmall) return readBody(c, next);
    const maxBytes = maxBytesOf(c);
    if (maxBytes <= MAX_SMALL_BODY_BYTES) return readBody(c, next);
    const isTooLarge = length !== undefined && length > maxBytes;
    const large = isTooLarge ? undefined : holdSlot(c, slots);
    try {
      return await readBody(c, next);
    } catch (error) {
      // The stream fails with the refusal, which would otherwise be reported as an incomplete body.
      throw large?.refused ?? error;
    } finally {
      large?.slot?.free();
    }
  };
}

/** A large body, and the reason if it was refused while arriving. */
interface LargeBody {
  slot?: BodySlot | undefined;
  refused?: ProblemError;
}

/** Makes the body of a request take a slot once it is large. */
function holdSlot(c: Context<Env>, slots: BodySlots): LargeBody {
  const large: LargeBody = {};
  const { body, bodyUsed } = c.req.raw;
  if (body === null || bodyUsed) return large;
  let read = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      read += piece.byteLength;
      if (read > MAX_SMALL_BODY_BYTES && large.slot === undefined) {
        large.slot = slots.take(() => {
          large.refused = tooSlow();
          controller.error(large.refused);
        });
        if (large.slot === undefined) throw (large.refused = noSlot());
      }
      large.slot?.count(piece.byteLength);
      controller.enqueue(piece);
    },
    flush: () => large.slot?.complete(),
  });
  const init: RequestInit & { duplex: 'half' } = {
    // A canceled source never reads the rest of a refused body, so the next request on the
    // connection would wait forever.
    body: body.pipeThrough(counting, { preventCancel: true }),
    duplex: 'half',
  };
  c.req.raw = new Request(c.req.raw, init);
  return large;
}

const noSlot = () =>
  new ProblemError('overloaded', {
    detail: `At most ${MAX_LARGE_BODIES} requests over ${MAX_SMALL_BODY_BYTES} bytes are accepted at a time.`,
    retrySafe: true,
    retryAfterSeconds: 1,
  });

const tooSlow = () =>
  new ProblemError('overloaded', {
    detail: 'The body arrived too slowly while others waited. Nothing was done.',
    retrySafe: true,
    retryAfterSeconds: 1,
  });

/** Returns the Content-Length of a body, if it is valid (RFC 9112 6.3). */
function statedLength(c: Context<Env>): number | undefined {
  const length = c.req.header('content-length');
  if (length === undefined || c.req.header('transfer-encoding') !== undefined) return undefined;
  return Number(length);
}
