import { css, sheetFor } from './sheet.ts';

/** Adopted by the document, so that no `style` attribute is written there. */
const text = css`
  html {
    overflow: hidden;
    scrollbar-gutter: stable;
  }
`;

/** Keeps the page behind an open dialog still: one that scrolls away is lost when that closes. */
export class Stillness {
  /** Takes out what was adopted. */
  #end: (() => void) | undefined;

  keep(still: boolean, page: Document): void {
    // Without a doctype it is the body that scrolls.
    const root = page.scrollingElement ?? page.documentElement;
    if (still === Boolean(this.#end)) return;
    this.#end?.();
    this.#end = undefined;
    // A page that does not scroll has no scrollbar to keep room for.
    if (!still || root.scrollHeight <= root.clientHeight) return;
    const sheet = sheetFor(page, text);
    if (!sheet) return;
    page.adoptedStyleSheets.push(sheet);
    this.#end = () => {
      const at = page.adoptedStyleSheets.indexOf(sheet);
      // A page that has set its own list meanwhile has taken it out.
      if (at >= 0) page.adoptedStyleSheets.splice(at, 1);
    };
  }
}
