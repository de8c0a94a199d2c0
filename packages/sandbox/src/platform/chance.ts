import { createHash } from 'node:crypto';

/**
 * Returns a number of the sequence of a seed: from 0 to below 1, uniform, the same on every
 * machine. It has no state, so a sequence continues after a restart.
 */
export function chance(seed: number, index: number | string): number {
  const bytes = createHash('sha256').update(`${seed}:${index}`).digest();
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}
