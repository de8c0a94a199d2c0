import { runProgram } from '@financing-checkout/kit/cli';
import type { Program } from '../program.ts';
import { reconcileProgram } from './program.ts';
import type { Shell } from './shell.ts';

/** A command's standard output, standard error and exit code. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

/**
 * Runs commands in the test's process.
 * @param prompt the user at the terminal; undefined: no terminal
 */
export function commandLine(
  env: Record<string, string>,
  fetch: Shell['fetch'] = globalThis.fetch,
  prompt?: Shell['prompt'],
) {
  const shell = { env: { ...env }, fetch, prompt };
  return {
    shell,
    run: async (...words: string[]): Promise<Ended> => {
      const out: string[] = [];
      const err: string[] = [];
      const code = await runProgram(reconcileProgram, words, {
        ...shell,
        print: (line) => void out.push(line),
        say: (line) => void err.push(line),
      });
      return { code, out: out.join('\n'), err: err.join('\n') };
    },
  };
}

/** Runs commands against a program in the test's process. @param prompt see {@link commandLine} */
export function commandsOf({ app }: Pick<Program, 'app'>, prompt?: Shell['prompt']) {
  const fetch: Shell['fetch'] = (input, init) => Promise.resolve(app.request(input, init));
  return commandLine({ RECONCILIATION_URL: 'http://127.0.0.1:4002' }, fetch, prompt);
}
