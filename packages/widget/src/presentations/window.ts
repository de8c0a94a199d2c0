/**
 * Matches the user agent of an app's web view, which opens a window in place of the page or not at
 * all. On Apple's systems, a browser states `Version/`, `CriOS/` or `FxiOS/` with `Safari/`, and a
 * web view does not. On Android, a web view states `wv`, or `Version/` with `Chrome/`.
 */
const webView =
  /; wv\)|Version\/\S+ Chrome\/|AppleWebKit\/(?!.*(Chrome\/|(Version|CriOS|FxiOS)\/\S+ (\S+ ){0,2}Safari\/))/;

/**
 * Opens a window for the hosted page. Must be called synchronously within the shopper's click,
 * before anything is awaited: later, browsers block the window as an unwanted popup.
 * @param name an open window with this name is reused
 * @param text shown until the hosted page loads
 * @returns null if the browser blocks the window or has none
 */
export function openWindow(name: string, text: string): Window | null {
  const left = screenX + (outerWidth - 480) / 2;
  const opened = webView.test(navigator.userAgent)
    ? null
    : open('', name, `popup,width=480,height=760,left=${left}`);
  // A web view with a browser's user agent may return the page's own window.
  if (!opened || opened.closed || opened === window) return null;
  try {
    const { body, documentElement: root } = opened.document;
    opened.document.title = body.textContent = text;
    root.dir = 'auto';
    // Set through the CSSOM, because the shop's content security policy also applies in this window.
    root.style.cssText =
      'color-scheme:light dark;font:1.25em/1.5 system-ui;display:grid;place-content:center;block-size:90%';
  } catch {
    // The window was opened before a reload and still shows the lender's page, so leave it
    // unchanged.
  }
  return opened;
}
