import { Command, CommanderError } from 'commander';
import { addConformance } from './conformance.ts';
import { addShow } from './keys.ts';
import { addOperations } from './operation.ts';
import { addSeed } from './seed.ts';
import { addServe } from './serve.ts';
import { addSaveAndLoad } from './state.ts';
import { ArgumentError, SandboxError } from '../platform/problem.ts';

/**
 * Runs a command line.
 * @param words the arguments after the program's name
 * @returns the exit code; 0 for `serve` once it has started
 */
export async function runCommand(words: readonly string[]): Promise<number> {
  const program = new Command('financing-sandbox')
    .description('A stand-in for the financing service, on this machine.')
    // The full help text would hide the error.
    .showHelpAfterError('(--help lists the options)')
    .addHelpText(
      'after',
      `
Examples:
  financing-sandbox serve --data-dir .data/sandbox
  financing-sandbox outcome set decline
  financing-sandbox fault add hang --operation charges.create --when after
  financing-sandbox clock advance 1d

Exit codes: 0 done, 1 refused (a message says why), 2 wrong arguments.`,
    )
    // The subcommands inherit this setting.
    .exitOverride();
  addServe(program);
  const groups = addOperations(program);
  addShow(groups.get('keys') ?? program);
  addSaveAndLoad(groups.get('state') ?? program);
  addSeed(program);
  addConformance(program);

  try {
    await program.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed the error; its own exit code is 1 for every error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof SandboxError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error instanceof ArgumentError ? 2 : 1;
  }
}
