import { sheetFor } from '../views/sheet.ts';

/** Maximum height of a browser's own toolbars, in pixels; a keyboard is taller. */
const BARS = 120;

/**
 * Keeps the dialog above a soft keyboard. The keyboard covers the page without resizing the layout
 * viewport or changing `dvh`; only the visual viewport shrinks. Uses a style sheet, because a
 * content security policy may forbid style attributes.
 */
export function stayAboveKeyboard(root: Node, until: AbortSignal): void {
  const { visualViewport: seen } = globalThis;
  if (!seen || !(root instanceof ShadowRoot) || until.aborted) return;
  const sheet = sheetFor(root.ownerDocument, '');
  if (!sheet) return;
  root.adoptedStyleSheets.push(sheet);
  const fit = () => {
    // Zooming in also shrinks the visual viewport.
    const covered = innerHeight - seen.height * seen.scale > BARS;
    const rule = `dialog{margin-block:${seen.offsetTop}px auto;block-size:${seen.height}px}`;
    sheet.replaceSync(covered ? rule : '');
  };
  fit();
  for (const type of ['resize', 'scroll']) seen.addEventListener(type, fit, { signal: until });
  until.addEventListener('abort', () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
  });
}
