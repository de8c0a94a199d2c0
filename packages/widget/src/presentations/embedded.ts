import { aborted } from '../platform/abort.ts';
import { askToClose, listenTo } from './frame.ts';
import type { Peer } from './frame.ts';
import { BlockedError } from './presentation.ts';
import type { Shown, Stage } from './presentation.ts';

/**
 * Maximum time between `ready` and the load event of the same page, in milliseconds. A shopper
 * takes longer to navigate to the next page.
 */
const LOAD_LAG = 3_000;

/** Shows the hosted page in a frame. */
export function embed(
  url: URL,
  { sessionToken, signal, onReady, onSilent }: Stage,
  container: Element,
): Shown {
  const frame = document.createElement('iframe');
  frame.part.add('frame');
  // The page needs its own origin for its cookies and for the origin check of its messages. That
  // origin is never the shop's (see hosted.ts), so the page cannot remove this sandbox. It must not
  // navigate the top window.
  frame.setAttribute(
    'sandbox',
    'allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals allow-storage-access-by-user-activation',
  );
  // Allowed only for that page's origin. Camera, microphone and location remain denied: the browser
  // would ask for permission in the shop's name and remember the decision. A separate window can
  // ask for them.
  frame.allow = 'publickey-credentials-get;publickey-credentials-create';
  frame.referrerPolicy = 'strict-origin';
  frame.src = url.href;

  const peer: Peer = {
    window: () => frame.contentWindow,
    origin: url.origin,
    session: sessionToken,
  };
  // The element may be in a different document than this script.
  const page = container.ownerDocument;
  // Of the pages in the frame, only the load events are observable here, and a page sends `ready`
  // before or after its load event. A load without `ready` means that the page failed or is about
  // to send `ready`. A page that has sent `ready` has arrived, even if the browser claims to be
  // offline.
  let readyAt = 0;
  let awaited = false;
  const onFrameReady = () => {
    readyAt = Date.now();
    onReady(frame);
  };
  frame.onload = () => {
    // A `ready` since the last load belongs to this page, unless the previous page had not sent its
    // own. In that case, it belongs to this page only if it arrived while this page was loading.
    awaited = awaited ? Date.now() - readyAt > LOAD_LAG : !readyAt;
    readyAt = 0;
    if (awaited) onSilent();
  };
  const end = Promise.race([
    listenTo(peer, signal, onFrameReady, page.defaultView),
    aborted(signal),
    refused(page, url, signal),
  ]);
  container.replaceChildren(frame);
  // A soft keyboard resizes the visual viewport. The code for it loads only when one appears.
  const onResize = () => {
    void import('./keyboard.ts')
      .then(({ stayAboveKeyboard }) => stayAboveKeyboard(container.getRootNode(), signal))
      .catch(() => undefined);
  };
  visualViewport?.addEventListener('resize', onResize, { once: true, signal });

  return {
    end,
    askToClose: () => askToClose(peer),
    reload: () => {
      // The replaced page is no longer expected to send `ready`.
      awaited = false;
      frame.src = url.href;
    },
    remove: () => frame.remove(),
  };
}

/**
 * Rejects if the page's own content security policy blocks the frame (CSP3 6.1.7), because waiting
 * would not help.
 */
function refused(page: Document, url: URL, until: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const check = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
      if (effectiveDirective !== 'frame-src' || !blockedURI.startsWith(url.origin)) return;
      reject(new BlockedError('frame-blocked', `Add ${url.origin} to frame-src.`));
    };
    page.addEventListener('securitypolicyviolation', check, { signal: until });
  });
}
