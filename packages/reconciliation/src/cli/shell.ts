import {
  processShell as shellOfProcess,
  type Shell as KitShell,
} from '@financing-checkout/kit/cli';
import { createInterface } from 'node:readline';

/** The environment of a command. */
export interface Shell extends KitShell {
  /**
   * Prompts the user at the terminal. Resolves to the typed line, or to undefined on Ctrl-C and at
   * end of input. Undefined without a terminal.
   */
  prompt?: ((question: string) => Promise<string | undefined>) | undefined;
}

export const processShell: Shell = Object.assign(shellOfProcess, {
  prompt: promptOf(process.stdin, process.stderr),
});

type Terminal = Pick<NodeJS.ReadStream, 'isTTY'>;

/**
 * Returns a function that prompts the user; undefined if input or output is not a terminal, as in a
 * pipe or under cron.
 */
export function promptOf(
  input: NodeJS.ReadableStream & Terminal,
  output: NodeJS.WritableStream & Terminal,
): ((question: string) => Promise<string | undefined>) | undefined {
  if (!input.isTTY || !output.isTTY) return undefined;
  return (question) =>
    new Promise((resolve) => {
      const lines = createInterface({ input, output, terminal: true });
      const end = (answer?: string) => {
        resolve(answer);
        lines.close();
      };
      // While prompting, a terminal delivers Ctrl-C as a key press.
      lines.once('SIGINT', () => {
        output.write('\n');
        end();
      });
      lines.once('close', () => end());
      lines.question(question, end);
    });
}
