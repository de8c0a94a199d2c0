import { PrivateKey } from './keys/private-key.ts';

export const PRIVATE_KEY = 'sk?7f/a9+53c0dE1b2~66q0z~9XwV3kQ';

/**
 * Output of every companion of a test: log lines, headers and bodies of responses, and the calls of the
 * service whose priority no route states.
 */
export const written: {
  log: unknown[];
  answers: string[];
  unstatedPriorities: () => string[];
}[] = [];

const key = new PrivateKey(PRIVATE_KEY);

/** Counts the texts that contain the private key in any encoding. */
export function countExposed(texts: Iterable<string>): number {
  return Array.from(texts).filter((text) => key.isIn(text)).length;
}
