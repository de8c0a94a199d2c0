import { MAX_ORDER_TICKET_LENGTH } from '@financing-checkout/contract';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type Env, readBody } from '../platform/http/requests.ts';
import { ProblemError } from '../platform/problem.ts';

/** The largest body without an order ticket, in bytes, and the largest that needs no place. */
export const MAX_SMALL_BODY_BYTES = 65_536;

/** The largest body with an order ticket, in bytes: the longest ticket, and as much as any other body. */
export const MAX_TICKET_BODY_BYTES = MAX_ORDER_TICKET_LENGTH + MAX_SMALL_BODY_BYTES;

/** How many bodies over {@link MAX_SMALL_BODY_BYTES} a companion works on at a time. */
export const MAX_LARGE_BODIES = 16;

/** The routes that take an order ticket. */
const paths = ['/checkout/prime', '/checkout/start', '/checkout/:id/confirmation'];

/**
 * Reads bodies within their limits. Anyone can send a large body before anything proves who sends it,
 * and it takes several times its size in memory until it is answered. So few are worked on at a time:
 * one more is refused as `overloaded`. Bodies up to {@link MAX_SMALL_BODY_BYTES}, which those of
 * nearly all orders are, need no place and go on.
 */
export function readBodies(): MiddlewareHandler<Env> {
  const readSmall = readBody(MAX_SMALL_BODY_BYTES);
  const readLarge = readBody(MAX_TICKET_BODY_BYTES);
  let places = MAX_LARGE_BODIES;

  return async function readBodies(c, next) {
    const length = statedLength(c);
    const isSmall = length !== undefined && length <= MAX_SMALL_BODY_BYTES;
    if (isSmall || c.req.method !== 'POST' || !mayHaveTicket(c)) return readSmall(c, next);
    const place: { held: boolean; refused?: ProblemError } = { held: false };
    const takePlace = () => {
      if (place.held) return;
      if (places === 0) throw (place.refused = noPlace());
      places--;
      place.held = true;
    };
    try {
      // By its length, or once that many bytes of it have come.
      if (length === undefined) afterBytes(c, MAX_SMALL_BODY_BYTES, takePlace);
      else if (length <= MAX_TICKET_BODY_BYTES) takePlace();
      return await readLarge(c, next);
    } catch (error) {
      // A stream that ends with it would be a body that did not arrive whole.
      throw place.refused ?? error;
    } finally {
      if (place.held) places++;
    }
  };
}

const noPlace = () =>
  new ProblemError('overloaded', {
    detail: `At most ${MAX_LARGE_BODIES} requests over ${MAX_SMALL_BODY_BYTES} bytes are taken at a time.`,
    retrySafe: true,
    retryAfterSeconds: 1,
  });

/** The length that a request states, where it counts (RFC 9112 6.3). */
function statedLength(c: Context<Env>): number | undefined {
  const length = c.req.header('content-length');
  if (length === undefined || c.req.header('transfer-encoding') !== undefined) return undefined;
  return Number(length);
}

function mayHaveTicket(c: Context<Env>): boolean {
  return matchedRoutes(c).some(({ path }) => paths.some((ending) => path.endsWith(ending)));
}

/** Calls back for each piece of a body that comes after so many bytes of it. */
function afterBytes(c: Context<Env>, bytes: number, call: () => void): void {
  const { body, bodyUsed } = c.req.raw;
  if (body === null || bodyUsed) return;
  let read = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      read += piece.byteLength;
      if (read > bytes) call();
      controller.enqueue(piece);
    },
  });
  const init: RequestInit & { duplex: 'half' } = {
    body: body.pipeThrough(counting),
    duplex: 'half',
  };
  c.req.raw = new Request(c.req.raw, init);
}
