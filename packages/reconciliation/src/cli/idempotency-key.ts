import { randomUUID } from 'node:crypto';
import { CommandFailure, exitCodes } from './exit.ts';

/**
 * The key of a write: that of an earlier run, or a new one.
 * @param given with `--key`
 * @throws {CommandFailure} for one that cannot be sent
 */
export function keyOf(given: string = randomUUID()): string {
  if (/^[\x21-\x7e]{1,255}$/.test(given)) return given;
  throw new CommandFailure(
    'A --key is 1 to 255 printable ASCII characters without spaces.',
    exitCodes.usage,
  );
}
