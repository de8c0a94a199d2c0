import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import {
  type FileHandle,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CommandFailure, linesOf, reasonOf } from '@financing-checkout/kit/cli';
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
 * Writes a long response to a file, or line by line to the shell. A file appears under its name
 * only when it is complete.
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

/** Writes a file: see {@link writeAnswer}. @throws {CommandFailure} */
export async function writeFileWhole(file: string, pieces: Pieces): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  // Checked first: a failure at the end would waste the whole download.
  if (file === '' || found?.isDirectory() === true) {
    throw new CommandFailure('This format needs a file: name one with --output.');
  }
  try {
    // Renaming onto a pipe or a device such as /dev/stdout would replace it for every process.
    if (found !== undefined && !found.isFile()) await writeFile(file, pieces);
    else await writeWhole(await behindLinks(file), pieces);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`The file could not be written: ${reasonOf(error)}`);
  }
}

/** More symbolic links than Linux follows. */
const MAX_LINKS = 50;

/**
 * Resolves symbolic links to the final file, which need not exist: renaming onto a link would
 * replace the link.
 */
async function behindLinks(path: string): Promise<string> {
  let target = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const link = await readlink(target).catch(() => undefined);
    if (link === undefined) break;
    target = resolve(await realpath(dirname(target)), link);
  }
  return target;
}

/** Signals that remove the partial file: interrupts, and the timeout of a cron job. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function writeWhole(file: string, pieces: Pieces): Promise<void> {
  const partial = `${file}.${randomUUID()}.partial`;
  let handle: FileHandle | undefined;
  const end = (signal: NodeJS.Signals) => {
    rmSync(partial, { force: true });
    // Raises the signal again so that its default action ends the process.
    process.kill(process.pid, signal);
  };
  for (const signal of signals) process.once(signal, end);
  try {
    // The file contains financial data of a merchant, so only its owner may read it.
    handle = await open(partial, 'wx', 0o600);
    for await (const piece of pieces) await handle.writeFile(piece);
    await handle.sync();
    await handle.close();
    await rename(partial, file);
  } catch (error) {
    await handle?.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}
