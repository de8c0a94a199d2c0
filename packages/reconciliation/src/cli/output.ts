import { rmSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, readlink, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CommandFailure, linesOf, reasonOf } from '@financing-checkout/kit/cli';
import {
  isOwn,
  ownIdentity,
  requireOwnFolder,
  StrangersFolderError,
  writeTo,
  writeWhole,
} from '@financing-checkout/kit/files';
import type { Shell } from './shell.ts';

/** @throws {CommandFailure} for a CSV option with another format */
export function refuseUnlessCsv(
  options: Readonly<Record<string, unknown>>,
  names: readonly string[],
  format: string | undefined,
): void {
  const wrong = format === 'csv' ? undefined : names.find((name) => options[name] !== undefined);
  if (wrong !== undefined) throw new CommandFailure(`--${wrong} requires --format csv.`);
}

/**
 * Writes a long response to a file, or line by line to the shell. The file gets its name only once
 * it is complete.
 * @throws {CommandFailure}
 */
export async function writeAnswer(
  shell: Shell,
  pieces: AsyncIterable<string> | Iterable<string>,
  file: string | undefined,
): Promise<void> {
  if (file === undefined) for await (const line of linesOf(pieces)) shell.print(line);
  else await writeFileWhole(file, pieces);
}

type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/**
 * Writes a file: see {@link writeAnswer}.
 * @throws {CommandFailure} also if another user of the machine could replace it or has created that
 * path
 */
export async function writeFileWhole(file: string, pieces: Pieces): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  // Checked first: a failure at the end would waste the whole download.
  if (file === '' || found?.isDirectory() === true) {
    throw new CommandFailure('This format needs a file: name one with --output.');
  }
  try {
    const own = ownIdentity();
    const named = await lstat(file).catch(() => undefined);
    if (named !== undefined && own !== undefined && !isOwn(named, own)) {
      throw new CommandFailure(`${file} belongs to another user: choose another name.`);
    }
    await requireOwnFolder(dirname(file));
    // Renaming onto a pipe or a device such as /dev/stdout would replace it for every process.
    if (found !== undefined && !found.isFile()) await writeTo(file, pieces);
    else await replace(await behindLinks(file), pieces);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    if (error instanceof StrangersFolderError) throw new CommandFailure(error.message);
    throw new CommandFailure(`The file could not be written: ${reasonOf(error)}`);
  }
}

/**
 * Creates a folder for a command's files, unless it exists.
 * @throws {CommandFailure} if another user of the machine could replace its files
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await requireOwnFolder(folder);
  } catch (error) {
    if (error instanceof StrangersFolderError) throw new CommandFailure(error.message);
    throw new CommandFailure(`The folder cannot be used: ${reasonOf(error)}`);
  }
}

/** Maximum number of symbolic links to follow; Linux follows 40. */
const MAX_LINKS = 50;

/**
 * Resolves symbolic links to the final file, which need not exist: renaming onto a link would
 * replace the link.
 * @throws {StrangersFolderError} if another user can change their targets
 */
async function behindLinks(path: string): Promise<string> {
  let target = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const folder = await requireOwnFolder(dirname(target));
    const link = await readlink(target).catch(() => undefined);
    if (link === undefined) break;
    target = resolve(folder, link);
  }
  return target;
}

/** Signals on which the partial file is removed: interrupts, and a cron job's timeout. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The file contains the merchant's financial data, so only its owner may read it. */
async function replace(file: string, pieces: Pieces): Promise<void> {
  let partial = '';
  const end = (signal: NodeJS.Signals) => {
    rmSync(partial, { force: true });
    // Raises the signal again so that its default action ends the process.
    process.kill(process.pid, signal);
  };
  const onPartial = (path: string) => {
    partial = path;
    for (const signal of signals) process.once(signal, end);
  };
  const write = async (handle: FileHandle) => {
    for await (const piece of pieces) await handle.writeFile(piece);
  };
  try {
    await writeWhole(file, write, { onPartial });
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}
