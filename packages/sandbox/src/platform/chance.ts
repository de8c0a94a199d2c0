import { createHash } from 'node:crypto';

/**
 * Returns a number from the sequence of a seed: uniform in [0, 1), the same on every machine. The
 * function is stateless, so a sequence continues after a restart.
 */
export function chance(seed: number, index: number | string): number {
  const bytes = createHash('sha256').update(`${seed}:${index}`).digest();
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}
