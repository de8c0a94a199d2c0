import { css } from 'lit';

/** Adopted by the document, so that no `style` attribute is written there. */
const { styleSheet } = css`
  html {
    overflow: hidden;
    scrollbar-gutter: stable;
  }
`;

/** Keeps the page behind an open dialog still: one that scrolls away is lost when that closes. */
export class Stillness {
  #adopted = false;

  keep(still: boolean): void {
    const { adoptedStyleSheets: sheets, documentElement: root } = document;
    if (!styleSheet || still === this.#adopted) return;
    // A page that does not scroll has no scrollbar to keep room for.
    if (still && root.scrollHeight <= root.clientHeight) return;
    this.#adopted = still;
    const last = sheets.lastIndexOf(styleSheet);
    if (still) sheets.push(styleSheet);
    // A page that has set its own list meanwhile has taken it out.
    else if (last >= 0) sheets.splice(last, 1);
  }
}
