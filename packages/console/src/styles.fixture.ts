import { beforeEach } from 'vitest';

/**
 * Applies style sheets, imported with `?inline`, in each of a file's tests. Any other import would
 * add them to the page for all later files.
 */
export function useStyles(...texts: readonly string[]): void {
  const sheets = texts.map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  beforeEach(() => {
    document.adoptedStyleSheets = sheets;
  });
}
