import { pause } from '../checkout/pause.ts';
import { askToClose, listenTo } from './frame.ts';
import type { Peer } from './frame.ts';
import { aborted } from './presentation.ts';
import type { Ending, Shown, Stage } from './presentation.ts';
import { RELAY } from './return.ts';
import { readRelayed } from './returned.ts';

/** How often it is looked whether the window is still there, in milliseconds. */
const LOOK = 500;

/** Shows the hosted page in a window that the shopper's click has opened. */
export function show(
  url: URL,
  { sessionToken, signal }: Stage,
  first: Window,
  reopen: () => Window | null,
  /** Asks the companion until it knows how the checkout ended. */
  ask: (until: AbortSignal) => Promise<Ending>,
): Shown {
  let opened = first;
  // Whether a window that is closed was closed by the shopper: before the lender's page is in it,
  // and once that was heard, nobody else does.
  let theirs = first.closed;
  const peer: Peer = { window: () => opened, origin: url.origin, session: sessionToken };
  const go = () => opened.location.replace(url.href);
  const hearing = () => {
    theirs = true;
  };
  // The lender's page keeps its opener, because it sends its messages there, and may navigate that
  // window. No event names such a navigation in advance but this one: the browser asks the shopper.
  addEventListener('beforeunload', (event) => opened.closed || event.preventDefault(), { signal });
  const end = Promise.race([
    listenTo(peer, signal, hearing),
    aborted(signal),
    relayed(sessionToken, signal),
    closed(),
  ]);
  go();

  async function closed(): Promise<Ending> {
    while (!opened.closed) await pause(LOOK, signal, new EventTarget());
    if (theirs) return { type: 'ended', reason: 'cancelled' };
    // A page that isolates itself (Cross-Origin-Opener-Policy) looks closed from here, and cannot
    // be heard. What it leads to is known to the companion alone; the shopper can still cancel.
    return ask(signal);
  }

  return {
    end,
    askToClose: () => askToClose(peer),
    recall: () => {
      if (!opened.closed) opened.focus();
      else {
        opened = reopen() ?? opened;
        if (!opened.closed) go();
      }
    },
    remove: () => opened.close(),
  };
}

/** What a page of this origin heard when the window came back to the shop in place of this page. */
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
