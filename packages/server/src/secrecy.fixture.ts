import { PrivateKey } from './keys/private-key.ts';

export const PRIVATE_KEY = 'sk?7f/a9+53c0dE1b2~66q0z~9XwV3kQ';

/** What every companion of a test wrote: lines of its log, headers and bodies of answers. */
export const written: { log: unknown[]; answers: string[] }[] = [];

const key = new PrivateKey(PRIVATE_KEY);

/** How many of the texts carry the private key, in any encoding. */
export function countExposed(texts: Iterable<string>): number {
  return Array.from(texts).filter((text) => key.isIn(text)).length;
}
