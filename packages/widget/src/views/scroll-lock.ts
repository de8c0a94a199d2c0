import { css, sheetFor } from './sheet.ts';

/** The document adopts this style sheet, so that no `style` attribute is needed. */
const text = css`
  html {
    overflow: hidden;
    scrollbar-gutter: stable;
  }
`;

/**
 * Keeps the page behind an open dialog from scrolling, so that the shopper does not lose their
 * place.
 * @returns a function that lets the page scroll again; undefined if the page does not scroll
 */
export function lockScroll(page: Document): (() => void) | undefined {
  // In a page without a doctype, the body scrolls.
  const root = page.scrollingElement ?? page.documentElement;
  // A page that does not scroll has no scrollbar to reserve space for.
  if (root.scrollHeight <= root.clientHeight) return undefined;
  const sheet = sheetFor(page, text);
  if (!sheet) return undefined;
  page.adoptedStyleSheets.push(sheet);
  return () => {
    const at = page.adoptedStyleSheets.indexOf(sheet);
    // If the page has replaced its list of style sheets, this one is already gone.
    if (at >= 0) page.adoptedStyleSheets.splice(at, 1);
  };
}
