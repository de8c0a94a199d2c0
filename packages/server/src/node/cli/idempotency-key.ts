import { randomUUID } from 'node:crypto';
import { isIdempotencyKey } from '../../platform/idempotency-key.ts';
import { CommandFailure, exitCodes } from './exit.ts';

/**
 * Returns the Idempotency-Key of a write: of an earlier run, or a new one.
 * @param given the value of `--key`
 * @throws {CommandFailure} for a key that cannot be sent
 */
export function keyOf(given: string = randomUUID()): string {
  if (isIdempotencyKey(given)) return given;
  throw new CommandFailure(
    'A --key is 1 to 255 printable ASCII characters without spaces.',
    exitCodes.usage,
  );
}
