import { sheetFor } from '../views/sheet.ts';

/** What a bar of the browser takes at most, in pixels; a keyboard takes more. */
const BARS = 120;

/**
 * Keeps the dialog above a soft keyboard. That covers the page without making it smaller, `dvh`
 * included; only the visual viewport tells. By a style sheet: an attribute would need the policy's
 * leave.
 */
export function stayAboveKeyboard(root: Node, until: AbortSignal): void {
  const { visualViewport: seen } = globalThis;
  if (!seen || !(root instanceof ShadowRoot)) return;
  const sheet = sheetFor(root.ownerDocument, '');
  if (!sheet) return;
  root.adoptedStyleSheets.push(sheet);
  const fit = () => {
    // A page that is magnified shows less of itself, too.
    const covered = innerHeight - seen.height * seen.scale > BARS;
    const rule = `dialog{margin-block:${seen.offsetTop}px auto;block-size:${seen.height}px}`;
    sheet.replaceSync(covered ? rule : '');
  };
  for (const type of ['resize', 'scroll']) seen.addEventListener(type, fit, { signal: until });
  until.addEventListener('abort', () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
  });
}
