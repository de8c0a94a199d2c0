import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Modules that determine statuses. With their imports, they are the rules and the SQL. */
const roots = ['judge-batch.js', 'judge-others.js', 'triage.js'];

/**
 * Uses the built modules even when this file runs from source, so that both report the same
 * version.
 */
const built = new URL('../../dist/statuses/', import.meta.url);

const own = '@financing-checkout/';

/**
 * Returns the built modules that determine statuses, by path: the roots, and all modules of this
 * project that they import.
 */
export function judgingModules(
  read = (path: string) => readFileSync(path, 'utf8'),
): Map<string, string> {
  const found = new Map<string, string>();
  const open = roots.map((root) => fileURLToPath(new URL(root, built)));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    const text = read(path);
    found.set(path, text);
    const { resolve } = createRequire(path);
    for (const [, from = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      if (from.startsWith('.') || from.startsWith(own)) open.push(resolve(from));
    }
  }
  return found;
}

/** Returns a digest of modules that depends only on their texts, not on where they are installed. */
export function versionOf(modules: ReadonlyMap<string, string>): string {
  const digests = new Set([...modules.values()].map((text) => hash('sha256', text, 'hex')));
  return hash('sha256', [...digests].sort().join(' '), 'hex');
}

let version: string | undefined;

/**
 * Returns the version of the rules. It changes with every changed rule or statement; all orders are
 * then judged again.
 */
export function rulesVersion(): string {
  return (version ??= versionOf(judgingModules()));
}
