import { MAX_ORDER_TICKET_LENGTH } from '@financing-checkout/contract';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type Env, readBody } from '../platform/http/requests.ts';
import { ProblemError } from '../platform/problem.ts';

/** Maximum bytes of a body without an order ticket, and of a body that needs no slot. */
export const MAX_SMALL_BODY_BYTES = 65_536;

/** Maximum bytes of a body with an order ticket: the longest ticket, and the limit of other bodies. */
export const MAX_TICKET_BODY_BYTES = MAX_ORDER_TICKET_LENGTH + MAX_SMALL_BODY_BYTES;

/** Maximum number of bodies over {@link MAX_SMALL_BODY_BYTES} in work at a time. */
export const MAX_LARGE_BODIES = 16;

/** The routes that take an order ticket. */
const paths = ['/checkout/prime', '/checkout/start', '/checkout/:id/confirmation'];

/**
 * Reads bodies within their limits. Any client can send a large body before authentication, and the
 * body takes several times its size in memory until it is answered. So {@link MAX_LARGE_BODIES} large
 * bodies are in work at a time, and one more is refused as `overloaded`. Smaller bodies, which nearly all
 * orders have, need no slot.
 */
export function readBodies(): MiddlewareHandler<Env> {
  const readSmall = readBody(MAX_SMALL_BODY_BYTES);
  const readLarge = readBody(MAX_TICKET_BODY_BYTES);
  let slots = MAX_LARGE_BODIES;

  return async function readBodies(c, next) {
    const length = statedLength(c);
    const isSmall = length !== undefined && length <= MAX_SMALL_BODY_BYTES;
    if (isSmall || c.req.method !== 'POST' || !mayHaveTicket(c)) return readSmall(c, next);
    const slot: { held: boolean; refused?: ProblemError } = { held: false };
    const takeSlot = () => {
      if (slot.held) return;
      if (slots === 0) throw (slot.refused = noSlot());
      slots--;
      slot.held = true;
    };
    try {
      // By the stated length, or after that many bytes.
      if (length === undefined) afterBytes(c, MAX_SMALL_BODY_BYTES, takeSlot);
      else if (length <= MAX_TICKET_BODY_BYTES) takeSlot();
      return await readLarge(c, next);
    } catch (error) {
      // The stream fails with the refusal, which would read as an incomplete body.
      throw slot.refused ?? error;
    } finally {
      if (slot.held) slots++;
    }
  };
}

const noSlot = () =>
  new ProblemError('overloaded', {
    detail: `At most ${MAX_LARGE_BODIES} requests over ${MAX_SMALL_BODY_BYTES} bytes are accepted at a time.`,
    retrySafe: true,
    retryAfterSeconds: 1,
  });

/** Returns the stated length of a body, if it is valid (RFC 9112 6.3). */
function statedLength(c: Context<Env>): number | undefined {
  const length = c.req.header('content-length');
  if (length === undefined || c.req.header('transfer-encoding') !== undefined) return undefined;
  return Number(length);
}

function mayHaveTicket(c: Context<Env>): boolean {
  return matchedRoutes(c).some(({ path }) => paths.some((ending) => path.endsWith(ending)));
}

/** Calls `call` for each piece of a body after its first `bytes` bytes. */
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
