import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anchorsIn, mapLinks, type Page, splitHeading } from './markdown.ts';

/** The repository's folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The target of a page's link. */
type Target =
  | { kind: 'outside'; url: string }
  | { kind: 'page'; id: string; anchor: string }
  | { kind: 'file'; path: string }
  | { kind: 'dead' };

/** A page that is not part of this site's build; `npm run docs` puts it next to it. */
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
    // The folder's page is the list of decisions.
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
    // The page's heading is its top.
    const [first] = anchors;
    return { kind: 'page', id, anchor: anchor === first ? '' : anchor };
  }

  /** Returns a page's dead links. */
  deadIn(page: Page): string[] {
    const dead: string[] = [];
    mapLinks(page.markdown, ({ target }) => {
      if (this.resolve(page, target).kind === 'dead') dead.push(target);
      return '';
    });
    return dead;
  }
}

/** Returns a page's path on the site. */
export function pathOf(id: string, base: string): string {
  const folder = base.replace(/\/$/, '');
  return id === 'index' ? `${folder}/` : `${folder}/${id}/`;
}

/** An image's name on the site. */
export const imageName = (file: string): string => file.replaceAll('/', '-');

/** Returns a PNG image's width and height. */
function sizeOf(file: string): { width: number; height: number } {
  const header = readFileSync(join(root, file)).subarray(16, 24);
  return { width: header.readUInt32BE(0), height: header.readUInt32BE(4) };
}

/** Returns a flowchart's arrows as a table, because a diagram would need a program in the page. */
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
 * Returns a page for the site: its title, and its Markdown with the site's links.
 * @throws {Error} if a link is dead
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
        // The repository has no public address, so its files are named.
        return text.includes(to.path) || text.startsWith('`') ? text : `${text} (\`${to.path}\`)`;
      }
      case 'dead':
        throw new Error(`${page.file ?? page.id}: the link ${target} leads nowhere.`);
    }
  });
  return { title, markdown };
}
