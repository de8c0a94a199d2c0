import type { EndReason } from '../model/outcome.ts';
import { isObject } from '../platform/object.ts';

const PROTOCOL = 'financing-checkout';
const VERSION = 1;

const reasons: readonly string[] = 'pending declined cancelled expired failed'.split(' ');

/** Narrows to an {@link EndReason}. */
export function isReason(value: unknown): value is EndReason {
  return reasons.includes(value as string);
}

/** A message from the hosted page. */
type FrameMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'confirmed'; readonly confirmationToken: string }
  | { readonly type: 'ended'; readonly reason: EndReason };

/** The hosted page as a message sender, identified by window, origin and session. */
export interface Peer {
  readonly window: () => Window | null;
  readonly origin: string;
  readonly session: string;
}

/**
 * Reads a message event. Any page can post to this window, so origin, window, protocol, version and
 * session must all match.
 * @returns undefined for a message from another sender or protocol
 */
function readMessage(event: MessageEvent<unknown>, peer: Peer): FrameMessage | undefined {
  const { data, source, origin } = event;
  if (
    origin !== peer.origin ||
    source === null ||
    source !== peer.window() ||
    !isObject(data) ||
    data.protocol !== PROTOCOL ||
    data.version !== VERSION ||
    data.session !== peer.session
  ) {
    return undefined;
  }
  const { type, confirmationToken, reason } = data;
  if (type === 'ready') return { type };
  if (type === 'confirmed' && typeof confirmationToken === 'string' && confirmationToken) {
    return { type, confirmationToken };
  }
  if (type === 'ended' && isReason(reason)) return { type, reason };
  return undefined;
}

/**
 * Waits for a hosted page's final message.
 * @param here the window that receives the messages
 * @returns a promise that stays pending if the page sends no final message
 */
export function listenTo(
  peer: Peer,
  until: AbortSignal,
  onReady: () => void,
  here: Window | null = window,
): Promise<Exclude<FrameMessage, { type: 'ready' }>> {
  return new Promise((resolve) => {
    const receive = (event: MessageEvent<unknown>) => {
      const message = readMessage(event, peer);
      if (message?.type === 'ready') onReady();
      else if (message) resolve(message);
    };
    here?.addEventListener('message', receive, { signal: until });
  });
}

/** Sends `close`: the shopper wants to leave. */
export function askToClose(peer: Peer): void {
  const message = { protocol: PROTOCOL, version: VERSION, session: peer.session, type: 'close' };
  peer.window()?.postMessage(message, peer.origin);
}
