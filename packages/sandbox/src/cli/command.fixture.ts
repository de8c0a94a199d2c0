import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { runCommand } from './program.ts';

/** The command as it is published: built beforehand by `tsc -b`. */
export const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** What a command said, and the exit code it ended with. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
  /** Both, as they came. */
  output: string;
}

/** Runs a program of Node, such as {@link main}, to its end. */
export async function start(...parameters: string[]): Promise<Ended> {
  const child = spawn(process.execPath, parameters);
  const ended = { stdout: '', stderr: '', output: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      ended[name] += chunk.toString();
      ended.output += chunk.toString();
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...ended };
}

/**
 * Runs the command in this process, where all is loaded: for what it says and ends with. That the
 * program passes both on is shown where it is started.
 */
export async function runHere(...words: string[]): Promise<Ended> {
  const ended = { stdout: '', stderr: '', output: '' };
  const take = (name: 'stdout' | 'stderr') =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      ended[name] += String(text);
      ended.output += String(text);
      return true;
    });
  const taken = [take('stdout'), take('stderr')];
  try {
    return { code: await runCommand(words), ...ended };
  } finally {
    for (const one of taken) one.mockRestore();
  }
}
