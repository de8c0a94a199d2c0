import { css, sheetFor } from './sheet.ts';

/** The document adopts this style sheet, so that no `style` attribute is needed. */
const text = css`
  html {
    overflow: hidden;
    scrollbar-gutter: stable;
  }
`;

/** Keeps the page behind an open dialog from scrolling: the shopper would lose their place. */
export class ScrollLock {
  #release: (() => void) | undefined;

  set(locked: boolean, page: Document): void {
    // In a page without a doctype, the body scrolls.
    const root = page.scrollingElement ?? page.documentElement;
    if (locked === Boolean(this.#release)) return;
    this.#release?.();
    this.#release = undefined;
    // A page that does not scroll has no scrollbar to reserve space for.
    if (!locked || root.scrollHeight <= root.clientHeight) return;
    const sheet = sheetFor(page, text);
    if (!sheet) return;
    page.adoptedStyleSheets.push(sheet);
    this.#release = () => {
      const at = page.adoptedStyleSheets.indexOf(sheet);
      // A page that has replaced its list of style sheets has removed this one.
      if (at >= 0) page.adoptedStyleSheets.splice(at, 1);
    };
  }
}
