import { askToClose, listenTo } from './frame.ts';
import type { Peer } from './frame.ts';
import { stayAboveKeyboard } from './keyboard.ts';
import { aborted, BlockedError } from './presentation.ts';
import type { Shown, Stage } from './presentation.ts';

/** How long a page that is ready may go on loading, in milliseconds. Who goes on from it takes longer. */
const REST = 3_000;

/** Shows the hosted page in a frame. */
export function embed(
  url: URL,
  { sessionToken, signal, onReady, onSilent }: Stage,
  container: Element,
): Shown {
  const frame = document.createElement('iframe');
  frame.part.add('frame');
  // It needs its own origin for its cookies and for our check of that origin, which is never
  // ours (see hosted.ts): so it cannot reach up and take this sandbox off. No top navigation.
  frame.setAttribute(
    'sandbox',
    'allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals allow-storage-access-by-user-activation',
  );
  // For the origin of that page alone. What a browser asks the shopper for in the name of the shop,
  // and remembers for it (camera, microphone, place), is not given: a window has it.
  frame.allow = 'publickey-credentials-get;publickey-credentials-create';
  frame.referrerPolicy = 'strict-origin';
  frame.src = url.href;

  const peer: Peer = {
    window: () => frame.contentWindow,
    origin: url.origin,
    session: sessionToken,
  };
  // An element can be in another document than this script.
  const page = container.ownerDocument;
  // Of the pages in there only their loads are known, and each says that it is ready before its own
  // or after. So a load without that is of a page that has failed, or that is still to say so; one
  // that says so has come, whatever the browser thinks of the network.
  let ready = 0;
  let awaited = false;
  const hearing = () => {
    ready = Date.now();
    onReady(frame);
  };
  frame.onload = () => {
    // What was said since the last load was said by this page, unless that load's was late: then it
    // is this one's only if it was said as it loaded.
    awaited = awaited ? Date.now() - ready > REST : !ready;
    ready = 0;
    if (awaited) onSilent();
  };
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
      // Nothing is awaited any more of what was there.
      awaited = false;
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
