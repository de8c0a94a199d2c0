import { askToClose, listenTo } from './frame.ts';
import type { Peer } from './frame.ts';
import { stayAboveKeyboard } from './keyboard.ts';
import { aborted, BlockedError } from './presentation.ts';
import type { Shown, Stage } from './presentation.ts';

/** Shows the hosted page in a frame. */
export function embed(
  url: URL,
  { sessionToken, signal, onReady, onLost }: Stage,
  container: Element,
): Shown {
  const frame = document.createElement('iframe');
  frame.part.add('frame');
  // It needs its own origin for its cookies and for our check of that origin, which is never
  // ours (see hosted.ts): so it cannot reach up and take this sandbox off. No top navigation.
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
    session: sessionToken,
  };
  // An element can be in another document than this script.
  const page = container.ownerDocument;
  const hearing = () => {
    frame.onload = null;
    onReady(frame);
  };
  const offline = () => {
    // Without a network the browser puts a page of its own there, and nothing in that leads back.
    // A page that says that it is ready is none of those, whatever the browser thinks of the network.
    frame.onload = () => navigator.onLine || onLost();
  };
  addEventListener('offline', offline, { signal });
  const end = Promise.race([
    listenTo(peer, signal, hearing, page.defaultView),
    aborted(signal),
    refused(page, url, signal),
  ]);
  container.replaceChildren(frame);
  stayAboveKeyboard(container.getRootNode(), signal);

  return {
    end,
    askToClose: () => askToClose(peer),
    reload: () => {
      frame.src = url.href;
    },
    remove: () => frame.remove(),
  };
}

/** Rejects when the page's own policy does not let the frame in (CSP3 6.1.7): no wait helps. */
function refused(page: Document, url: URL, until: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const read = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
      if (effectiveDirective !== 'frame-src' || !blockedURI.startsWith(url.origin)) return;
      reject(new BlockedError('frame-blocked', `Add ${url.origin} to frame-src.`));
    };
    page.addEventListener('securitypolicyviolation', read, { signal: until });
  });
}
