/** Names what is a style sheet, for editors and for the build. Lit's own tag is ten times as long. */
export const css = String.raw;

/**
 * A style sheet for one document: a constructed one can be used in no other than the one it was
 * made in.
 * @returns undefined where that has no window, and so nothing is drawn
 */
export function sheetFor({ defaultView }: Document, text: string): CSSStyleSheet | undefined {
  const sheet = defaultView ? new defaultView.CSSStyleSheet() : undefined;
  sheet?.replaceSync(text);
  return sheet;
}
