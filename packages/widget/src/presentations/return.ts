import { digest } from '../companion/memory.ts';
import type { Memory } from '../companion/memory.ts';
import { RETURN_PARAMETERS, routeOf } from '../companion/return-fragment.ts';
import { isObject } from '../platform/object.ts';
import { isReason } from './frame.ts';
import type { End } from './presentation.ts';

/** Name of the channel between the pages of a shop (see {@link takeReturn}). */
export const RELAY = 'financing-checkout';

/** The parameters of a redirect back to the shop, unchecked. */
export interface Returned {
  /** Name of the memory that remembers the session. */
  readonly name: string;
  readonly token: string | null;
  readonly reason: string | null;
}

/**
 * Takes the parameters of a redirect out of the address. Anybody can write a link with such a
 * fragment, so its session must be the one that the element remembers.
 * @returns undefined when there are no parameters, or they belong to another session
 */
export function takeReturn(memory: Memory): Returned | undefined {
  const { hash, href } = location;
  const result = new URLSearchParams(RETURN_PARAMETERS.exec(hash)?.[2]);
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
    // A reload must not confirm again, and the token must not stay in the history. The address is
    // absolute: a relative one is resolved against the page's <base>, and "//" begins a host.
    const page = href.split('#')[0] ?? '';
    const route = routeOf(hash);
    // A router needs the event: some write the address they know back into the history.
    if (route[1]) location.replace(page + route);
    else history.replaceState(history.state, '', page);
    return { ...returned, name: memory.name };
  }
  // This may be the window of a popup that isolated itself; the page that waits is another one.
  const channel = new BroadcastChannel(RELAY);
  channel.onmessage = ({ data }: MessageEvent<{ taken?: string } | null>) => {
    if (data?.taken === session) close();
  };
  channel.postMessage(returned);
  return undefined;
}

/** Interprets the parameters of a redirect. They are a claim, like a message of the frame. */
export function endOf(token: unknown, reason: unknown): End {
  return typeof token === 'string' && token
    ? { type: 'confirmed', confirmationToken: token }
    : { type: 'ended', reason: isReason(reason) ? reason : 'failed' };
}

/** Reads a message of another page of the shop. @returns undefined for another session */
export function readRelayed(data: unknown, session: string): End | undefined {
  if (!isObject(data) || data.session !== session) return undefined;
  return endOf(data.token, data.reason);
}
