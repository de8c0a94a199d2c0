import { digest } from '../checkout/memory.ts';
import type { Memory } from '../checkout/memory.ts';

/** Name of the channel between the pages of a shop (see {@link takeReturn}). */
export const RELAY = 'financing-checkout';

/** What a redirect came back with, as it was read: not checked. */
export interface Returned {
  readonly session: string;
  readonly token: string | null;
  readonly reason: string | null;
}

/**
 * Takes what a redirect came back with out of the address, for the one element that went there:
 * anybody can write a link with a fragment, so its session must be the one that is remembered.
 * @returns undefined when there is nothing, or it is not this one's.
 */
export function takeReturn(memory: Memory): Returned | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const session = fragment.get('financing-session');
  if (!session) return undefined;
  const returned = {
    session,
    token: fragment.get('financing-confirmation'),
    reason: fragment.get('financing-ended'),
  };
  const known = memory.recall();
  if (known?.session === digest(session)) {
    // Once: a reload must not confirm again, and the token is no business of the history's.
    // The whole address: a relative one counts from the page's <base>, and "//" begins a host.
    history.replaceState(history.state, '', location.href.split('#')[0]);
    memory.remember({ ...known, session: undefined });
    return returned;
  }
  // Or this is the window of a popup that cut itself off, and the page that waits is another one.
  const channel = new BroadcastChannel(RELAY);
  channel.onmessage = ({ data }: MessageEvent<{ taken?: string } | null>) => {
    if (data?.taken === session) close();
  };
  channel.postMessage(returned);
  return undefined;
}
