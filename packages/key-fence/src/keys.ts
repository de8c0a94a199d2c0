import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { KeyFenceError } from './fingerprint.ts';
import type { Keys } from './search.ts';

/**
 * The keys to look for: those of the options, then those of the environment.
 *
 * - `KEY_FENCE_SECRET`: keys, separated by commas.
 * - `KEY_FENCE_SECRET_FILE`: paths of files, separated by commas; a key on each line.
 * - `KEY_FENCE_FINGERPRINT`: fingerprints, separated by commas.
 * - Whatever ends in `PRIVATE_API_KEY` or `PRIVATE_API_KEY_NEXT`: as the companion's own variables
 *   do, and those that a bundler was told to put into the page (`VITE_PRIVATE_API_KEY`).
 *
 * A variable that is empty counts as not given: that is what CI makes of a secret for a fork.
 *
 * @param files Variables of files that a build may read, see {@link envFiles}. Only private keys
 * are taken from them.
 * @throws {KeyFenceError} naming the variable when a file cannot be read or has no key in it.
 */
export function keysToFind(
  options: Keys,
  env: NodeJS.ProcessEnv,
  files: readonly NodeJS.ProcessEnv[] = [],
): Required<Keys> {
  const ofCompanion = [env, ...files]
    .flatMap((variables) => Object.entries(variables))
    .filter(([name]) => privateKeyName.test(name))
    // As the companion reads it: a secret that was pasted may end with a line break.
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

/** What the companion takes for a key. Anything else, such as `none`, is not one to look for. */
const privateKey = /^[!-~]{16,512}$/;

/**
 * What is in the `.env` files of a Vite project. Vite shows pages only what begins with its prefix,
 * but a configuration may read everything (`loadEnv(mode, root, '')`) and define it into the page.
 */
export function envFiles(folder: string, mode: string): NodeJS.ProcessEnv[] {
  return ['.env', '.env.local', `.env.${mode}`, `.env.${mode}.local`].flatMap((name) => {
    try {
      return [parseEnv(readFileSync(join(folder, name), 'utf8'))];
    } catch {
      // Not there, as most of them, or no file that Vite could have read.
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

/** Without the path where it leads to nothing: somebody may have put the key itself there. */
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
  if (keys.length === 0) throw new KeyFenceError(`KEY_FENCE_SECRET_FILE: ${path} holds no key.`);
  return keys;
}
