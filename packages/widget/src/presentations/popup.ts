import { aborted } from '../platform/abort.ts';
import { isObject } from '../platform/object.ts';
import { pause } from '../platform/pause.ts';
import { askToClose, listenTo } from './frame.ts';
import type { Peer } from './frame.ts';
import type { End, Ending, Shown, Stage } from './presentation.ts';
import { endOf, RELAY } from './return.ts';

/** Interval between checks of whether the window is closed, in milliseconds. */
const INTERVAL = 500;

/** Shows the hosted page in a window opened by the shopper's click. */
export function showInWindow(
  url: URL,
  { sessionToken, signal }: Stage,
  first: Window,
  reopen: () => Window | null,
  /** Polls the companion until the checkout has ended. */
  poll: (until: AbortSignal) => Promise<Ending>,
): Shown {
  let opened = first;
  // Whether the shopper closed the window. Nothing else can close it before the lender's page has
  // loaded, or after that page has sent `ready`.
  let closedByShopper = first.closed;
  const peer: Peer = { window: () => opened, origin: url.origin, session: sessionToken };
  const go = () => opened.location.replace(url.href);
  const onReady = () => {
    closedByShopper = true;
  };
  // The lender's page needs its opener to send messages, but could also navigate it. Only this
  // event precedes such a navigation; it lets the browser ask the shopper.
  addEventListener('beforeunload', (event) => opened.closed || event.preventDefault(), { signal });
  const end = Promise.race([
    listenTo(peer, signal, onReady),
    aborted(signal),
    relayed(sessionToken, signal),
    closed(),
  ]);
  go();

  async function closed(): Promise<Ending> {
    while (!opened.closed) await pause(INTERVAL, signal);
    if (closedByShopper) return { type: 'ended', reason: 'cancelled' };
    // A page that isolates itself (Cross-Origin-Opener-Policy) looks closed from here and cannot
    // send messages. Only the companion learns the outcome. The shopper can still cancel.
    return poll(signal);
  }

  return {
    end,
    askToClose: () => askToClose(peer),
    focus: () => {
      if (!opened.closed) opened.focus();
      else {
        opened = reopen() ?? opened;
        if (!opened.closed) go();
      }
    },
    remove: () => opened.close(),
  };
}

/**
 * Waits for a relayed return: the window has navigated back to the shop, to another page of this
 * origin.
 */
function relayed(session: string, until: AbortSignal): Promise<Ending> {
  const channel = new BroadcastChannel(RELAY);
  until.addEventListener('abort', () => channel.close());
  return new Promise((resolve) => {
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      const end = readRelayed(data, session);
      if (!end) return;
      channel.postMessage({ taken: session });
      resolve(end);
    });
  });
}

/** Reads a message from another of the shop's pages. @returns undefined for another session */
function readRelayed(data: unknown, session: string): End | undefined {
  if (!isObject(data) || data.session !== session) return undefined;
  return endOf(data.token, data.reason);
}
