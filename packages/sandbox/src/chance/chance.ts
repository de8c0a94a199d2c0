import { createHash } from 'node:crypto';

/**
 * The `index`-th number of the sequence that `seed` names: from 0, below 1, evenly spread, the same
 * on every machine. Needs no state, so a sequence goes on where it stood after a restart.
 */
export function chance(seed: number, index: number | string): number {
  const bytes = createHash('sha256').update(`${seed}:${index}`).digest();
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}
