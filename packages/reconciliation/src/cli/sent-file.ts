import { accessSync, constants, createReadStream, existsSync, statSync } from 'node:fs';
import { CommandFailure, reasonOf } from '@financing-checkout/kit/cli';

/**
 * Checks a file before the request, because a read error during the upload looks like a broken
 * connection.
 * @throws {CommandFailure}
 */
export function refuseUnreadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new CommandFailure(
      existsSync(file) ? `The file cannot be read: ${reasonOf(error)}` : 'The file does not exist.',
    );
  }
  if (statSync(file).isDirectory()) throw new CommandFailure('This is a folder: name a file.');
}

/**
 * Yields a file's content, opening the file on first use.
 * @param file "-" is standard input
 * @param bytes maximum number of bytes, from the beginning
 */
export async function* piecesOf(file: string, bytes = Infinity): AsyncGenerator<Uint8Array> {
  yield* file === '-' ? process.stdin : createReadStream(file, { end: bytes - 1 });
}
