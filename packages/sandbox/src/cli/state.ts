import type { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, createWriteStream, openAsBlob, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SandboxError } from '../problem.ts';
import { callControl, controlUrlOption, jsonOption, reachControl, say } from './control.ts';
import type { ControlOptions } from './control.ts';

/** `financing-sandbox state` */
export function addState(program: Command): void {
  const state = program
    .command('state')
    .description('Save, load or empty the state of a running sandbox.')
    .addHelpText(
      'after',
      `
A saved state holds applications, charges, fundings, notifications, outcomes and the clock. It holds
no key and no Authorization value.

Examples:
  financing-sandbox state save before-the-test.db
  financing-sandbox state load before-the-test.db
  financing-sandbox state reset`,
    );
  state
    .command('save')
    .description('Write the whole state into a file.')
    .argument('<file>', 'is replaced if it is there')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (file: string, options: ControlOptions) => {
      const bytes = await save(options.controlUrl, resolve(file));
      say(options, { file: resolve(file), bytes }, [`${bytes} bytes in ${file}`]);
    });
  state
    .command('load')
    .description('Replace the whole state by a saved one, or, when it is not one, nothing.')
    .argument('<file>', 'written by save')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (file: string, options: ControlOptions) => {
      const body = await contentOf(file);
      const response = await reachControl(options.controlUrl, '/state', { method: 'PUT', body });
      say(options, await response.json(), [`loaded ${file}`]);
    });
  state
    .command('reset')
    .description('Empty the state, clear faults and put the clock back; keys stay.')
    .addOption(controlUrlOption())
    .addOption(jsonOption())
    .action(async (options: ControlOptions) => {
      say(options, await callControl(options.controlUrl, '/reset', {}), ['empty']);
    });
}

/** A file to be sent, however large: it is read as it goes. */
async function contentOf(file: string): Promise<Blob> {
  try {
    accessSync(file, constants.R_OK);
    return await openAsBlob(file);
  } catch (error) {
    throw fileProblem(file, error);
  }
}

/** The file is there whole, or as it was before. */
async function save(controlUrl: string, file: string): Promise<number> {
  const response = await reachControl(controlUrl, '/state', { method: 'GET' });
  const temporary = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    const target = createWriteStream(temporary, { mode: 0o600, flags: 'wx' });
    const content = response.body ?? new Blob([]).stream();
    await pipeline(Readable.fromWeb(content), target);
    renameSync(temporary, file);
    return target.bytesWritten;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw fileProblem(file, error);
  }
}

function fileProblem(file: string, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === undefined) return new SandboxError(`The state could not be moved: ${String(error)}`);
  return new SandboxError(`The file ${file} cannot be used (${code}).`);
}
