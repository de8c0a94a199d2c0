/** A page in Markdown, with the links of its source. */
export interface Page {
  /** Path of the page, without leading and trailing slashes. */
  id: string;
  /** Markdown that begins with the page's heading. */
  markdown: string;
  /** The page's file in the repository; undefined if the page is made from the code. */
  file?: string;
}

const fences = /^(?:```|~~~).*\n(?:.*\n)*?(?:```|~~~) *$/gm;

/** Applies a function to the parts of a document that are not code blocks. */
export function mapProse(markdown: string, change: (prose: string) => string): string {
  let end = 0;
  let changed = '';
  for (const { 0: block, index } of markdown.matchAll(fences)) {
    changed += change(markdown.slice(end, index)) + block;
    end = index + block.length;
  }
  return changed + change(markdown.slice(end));
}

export interface Block {
  language: string;
  code: string;
}

/** Returns a document's code blocks. */
export function blocksIn(markdown: string): Block[] {
  return Array.from(markdown.matchAll(fences), ([block]) => {
    const [first = '', ...lines] = block.split('\n');
    const [language = ''] = first.slice(3).trim().split(' ');
    return { language, code: lines.slice(0, -1).join('\n') };
  });
}

const links = /(!?)\[((?:`[^`]*`|[^[\]`]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;

/** Replaces each link and image in a document. */
export function mapLinks(
  markdown: string,
  change: (link: { text: string; target: string; isImage: boolean }) => string,
): string {
  return mapProse(markdown, (prose) =>
    prose.replaceAll(links, (_, mark: string, text: string, target: string) =>
      change({ text, target, isImage: mark === '!' }),
    ),
  );
}

/** Returns text without Markdown syntax. */
export function plain(text: string): string {
  return text
    .replaceAll(links, '$2')
    .replaceAll(/(?<![\w\\])[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}(?!\w)/g, '')
    .replaceAll(/[`\\]/g, '');
}

/** Splits a page's heading from the rest. */
export function splitHeading({ id, markdown }: Page): { title: string; body: string } {
  const [, heading, body] = /^(?:<!--.*-->\s*)?# (.+)\n([^]*)$/.exec(markdown) ?? [];
  if (heading === undefined || body === undefined) throw new Error(`${id} has no heading.`);
  return { title: plain(heading), body };
}

/** Returns the anchors of a document's headings, as GitHub and Astro make them. */
export function anchorsIn(markdown: string): Set<string> {
  const anchors = new Set<string>();
  mapProse(markdown, (prose) => {
    for (const [, text = ''] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
      const slug = plain(text)
        .toLowerCase()
        .trim()
        .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
        .replaceAll(' ', '-');
      let anchor = slug;
      for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
      anchors.add(anchor);
    }
    return prose;
  });
  return anchors;
}

/** Escapes text for a table cell. */
export const cell = (text: string): string =>
  text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');

/** Returns a table, or an empty text if there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
