import { randomUUID } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, renameSync } from 'node:fs';
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Readable and writable only for this user. */
const PRIVATE = 0o600;

type Content = string | Uint8Array | AsyncIterable<string | Uint8Array>;

export interface WriteOptions {
  /** Mode of the complete file. @default 0o600 */
  mode?: number;
  /** Called with the path of the partial file, which an interrupted process should remove. */
  onPartial?: (path: string) => void;
}

/**
 * Returns a path in the same folder for the partial content of a file. Its name is random, so that no
 * other user can put a link there, and begins with a dot, so that readers of the folder ignore it.
 */
export function partialOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.${randomUUID()}.partial`);
}

/** Returns whether {@link partialOf} generates such names. */
export function isPartial(name: string): boolean {
  return /^\..+\.[0-9a-f-]{36}\.partial$/.test(name);
}

/**
 * Creates a file that only this user can read. Fails if the name exists: a symbolic link there would lead
 * the content to another file.
 */
export function createFile(path: string): Promise<FileHandle> {
  return open(path, 'wx', PRIVATE);
}

/** Creates an empty file like {@link createFile}, for libraries that then write to it and keep its mode. */
export function createEmptyFile(path: string): void {
  closeSync(openSync(path, 'wx', PRIVATE));
}

/** Writes a new file like {@link createFile}. */
export async function writeNewFile(path: string, content: Content): Promise<void> {
  const handle = await createFile(path);
  try {
    await handle.writeFile(content);
  } finally {
    await handle.close();
  }
}

/** Writes to an existing pipe or device. */
export function writeTo(
  path: string,
  content: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): Promise<void> {
  return writeFile(path, content, { flag: constants.O_WRONLY });
}

/** Appends to a file, creating it if needed. Follows no symbolic link. */
export async function appendToFile(path: string, content: Content): Promise<void> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const handle = await open(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, PRIVATE);
  try {
    await handle.writeFile(content);
  } finally {
    await handle.close();
  }
}

export function openToRead(path: string): Promise<FileHandle> {
  return open(path, 'r');
}

/**
 * Writes a file atomically: readers see the old file or the complete new one, which is then flushed
 * to disk. A symbolic link with that name is replaced, not followed.
 */
export async function writeWhole(
  file: string,
  write: (handle: FileHandle) => Promise<void>,
  options: WriteOptions = {},
): Promise<void> {
  await writeNamed(dirname(file), write, { ...options, name: () => basename(file) });
}

/** Writes a file like {@link writeWhole} when its name depends on the complete content. @returns its path */
export async function writeNamed(
  folder: string,
  write: (handle: FileHandle) => Promise<void>,
  { mode = PRIVATE, onPartial, name }: WriteOptions & { name: () => string },
): Promise<string> {
  const partial = partialOf(join(folder, 'file'));
  onPartial?.(partial);
  const handle = await createFile(partial);
  try {
    try {
      await write(handle);
      // Not set at creation, because the umask would change it.
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const file = join(folder, name());
    await rename(partial, file);
    await syncFolder(folder);
    return file;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Renames a complete partial file, and flushes content and name to disk. */
export function finishFile(partial: string, file: string): void {
  syncToDisk(partial);
  renameSync(partial, file);
  syncToDisk(dirname(file));
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Flushes the names in a folder to disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
