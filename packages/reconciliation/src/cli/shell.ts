import {
  processShell as shellOfProcess,
  type Shell as KitShell,
} from '@financing-checkout/kit/cli';
import { promptOf } from './prompt.ts';

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
