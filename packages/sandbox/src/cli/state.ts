import type { Command } from 'commander';
import { accessSync, constants, openAsBlob, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readControlToken } from '../control/token.ts';
import { SandboxError } from '../platform/problem.ts';
import { finishFile, partialOf, streamToNewFile } from '../platform/write-file.ts';
import { addControlOptions, fetchControl, print, type ControlOptions } from './control.ts';

/** `financing-sandbox state save` and `load`, which download and upload a file. */
export function addSaveAndLoad(state: Command): void {
  addStateOptions(state.command('save').description('Write the whole state into a file.'))
    .argument('<file>', 'output file; an existing one is replaced')
    .action(async (file: string, options: StateOptions) => {
      const bytes = await save(options, resolve(file));
      const show = () => [`${bytes} bytes in ${file}`];
      print(options, { show }, { file: resolve(file), bytes });
    });
  addStateOptions(
    state
      .command('load')
      .description(
        'Replace the whole state by a saved one. A file that is not a state changes nothing.',
      ),
  )
    .argument('<file>', 'written by save')
    .action(async (file: string, options: StateOptions) => {
      const response = await fetchState(options, { method: 'PUT', body: await blobOf(file) });
      print(options, { show: () => [`loaded ${file}`] }, await response.json());
    });
}

interface StateOptions extends ControlOptions {
  dataDir: string;
}

function addStateOptions(command: Command): Command {
  return addControlOptions(command).requiredOption(
    '--data-dir <dir>',
    'data folder of the sandbox, which has its control token',
  );
}

function fetchState({ controlUrl, dataDir }: StateOptions, init: RequestInit): Promise<Response> {
  const headers = { authorization: `Bearer ${readControlToken(dataDir)}` };
  return fetchControl(controlUrl, '/state', { ...init, headers });
}

/** Opens a file of any size for upload; it is streamed, not loaded into memory. */
async function blobOf(file: string): Promise<Blob> {
  try {
    accessSync(file, constants.R_OK);
    return await openAsBlob(file);
  } catch (error) {
    throw fileProblem(file, error);
  }
}

/** Saves the state atomically. @returns the size of the file in bytes */
async function save(options: StateOptions, file: string): Promise<number> {
  const response = await fetchState(options, { method: 'GET' });
  const temporary = partialOf(file);
  try {
    const target = streamToNewFile(temporary);
    const content = response.body ?? new Blob([]).stream();
    await pipeline(Readable.fromWeb(content), target);
    finishFile(temporary, file);
    return target.bytesWritten;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw fileProblem(file, error);
  }
}

function fileProblem(file: string, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === undefined) {
    return new SandboxError(`The state could not be transferred: ${String(error)}`);
  }
  return new SandboxError(`The file ${file} cannot be used (${code}).`);
}
