import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { CommandFailure, reasonOf } from '../exit.ts';
import type { Shell } from '../office.ts';

/**
 * Writes a long answer to a file, or line by line to the shell. The file is there once it is whole:
 * until then it has another name beside it, so that nobody takes a part for all of it.
 * @throws {CommandFailure}
 */
export async function writeAnswer(
  shell: Shell,
  pieces: AsyncIterable<string> | Iterable<string>,
  file: string | undefined,
): Promise<void> {
  if (file === undefined) {
    for await (const line of linesOf(pieces)) shell.print(line);
    return;
  }
  try {
    if (await isNoPlainFile(file)) await writeFile(file, pieces);
    else await writeWhole(file, pieces);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`It could not be written: ${reasonOf(error)}`);
  }
}

/** A pipe or a device, such as /dev/stdout: renamed onto, it would be gone for everybody. */
async function isNoPlainFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

async function writeWhole(
  file: string,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const partial = `${file}.${randomUUID()}.partial`;
  let handle: FileHandle | undefined;
  try {
    // Money of a merchant is in it: for its owner only.
    handle = await open(partial, 'wx', 0o600);
    for await (const piece of pieces) await handle.writeFile(piece);
    await handle.sync();
    await handle.close();
    await rename(partial, file);
  } catch (error) {
    await handle?.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
}

/** Lines of a text that comes in pieces, without their ends. */
export async function* linesOf(
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
