import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { KeyFenceError } from './fingerprint.ts';
import type { Keys } from './search.ts';

/**
 * Returns the keys to search for: first those from the options, then those from the environment.
 *
 * - `KEY_FENCE_SECRET`: keys, separated by commas.
 * - `KEY_FENCE_SECRET_FILE`: file paths, separated by commas; each file has one key per line.
 * - `KEY_FENCE_FINGERPRINT`: fingerprints, separated by commas.
 * - Variables that end in `PRIVATE_API_KEY` or `PRIVATE_API_KEY_NEXT`: the companion's own
 *   variables, and those that a bundler is configured to expose to the page
 *   (`VITE_PRIVATE_API_KEY`).
 *
 * An empty variable counts as unset: CI passes empty secrets to forks.
 *
 * @param files variables from files that a build may read, see {@link envFiles}; only private keys
 * are used
 * @throws {KeyFenceError} naming the variable when a file cannot be read or contains no key
 */
export function keysToFind(
  options: Keys,
  env: NodeJS.ProcessEnv,
  files: readonly NodeJS.ProcessEnv[] = [],
): Required<Keys> {
  const ofCompanion = [env, ...files]
    .flatMap((variables) => Object.entries(variables))
    .filter(([name]) => privateKeyName.test(name))
    // Trimmed, as the companion does: a pasted secret may end with a line break.
    .map(([, value = '']) => value.trim())
    .filter((value) => privateKey.test(value));
  return {
    secrets: [
      ...(options.secrets ?? []),
      ...list(env.KEY_FENCE_SECRET),
      ...list(env.KEY_FENCE_SECRET_FILE).flatMap(linesOfFile),
      ...new Set(ofCompanion),
    ],
    fingerprints: [...(options.fingerprints ?? []), ...list(env.KEY_FENCE_FINGERPRINT)],
  };
}

const privateKeyName = /(^|_)PRIVATE_API_KEY(_NEXT)?$/;

/** The companion's format of a key. Other values, such as `none`, are not searched for. */
const privateKey = /^[!-~]{16,512}$/;

/**
 * Reads the `.env` files of a Vite project. Vite exposes only variables with its prefix to pages, but a
 * configuration may read all of them (`loadEnv(mode, root, '')`) and define them into the page.
 */
export function envFiles(folder: string, mode: string): NodeJS.ProcessEnv[] {
  return ['.env', '.env.local', `.env.${mode}`, `.env.${mode}.local`].flatMap((name) => {
    try {
      return [parseEnv(readFileSync(join(folder, name), 'utf8'))];
    } catch {
      // The file is missing, as most of these files are, or Vite could not read it either.
      return [];
    }
  });
}

function list(text = ''): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/**
 * Omits the path of a missing file from errors: a user may have entered the key itself as the path.
 */
function linesOfFile(path: string, index: number): string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException;
    throw new KeyFenceError(`KEY_FENCE_SECRET_FILE: file ${index + 1} cannot be read (${code}).`);
  }
  const keys = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (keys.length === 0) throw new KeyFenceError(`KEY_FENCE_SECRET_FILE: ${path} contains no key.`);
  return keys;
}
