/** In-app browsers cannot open windows: a checkout in one would never appear. */
const inApp = /FBA[NV]|FB_IAB|Instagram|; wv\)/;

/**
 * Opens a window for the hosted page. Call it in the shopper's click itself, before anything is
 * awaited: browsers block it later as an advertisement.
 * @param name an open window of that name is used again
 * @param text shown until the hosted page loads
 * @returns null when the browser blocks it
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
    // Through the CSSOM: the shop's content security policy also applies in this window.
    root.style.cssText =
      'color-scheme:light dark;font:1.25em/1.5 system-ui;display:grid;place-content:center;block-size:90%';
  } catch {
    // The window has been open since before a reload and shows the lender's page: leave it.
  }
  return opened;
}
