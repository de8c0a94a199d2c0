import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { runCommand } from './program.ts';

/** The published program, built beforehand by `tsc -b`. */
export const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The output and the exit code of a command. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
  /** Standard output and standard error, in the order of arrival. */
  output: string;
}

/** Runs a Node.js program, such as {@link main}, until it exits. */
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
 * Runs the command in this process, where all modules are already loaded. Other tests check that
 * the program passes on the output and the exit code.
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
