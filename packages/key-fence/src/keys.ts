import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { KeyFenceError } from './fingerprint.ts';
import type { Keys } from './search.ts';

/**
 * Returns the keys of a search: those of the options, then those of the environment.
 *
 * - `KEY_FENCE_SECRET`: keys, separated by commas.
 * - `KEY_FENCE_SECRET_FILE`: paths of files, separated by commas; a key on each line.
 * - `KEY_FENCE_FINGERPRINT`: fingerprints, separated by commas.
 * - Variables that end in `PRIVATE_API_KEY` or `PRIVATE_API_KEY_NEXT`: the companion's own variables,
 *   and those that a bundler is configured to put into the page (`VITE_PRIVATE_API_KEY`).
 *
 * An empty variable counts as absent: CI sets secrets to empty for forks.
 *
 * @param files variables of files that a build may read, see {@link envFiles}; only private keys are
 * used
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
    // Trimmed, as in the companion: a pasted secret may end with a line break.
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
      // Missing, like most of them, or not a file that Vite could read.
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

/** Omits the path of a missing file: a user may have entered the key itself there. */
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
