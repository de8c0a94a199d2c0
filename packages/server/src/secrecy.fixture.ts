import { PrivateKey } from './keys/private-key.ts';

export const PRIVATE_KEY = 'sk?7f/a9+53c0dE1b2~66q0z~9XwV3kQ';

/**
 * Output of all companions in a test: log lines, response headers and bodies, the responses that no
 * route declares, and the calls to the service with a priority that no route declares.
 */
export const written: {
  log: unknown[];
  answers: string[];
  undeclaredAnswers: string[];
  unstatedPriorities: () => string[];
}[] = [];

const key = new PrivateKey(PRIVATE_KEY);

/** Counts the texts that contain the private key in any encoding. */
export function countExposed(texts: Iterable<string>): number {
  return Array.from(texts).filter((text) => key.isIn(text)).length;
}
