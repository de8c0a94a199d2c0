import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  constants,
  createWriteStream,
  openSync,
  renameSync,
  rmSync,
  type WriteStream,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Returns the path of a partial file in the folder of `file`. Its random name keeps other users
 * from creating a link there first.
 */
export function partialOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.${randomUUID()}`);
}

/** Renames a complete partial file to its final name. */
export function finishFile(partial: string, file: string): void {
  renameSync(partial, file);
}

/** Writes a file atomically: a reader sees the old or the new content, never a partial file. */
export function writeFileAtomically(file: string, content: string, mode: number): void {
  const partial = partialOf(file);
  try {
    writeFileSync(partial, content, { mode, flag: 'wx' });
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** Creates an empty file that only this user may read. Fails if the name exists, even as a link. */
export function createEmptyFile(file: string): void {
  closeSync(openNewFile(file));
}

/** Creates a file like {@link createEmptyFile}. @returns its descriptor */
export function openNewFile(file: string): number {
  return openSync(file, 'wx', 0o600);
}

/** Creates a file like {@link createEmptyFile}. */
export function streamToNewFile(file: string): WriteStream {
  return createWriteStream(file, { mode: 0o600, flags: 'wx' });
}

/** Appends to a file, which may not exist yet. Follows no symbolic link. */
export function appendToFile(file: string, content: string): void {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const descriptor = openSync(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    appendFileSync(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}
