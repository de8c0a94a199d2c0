import { relative, resolve } from 'node:path';
import type { Asset, Bundle, Chunk, Context } from './bundle.ts';
import type { ForbiddenModules } from './modules.ts';
import type { Finding, KeySearch } from './search.ts';

/** A key or module that must not be published, and where it was found. */
export interface Leak {
  file: string;
  what: string;
  /** The module that contains it, and its importers up to the entry; empty when unknown. */
  chain: readonly string[];
}

/** Maximum length of a reported chain. */
const longestChain = 8;

/**
 * Finds forbidden modules in a chunk, forbidden packages that it imports at run time, and forbidden
 * files that are emitted unchanged (`new URL('…', import.meta.url)`).
 * @param root directory that relative names of original files are resolved against
 */
export function forbiddenIn(
  bundle: Bundle,
  forbidden: ForbiddenModules,
  context: Context,
  root: string,
): Leak[] {
  const copies = Object.values(bundle).flatMap((output) => {
    const names = output.type === 'asset' ? (output.originalFileNames ?? []) : [];
    const entry = names.map((name) => forbidden.match(resolve(root, name))).find(Boolean);
    return entry ? [{ file: output.fileName, what: `is a file of ${entry}`, chain: [] }] : [];
  });
  const modules = chunksOf(bundle).flatMap((chunk) => {
    const leaks = new Map<string, Leak>();
    const add = (id: string, verb: string, chain: () => readonly string[]) => {
      const entry = forbidden.match(id);
      if (entry === undefined || leaks.has(entry)) return;
      leaks.set(entry, { file: chunk.fileName, what: `${verb} ${entry}`, chain: chain() });
    };
    // Rollup lists imports before their importers, so the last module is the chunk's entry point.
    for (const id of Object.keys(chunk.modules).reverse()) {
      add(id, 'holds a module of', () => importChain(id, context));
    }
    for (const specifier of [...chunk.imports, ...chunk.dynamicImports]) {
      if (!(specifier in bundle)) add(specifier, 'imports, in the browser,', () => []);
    }
    return [...leaks.values()];
  });
  return [...modules, ...copies];
}

/** Finds keys in the name and the content of an output file. */
export function keysIn(output: Chunk | Asset, search: KeySearch, context: Context): Leak[] {
  const file = output.fileName;
  const leaks = (content: string | Uint8Array, chain: () => readonly string[]) =>
    search.find(content).map((finding) => ({ file, what: describe(finding), chain: chain() }));
  return [
    ...leaks(file, () => []),
    ...(output.type === 'asset'
      ? leaks(output.source, () => sourceOfKey(output, search))
      : leaks(output.code, () => moduleOfKey(output, search, context))),
  ];
}

/** Returns a description such as "holds the key secrets[0], as base64". */
export function describe({ key, encodings }: Finding): string {
  const how = encodings.length > 0 ? `, as ${encodings.join(', in it ')}` : '';
  return `holds the key ${key}${how}`;
}

function chunksOf(bundle: Bundle): Chunk[] {
  return Object.values(bundle).filter((output) => output.type === 'chunk');
}

/** Returns the module whose part of the chunk contains the key; empty when several modules do. */
function moduleOfKey(chunk: Chunk, search: KeySearch, context: Context): string[] {
  const found = Object.entries(chunk.modules).find(
    ([, { code }]) => code !== null && search.find(code).length > 0,
  );
  return found ? importChain(found[0], context) : [];
}

/** Returns the source of a source map (ECMA-426) that contains the key. */
function sourceOfKey(asset: Asset, search: KeySearch): string[] {
  if (!asset.fileName.endsWith('.map')) return [];
  try {
    const text =
      typeof asset.source === 'string' ? asset.source : Buffer.from(asset.source).toString();
    const map = JSON.parse(text) as { sources?: string[]; sourcesContent?: (string | null)[] };
    const index = (map.sourcesContent ?? []).findIndex(
      (content) => content !== null && search.find(content).length > 0,
    );
    const source = map.sources?.[index];
    return source === undefined ? [] : [source];
  } catch {
    // Not a valid map: the leak is still reported, without its source.
    return [];
  }
}

/** Returns the shortest chain of importers from a module to one without importers. */
function importChain(id: string, context: Context): string[] {
  const chains: string[][] = [[id]];
  const seen = new Set([id]);
  for (const chain of chains) {
    const info = context.getModuleInfo(chain[chain.length - 1] ?? id);
    const importers = [...(info?.importers ?? []), ...(info?.dynamicImporters ?? [])];
    if (importers.length === 0) return shown(chain);
    for (const importer of importers.filter((name) => !seen.has(name))) {
      seen.add(importer);
      chains.push([...chain, importer]);
    }
  }
  return shown(chains[chains.length - 1] ?? [id]);
}

function shown(chain: readonly string[]): string[] {
  const names = chain.map((id) => relative(process.cwd(), id.replace(/^\0/, '')) || id);
  return names.length > longestChain ? [...names.slice(0, longestChain), '…'] : names;
}
