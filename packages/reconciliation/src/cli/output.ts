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
import { Option } from 'commander';
import { CommandFailure, reasonOf } from './exit.ts';
import type { Shell } from './shell.ts';

/** How amounts of CSV are written. */
export function decimalOption(): Option {
  return new Option(
    '--decimal <character>',
    'of amounts in CSV; with a comma, values are separated by semicolons',
  ).choices(['point', 'comma']);
}

/** @throws {CommandFailure} where an option is given that says how CSV is written, and none is */
export function refuseUnlessCsv(
  options: Readonly<Record<string, unknown>>,
  names: readonly string[],
  format: string | undefined,
): void {
  const wrong = format === 'csv' ? undefined : names.find((name) => options[name] !== undefined);
  if (wrong !== undefined) throw new CommandFailure(`--${wrong} is of --format csv: leave it out.`);
}

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
  if (file === undefined) for await (const line of linesOf(pieces)) shell.print(line);
  else await writeFileWhole(file, pieces);
}

type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** Writes a file: see {@link writeAnswer}. @throws {CommandFailure} */
export async function writeFileWhole(file: string, pieces: Pieces): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  // Found out at the end, it would have cost all the reading.
  if (file === '' || found?.isDirectory() === true) {
    throw new CommandFailure('It is written to a file: name one with --output.');
  }
  try {
    // A pipe or a device, such as /dev/stdout: renamed onto, it would be gone for everybody.
    if (found !== undefined && !found.isFile()) await writeFile(file, pieces);
    else await writeWhole(await behindLinks(file), pieces);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`It could not be written: ${reasonOf(error)}`);
  }
}

/** More links than Linux follows. */
const MAX_LINKS = 50;

/** The file that a path leads to, be it that it is not there yet: renamed onto, a link would be gone. */
async function behindLinks(path: string): Promise<string> {
  let place = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const link = await readlink(place).catch(() => undefined);
    if (link === undefined) break;
    place = resolve(await realpath(dirname(place)), link);
  }
  return place;
}

/** Who has waited long enough, or a time limit of cron's, leaves no part behind. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function writeWhole(file: string, pieces: Pieces): Promise<void> {
  const partial = `${file}.${randomUUID()}.partial`;
  let handle: FileHandle | undefined;
  const end = (signal: NodeJS.Signals) => {
    rmSync(partial, { force: true });
    // Heard once: now it ends the process, as it would have.
    process.kill(process.pid, signal);
  };
  for (const signal of signals) process.once(signal, end);
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
  } finally {
    for (const signal of signals) process.off(signal, end);
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
