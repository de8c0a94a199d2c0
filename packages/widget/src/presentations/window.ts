/**
 * Matches in-app browsers, which cannot open windows: a checkout in a window would never appear.
 */
const inApp = /FBA[NV]|FB_IAB|Instagram|; wv\)/;

/**
 * Opens a window for the hosted page. Call this synchronously within the shopper's click, before
 * anything is awaited: later, browsers block the window as an unwanted popup.
 * @param name an open window with this name is reused
 * @param text shown until the hosted page loads
 * @returns null when the browser blocks the window
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
    // The window was opened before a reload and still shows the lender's page, so leave it
    // unchanged.
  }
  return opened;
}
