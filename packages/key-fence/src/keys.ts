import { readFileSync } from 'node:fs';
import { KeyFenceError } from './fingerprint.ts';
import type { Keys } from './search.ts';

/**
 * The keys to look for: those of the options, then those of the environment.
 *
 * - `KEY_FENCE_SECRET`: keys, separated by commas.
 * - `KEY_FENCE_SECRET_FILE`: paths of files, separated by commas; a key on each line.
 * - `KEY_FENCE_FINGERPRINT`: fingerprints, separated by commas.
 *
 * A variable that is empty counts as not given: that is what CI makes of a secret for a fork.
 *
 * @throws {KeyFenceError} naming the variable when a file cannot be read or has no key in it.
 */
export function keysToFind(options: Keys, env: NodeJS.ProcessEnv): Required<Keys> {
  return {
    secrets: [
      ...(options.secrets ?? []),
      ...list(env.KEY_FENCE_SECRET),
      ...list(env.KEY_FENCE_SECRET_FILE).flatMap(linesOfFile),
    ],
    fingerprints: [...(options.fingerprints ?? []), ...list(env.KEY_FENCE_FINGERPRINT)],
  };
}

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
