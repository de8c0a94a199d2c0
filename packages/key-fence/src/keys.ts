import { readFileSync } from 'node:fs';
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
 * @throws {KeyFenceError} naming the variable when a file cannot be read or has no key in it.
 */
export function keysToFind(options: Keys, env: NodeJS.ProcessEnv): Required<Keys> {
  const ofCompanion = Object.entries(env)
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

function list(text = ''): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function linesOfFile(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new KeyFenceError(`KEY_FENCE_SECRET_FILE: ${path} cannot be read (${code ?? 'error'}).`);
  }
  const keys = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (keys.length === 0) throw new KeyFenceError(`KEY_FENCE_SECRET_FILE: ${path} holds no key.`);
  return keys;
}
