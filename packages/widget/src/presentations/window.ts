/** Browsers inside of apps have no windows to open: a page in them would be waited for in vain. */
const inApp = /FBA[NV]|FB_IAB|Instagram|; wv\)/;

/**
 * Opens a window for the hosted page. To be called in the shopper's click itself, before anything
 * is awaited: later, browsers take it for an advertisement.
 * @param name a window of that name that is open still is used again
 * @param text what it says until it is sent on
 * @returns null when the browser does not let it
 */
export function openWindow(name: string, text: string): Window | null {
  const left = screenX + (outerWidth - 480) / 2;
  const opened = inApp.test(navigator.userAgent)
    ? null
    : open('', name, `popup,width=480,height=760,left=${left}`);
  if (!opened || opened.closed) return null;
  try {
    const { body, documentElement: root } = opened.document;
    opened.document.title = body.textContent = text;
    root.dir = 'auto';
    // Through the CSSOM: the shop's content security policy holds in this window, too.
    root.style.cssText =
      'color-scheme:light dark;font:1.25em/1.5 system-ui;display:grid;place-content:center;block-size:90%';
  } catch {
    // It was open since before a reload, with the lender's page in it: out of reach, and in use.
  }
  return opened;
}
