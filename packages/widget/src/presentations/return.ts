import { digest } from '../checkout/memory.ts';
import type { Memory } from '../checkout/memory.ts';

/** Name of the channel between the pages of a shop (see {@link takeReturn}). */
export const RELAY = 'financing-checkout';

/**
 * What a lender’s page has put into a fragment, up to its end: behind a route where there is one, or
 * in place of it. A router may have put a slash before it.
 */
const RESULT = /(^#?|[?&#/])(financing-(session|confirmation|ended)=.*)/;

/** A fragment without what a lender’s page has put into it: the route that the shop gave it. */
export const routeOf = (hash: string): string => hash.replace(RESULT, '');

/** What a redirect came back with, as it was read: not checked. */
export interface Returned {
  /** Of the memory that knows it. */
  readonly name: string;
  readonly token: string | null;
  readonly reason: string | null;
}

/**
 * Takes what a redirect came back with out of the address, for the one element that went there:
 * anybody can write a link with a fragment, so its session must be the one that is remembered.
 * @returns undefined when there is nothing, or it is not this one's.
 */
export function takeReturn(memory: Memory): Returned | undefined {
  const { hash, href } = location;
  const result = new URLSearchParams(RESULT.exec(hash)?.[2]);
  const session = result.get('financing-session');
  if (!session) return undefined;
  const returned = {
    session,
    token: result.get('financing-confirmation'),
    reason: result.get('financing-ended'),
  };
  const known = memory.recall();
  if (known?.session === digest(session)) {
    memory.remember({ ...known, session: undefined });
    // Once: a reload must not confirm again, and the token is no business of the history's.
    // The whole address: a relative one counts from the page's <base>, and "//" begins a host.
    const page = href.split('#')[0] ?? '';
    const route = routeOf(hash);
    // A router has to hear of it: some write the address that they know of into the history again.
    if (route[1]) location.replace(page + route);
    else history.replaceState(history.state, '', page);
    return { ...returned, name: memory.name };
  }
  // Or this is the window of a popup that cut itself off, and the page that waits is another one.
  const channel = new BroadcastChannel(RELAY);
  channel.onmessage = ({ data }: MessageEvent<{ taken?: string } | null>) => {
    if (data?.taken === session) close();
  };
  channel.postMessage(returned);
  return undefined;
}
