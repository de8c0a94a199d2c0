import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Content of `sri.json`: the version, and the digest of each script, keyed by path. */
export interface PublishedHashes {
  readonly version: string;
  /** Values for the attribute `integrity` and for the `integrity` of an import map. */
  readonly files: Readonly<Record<string, string>>;
}

/** Returns a value for the attribute `integrity` (SRI 3.5). */
export function integrityOf(content: Uint8Array | string): string {
  return `sha384-${createHash('sha384').update(content).digest('base64')}`;
}

/** Returns the digests of all scripts in a folder. */
export function hashesOf(folder: string, version: string): PublishedHashes {
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.js'))
    .sort();
  const files = scripts.map((name) => [name, integrityOf(readFileSync(join(folder, name)))]);
  return { version, files: Object.fromEntries(files) as Record<string, string> };
}
