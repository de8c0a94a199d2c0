import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anchorsIn, mapLinks, type Page, splitHeading } from './markdown.ts';

/** Folder of the repository. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** What a link of a page leads to. */
type Target =
  | { kind: 'outside'; url: string }
  | { kind: 'page'; id: string; anchor: string }
  | { kind: 'file'; path: string }
  | { kind: 'dead' };

/** A page that is no part of this site's build; `npm run docs` puts it beside it. */
const beside = 'playground';

/** Resolves links between pages. */
export class Links {
  readonly #pages: ReadonlyMap<string, Page>;
  readonly #byFile: ReadonlyMap<string, Page>;
  readonly #anchors = new Map<string, Set<string>>();

  constructor(pages: readonly Page[]) {
    this.#pages = new Map(pages.map((page) => [page.id, page]));
    this.#byFile = new Map(
      pages.flatMap((page) => (page.file === undefined ? [] : [[page.file, page] as const])),
    );
    // The list of decisions is the page of their folder.
    const decisions = this.#pages.get('contribute/decisions');
    if (decisions) this.#byFile = new Map([...this.#byFile, ['docs/decisions', decisions]]);
  }

  resolve(from: Page, target: string): Target {
    if (/^(?:https?|mailto):/.test(target)) return { kind: 'outside', url: target };
    const [path = '', anchor = ''] = target.split('#');
    if (target.startsWith('/')) {
      const id = path.replaceAll(/^\/|\/?(?:\?.*)?$/g, '') || 'index';
      if (id === beside) return { kind: 'outside', url: target };
      return this.#anchored(this.#pages.get(id), anchor);
    }
    if (path === '') return this.#anchored(from, anchor);
    const file = posix
      .normalize(posix.join(posix.dirname(from.file ?? ''), path))
      .replace(/\/$/, '');
    const page = this.#byFile.get(file) ?? this.#byFile.get(posix.join(file, 'README.md'));
    if (page) return this.#anchored(page, anchor);
    return existsSync(join(root, file)) ? { kind: 'file', path: file } : { kind: 'dead' };
  }

  #anchored(page: Page | undefined, anchor: string): Target {
    if (page === undefined) return { kind: 'dead' };
    const { id, markdown } = page;
    if (anchor === '') return { kind: 'page', id, anchor };
    const anchors = this.#anchors.get(id) ?? anchorsIn(markdown);
    this.#anchors.set(id, anchors);
    if (!anchors.has(anchor)) return { kind: 'dead' };
    // The heading of the page is its top.
    const [first] = anchors;
    return { kind: 'page', id, anchor: anchor === first ? '' : anchor };
  }

  /** Returns the links of a page that lead nowhere. */
  deadIn(page: Page): string[] {
    const dead: string[] = [];
    mapLinks(page.markdown, ({ target }) => {
      if (this.resolve(page, target).kind === 'dead') dead.push(target);
      return '';
    });
    return dead;
  }
}

/** Returns the path of a page on the site. */
export function pathOf(id: string, base: string): string {
  const folder = base.replace(/\/$/, '');
  return id === 'index' ? `${folder}/` : `${folder}/${id}/`;
}

/** Name of an image on the site. */
export const imageName = (file: string): string => file.replaceAll('/', '-');

/** Returns width and height of a PNG image. */
function sizeOf(file: string): { width: number; height: number } {
  const header = readFileSync(join(root, file)).subarray(16, 24);
  return { width: header.readUInt32BE(0), height: header.readUInt32BE(4) };
}

/** Returns the arrows of a flowchart as a table, because a diagram would need a program in the page. */
function withoutDiagrams(markdown: string): string {
  return markdown.replaceAll(/^```mermaid\nflowchart \w+\n([^]*?)^```$/gm, (_, arrows: string) => {
    const uses = new Map<string, string[]>();
    for (const [, from = '', to = ''] of arrows.matchAll(/^ *([\w-]+) --> ([\w-]+)$/gm)) {
      uses.set(from, [...(uses.get(from) ?? []), to]);
    }
    const rows = Array.from(uses, ([from, to]) => `| ${from} | ${to.join(', ')} |`);
    return ['| room | uses |', '| --- | --- |', ...rows].join('\n');
  });
}

/**
 * Returns a page for the site: its title, and its Markdown with the links of the site.
 * @throws {Error} if a link leads nowhere
 */
export function sitePage(
  page: Page,
  links: Links,
  base: string,
): { title: string; markdown: string } {
  const { title, body } = splitHeading(page);
  const folder = base.replace(/\/$/, '');
  const markdown = mapLinks(withoutDiagrams(body), ({ isImage, target, text }) => {
    const to = links.resolve(page, target);
    switch (to.kind) {
      case 'outside':
        return `[${text}](${to.url.startsWith('/') ? folder + to.url : to.url})`;
      case 'page':
        return `[${text}](${pathOf(to.id, base)}${to.anchor && `#${to.anchor}`})`;
      case 'file': {
        if (isImage) {
          const { width, height } = sizeOf(to.path);
          const alt = text.replaceAll('"', '&quot;');
          return `<img src="${folder}/images/${imageName(to.path)}" alt="${alt}" width="${width}" height="${height}" loading="lazy">`;
        }
        // The repository has no public address: its files are named.
        return text.includes(to.path) || text.startsWith('`') ? text : `${text} (\`${to.path}\`)`;
      }
      case 'dead':
        throw new Error(`${page.file ?? page.id}: the link ${target} leads nowhere.`);
    }
  });
  return { title, markdown };
}
