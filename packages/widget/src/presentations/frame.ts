import { isObject } from '../checkout/object.ts';

const PROTOCOL = 'financing-checkout';
const VERSION = 1;

/** Why a hosted page ended without a confirmed offer. */
export type EndReason = 'declined' | 'cancelled' | 'expired' | 'pending' | 'failed';
const reasons: readonly string[] = 'pending declined cancelled expired failed'.split(' ');

/** Narrows to one of the reasons. */
export function isReason(value: unknown): value is EndReason {
  return reasons.includes(value as string);
}

/** What the hosted page can say. */
export type FrameMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'confirmed'; readonly confirmationToken: string }
  | { readonly type: 'ended'; readonly reason: EndReason };

/** The other side of a conversation: one window, on one origin, about one session. */
export interface Peer {
  readonly window: () => Window | null;
  readonly origin: string;
  readonly session: string;
}

/**
 * Reads a message event. Any page can post anything to this window, so all of origin, window,
 * protocol, version and session must be the peer's.
 * @returns undefined for a message that is not the peer's, or not of this protocol.
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
 * Listens to a hosted page until it is done.
 * @param here the window that it speaks to
 * @returns what it ended with; never, where it says nothing more.
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

/** Tells the hosted page that the shopper wants to leave. */
export function askToClose(peer: Peer): void {
  const message = { protocol: PROTOCOL, version: VERSION, session: peer.session, type: 'close' };
  peer.window()?.postMessage(message, peer.origin);
}
