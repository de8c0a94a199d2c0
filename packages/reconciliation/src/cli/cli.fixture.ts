import { runCommand } from './program.ts';
import type { Shell } from './shell.ts';

/** What a command printed, said and ended with. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs commands in the process of the test. */
export function commandLine(env: Record<string, string>, fetch: Shell['fetch'] = globalThis.fetch) {
  const shell = { env: { ...env }, fetch };
  return {
    shell,
    run: async (...words: string[]): Promise<Ended> => {
      const out: string[] = [];
      const err: string[] = [];
      const code = await runCommand(words, {
        ...shell,
        print: (line) => void out.push(line),
        say: (line) => void err.push(line),
      });
      return { code, out: out.join('\n'), err: err.join('\n') };
    },
  };
}
