import {
  processShell as shellOfProcess,
  type Shell as KitShell,
} from '@financing-checkout/kit/cli';
import { promptOf } from './prompt.ts';

/** The environment of a command. */
export interface Shell extends KitShell {
  /**
   * Asks the person at the terminal. Returns the typed line; undefined for Ctrl-C, and for the end of
   * the input. Undefined without a terminal.
   */
  prompt?: ((question: string) => Promise<string | undefined>) | undefined;
}

export const processShell: Shell = Object.assign(shellOfProcess, {
  prompt: promptOf(process.stdin, process.stderr),
});
