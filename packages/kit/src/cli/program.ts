import { Command, CommanderError } from 'commander';
import { ConfigurationError } from '../env/reader.ts';
import { CommandFailure, exitCodeHelp, exitCodes, reasonOf } from './exit.ts';
import type { Shell } from './shell.ts';

/** Registers the commands of a module. */
export type Register<One extends Shell> = (program: Command, shell: One) => void;

export interface ProgramDefinition<One extends Shell> {
  name: string;
  version: string;
  description: string;
  /** The first paragraph of the help page. */
  about: string;
  examples: readonly string[];
  /** The relevant environment variables, and where they are documented. */
  variables: string;
  /** Meanings of the exit codes. */
  exits: Readonly<Record<number, string>>;
  /**
   * Modules by command, loaded on demand so that `serve` does not load the modules of other
   * commands.
   */
  commands: Readonly<Record<string, () => Promise<Register<One>>>>;
  /** Closes what commands have opened in the shell. */
  release?: (shell: One) => Promise<void>;
}

/**
 * Parses and runs a command line.
 * @param words the arguments after the program's name
 * @returns the exit code; `serve` sets its own when it stops
 */
export async function runProgram<One extends Shell>(
  definition: ProgramDefinition<One>,
  words: readonly string[],
  shell: One,
): Promise<number> {
  const { commands } = definition;
  const program = createProgram(definition, shell);
  const [name = ''] = words;
  // Help, and the error for an unknown command, list all commands.
  const loaded = Object.hasOwn(commands, name) ? [commands[name]] : Object.values(commands);
  const modules = new Set<Register<One> | undefined>();
  // Several commands may share one module.
  for (const load of loaded) modules.add(await load?.());
  for (const register of modules) register?.(program, shell);
  showHelpHint(program, program.name());
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.ok : exitCodes.failed;
    }
    if (!(error instanceof CommandFailure || error instanceof ConfigurationError)) throw error;
    // The output of some commands already shows the problem, so only the exit code is reported.
    if (error.message !== '') shell.say(error.message);
    return error instanceof CommandFailure ? error.exitCode : exitCodes.configuration;
  } finally {
    await definition.release?.(shell);
  }
}

/** Runs the command line of this process. */
export async function runProcess<One extends Shell>(
  definition: ProgramDefinition<One>,
  shell: One,
): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe, as `head` does. This is not a failure.
    if (error.code === 'EPIPE') process.exit();
    shell.say(`The result could not be written: ${reasonOf(error)}`);
    process.exit(exitCodes.failed);
  });
  // Standard error is for a person and not part of the result, so a write failure is ignored.
  process.stderr.on('error', () => undefined);
  process.exitCode = await runProgram(definition, process.argv.slice(2), shell);
}

function createProgram<One extends Shell>(
  { about, description, examples, exits, name, variables, version }: ProgramDefinition<One>,
  shell: One,
): Command {
  const withoutEnd = (text: string) => text.replace(/\n$/, '');
  const help = [
    about,
    ['Examples:', ...examples.map((line) => `  ${line}`)].join('\n'),
    variables,
    exitCodeHelp(exits),
  ];
  return (
    new Command(name)
      .configureOutput({
        writeOut: (text) => shell.print(withoutEnd(text)),
        writeErr: (text) => shell.say(withoutEnd(text)),
      })
      .description(description)
      .exitOverride()
      // `--version` is the program's option before a command, and the command's own option after
      // it.
      .enablePositionalOptions()
      .version(version)
      .addHelpText('after', `\n${help.join('\n\n')}`)
  );
}

/**
 * Makes a command's errors refer to its own help, because the program's help does not list its
 * options.
 */
function showHelpHint(command: Command, words: string): void {
  command.showHelpAfterError(`Run "${words} --help" for help.`);
  for (const sub of command.commands) showHelpHint(sub, `${words} ${sub.name()}`);
}
