import { randomUUID } from 'node:crypto';
import { CommandFailure, exitCodes } from './exit.ts';

/**
 * Returns the key of a write: the given one, or a new one.
 * @param given with `--key` @throws {CommandFailure} for an invalid key
 */
export function keyOf(given: string = randomUUID()): string {
  if (/^[\x21-\x7e]{1,255}$/.test(given)) return given;
  throw new CommandFailure(
    '--key must be 1 to 255 printable ASCII characters without spaces.',
    exitCodes.usage,
  );
}
