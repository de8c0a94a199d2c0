import type { Presentation } from './answer.ts';
import { parse } from './address.ts';
import { ConfigurationError, isTrustworthy } from './configuration.ts';
import { askToClose, readMessage } from './frame.ts';
import type { FrameMessage, Peer } from './frame.ts';

/** How a presentation ended: the shopper confirmed an offer, or it is over without one. */
export type End = Exclude<FrameMessage, { type: 'ready' }>;

/** A hosted checkout on show, whatever shows it. */
export interface Shown {
  /** Settles once; rejects when the signal is aborted. */
  readonly end: Promise<End>;
  /** Asks it to end as cancelled. It may not answer. */
  askToClose(): void;
  /** Loads it again, where nothing came. */
  reload(): void;
  remove(): void;
}

/** Shows the hosted page in a frame. */
export function embed(options: {
  readonly presentation: Presentation | undefined;
  readonly container: Element;
  readonly title: string;
  readonly signal: AbortSignal;
  readonly onReady: (frame: HTMLIFrameElement) => void;
}): Shown {
  const { presentation, container, title, signal, onReady } = options;
  const url = hostedUrl(presentation?.hosted);
  const frame = document.createElement('iframe');
  frame.title = title;
  frame.part.add('frame');
  // It needs its own origin for its cookies and for our check of that origin, which is never
  // ours (see below): so it cannot reach up and take this sandbox off. No top navigation.
  frame.setAttribute(
    'sandbox',
    'allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox',
  );
  frame.allow = '';
  frame.referrerPolicy = 'strict-origin';
  frame.src = url.href;

  const peer: Peer = {
    window: () => frame.contentWindow,
    origin: url.origin,
    session: presentation?.sessionToken ?? '',
  };
  const gone = new AbortController();
  const listening = AbortSignal.any([signal, gone.signal]);
  const end = new Promise<End>((resolve, reject) => {
    const receive = (event: MessageEvent<unknown>) => {
      const message = readMessage(event, peer);
      if (message?.type === 'ready') onReady(frame);
      else if (message) resolve(message);
    };
    addEventListener('message', receive, { signal: listening });
    signal.addEventListener('abort', () => reject(signal.reason as Error), {
      signal: gone.signal,
    });
  });
  container.replaceChildren(frame);

  return {
    end,
    askToClose: () => askToClose(peer),
    reload: () => {
      frame.src = url.href;
    },
    remove: () => {
      gone.abort();
      frame.remove();
    },
  };
}

/** @throws {ConfigurationError} when there is no page that may be framed. */
function hostedUrl(hosted: Presentation['hosted']): URL {
  const url = hosted?.modes.includes('embedded') ? parse(hosted.url) : undefined;
  if (!url) {
    throw new ConfigurationError(
      'presentation-unsupported',
      'The companion offers no hosted page to embed.',
    );
  }
  if (!isTrustworthy(url) || url.origin === location.origin) {
    throw new ConfigurationError(
      'hosted-url-invalid',
      'The hosted page must be on https, and on another origin than this page.',
    );
  }
  return url;
}
