import type { Clock } from '@financing-checkout/kit';
import type { ServiceClient } from './client.ts';
import type { CallContext } from './exchange.ts';
import type { CallResult } from './result.ts';

/**
 * How long a response is shared, in milliseconds. Pages wait longer than this between two reads.
 */
export const PAGE_READ_MS = 2_000;

/** Service reads that a page can repeat at will. */
export type PageReads = Pick<
  ServiceClient,
  'application' | 'applicationToken' | 'applied' | 'link'
>;

/**
 * Creates reads that a page may repeat any number of times: the service gets one call per id and
 * priority, then none for {@link PAGE_READ_MS}. Concurrent reads share the call in flight, and
 * later reads share its response. The cache is local to the process, because a response may contain
 * amounts and tokens, which must not be stored. Failures are not cached: the shopper tries again,
 * and the circuit breaker protects a failing service.
 */
export function createPageReads(service: PageReads, clock: Clock): PageReads {
  return {
    application: shared(clock, service.application),
    applicationToken: shared(clock, service.applicationToken),
    applied: shared(clock, service.applied),
    link: shared(clock, service.link),
  };
}

type Read<Body> = (id: string, context: CallContext) => Promise<CallResult<Body>>;

function shared<Body>(clock: Clock, read: Read<Body>): Read<Body> {
  const inFlight = new Map<string, Promise<CallResult<Body>>>();
  /**
   * Ordered by time. The size is bounded by the number of calls that can end within
   * {@link PAGE_READ_MS}.
   */
  const kept = new Map<string, { result: CallResult<Body>; at: number }>();

  function forgetOld(): void {
    const now = clock.now();
    for (const [name, { at }] of kept) {
      // The absolute value is used so that a response does not stay cached for longer after the
      // clock is set back.
      if (Math.abs(now - at) < PAGE_READ_MS) return;
      kept.delete(name);
    }
  }

  function keep(name: string, result: CallResult<Body>): CallResult<Body> {
    const isAnswer = result.kind === 'accepted' || result.kind === 'rejected';
    if (isAnswer) kept.set(name, { result, at: clock.now() });
    return result;
  }

  return function readShared(id, context) {
    forgetOld();
    // A more urgent read must not wait for the slot of a less urgent one.
    const name = `${context.priority} ${id}`;
    const known = kept.get(name);
    if (known !== undefined) return Promise.resolve(known.result);
    const running = inFlight.get(name);
    if (running !== undefined) return running;
    const begun = read(id, context)
      .then((result) => keep(name, result))
      .finally(() => inFlight.delete(name));
    inFlight.set(name, begun);
    return begun;
  };
}
