import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type Finding, type Keys, KeySearch } from './search.ts';

/** A key found in a file name or file content. */
export interface FolderFinding extends Finding {
  /**
   * Path relative to the folder, with forward slashes; withheld when the path itself contains the
   * key.
   */
  file: string;
}

/**
 * Searches the names and contents of all files below a folder, such as a finished `dist`, including
 * hidden files. Follows symbolic links.
 * @throws {KeyFenceError} when a key or a fingerprint is invalid; an `Error` of `node:fs` when the
 * folder or one of its files cannot be read
 */
export async function scanFolder(folder: string, keys: Keys): Promise<FolderFinding[]> {
  return findInFolder(folder, new KeySearch(keys));
}

export async function findInFolder(folder: string, search: KeySearch): Promise<FolderFinding[]> {
  const findings: FolderFinding[] = [];
  for await (const path of filesBelow(folder, new Set())) {
    const file = relative(folder, path).replaceAll(sep, '/');
    const found = [...search.find(file), ...search.find(await readFile(path))];
    findings.push(...found.map((finding) => ({ file: search.withhold(file), ...finding })));
  }
  return findings;
}

/** Follows symbolic links, as a copy to a web server would; `visited` guards against cycles. */
async function* filesBelow(folder: string, visited: Set<string>): AsyncGenerator<string> {
  const real = await realpath(folder);
  if (visited.has(real)) return;
  visited.add(real);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const status = await stat(path);
    if (status.isFile()) yield path;
    if (status.isDirectory()) yield* filesBelow(path, visited);
  }
}
