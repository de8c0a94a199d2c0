import { Command, CommanderError } from 'commander';
import { version } from '../../version.ts';
import { CommandFailure, type ExitCode, exitCodes } from './exit.ts';
import type { Shell } from './shell.ts';

type Register = (program: Command, shell: Shell) => void;

/** Each command is loaded on demand, so `serve` does not wait for the files of the others. */
const commands: Record<string, () => Promise<Register>> = {
  serve: async () => (await import('./serve.ts')).registerServe,
  doctor: async () => (await import('./doctor.ts')).registerDoctor,
  explain: async () => (await import('./explain.ts')).registerExplain,
  charges: async () => (await import('./charges.ts')).registerCharges,
  links: async () => (await import('./links.ts')).registerLinks,
  webhooks: async () => (await import('./webhooks.ts')).registerWebhooks,
  fundings: async () => (await import('./fundings.ts')).registerFundings,
  programmes: async () => (await import('./programmes.ts')).registerProgrammes,
  migrate: async () => (await import('./migrate.ts')).registerMigrate,
  fingerprint: async () => (await import('./fingerprint.ts')).registerFingerprint,
};

/**
 * Runs a command line.
 * @param words the arguments after the program's name
 * @returns the exit code; `serve` sets its own when it ends
 */
export async function runCommand(words: readonly string[], shell: Shell): Promise<ExitCode> {
  const program = createProgram(shell);
  const [name = ''] = words;
  // Help, and the error for an unknown command, list all commands.
  const loaded = Object.hasOwn(commands, name) ? [commands[name]] : Object.values(commands);
  for (const load of loaded) (await load?.())?.(program, shell);
  showHelpHint(program, program.name());
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof CommandFailure) {
      if (error.message !== '') shell.say(error.message);
      return error.exitCode;
    }
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
}

function createProgram(shell: Shell): Command {
  return (
    new Command('financing-companion')
      .configureOutput({
        writeOut: (text) => shell.print(withoutEnd(text)),
        writeErr: (text) => shell.say(withoutEnd(text)),
      })
      .description('The companion of Financing Checkout: it alone holds the private key.')
      .exitOverride()
      // `--version` is this program's before a command, and the command's own after it.
      .enablePositionalOptions()
      .version(version)
      .addHelpText('after', help)
  );
}

const help = `
Examples:
  financing-companion doctor                    before the first start, and when in doubt
  financing-companion serve
  LOG_FORMAT=text LOG_LEVEL=debug financing-companion serve
  financing-companion explain req_1f9k2…        the history of a request
  financing-companion programmes check programmes.json

Configuration is read from environment variables; each secret also from the file that <NAME>_FILE
names. At least:
  FINANCING_ENVIRONMENT       uat, sandbox or production
  FINANCING_BASE_URL          https address of the service in that environment
  FINANCING_PUBLIC_API_KEY    sent by pages
  FINANCING_PRIVATE_API_KEY   known to this process only
  FINANCING_SDK_URL           address of the service's browser script; or FINANCING_HOSTED_URL,
                              where the service gives you an address of a hosted page
  ORDER_TICKET_SECRET         shared with the shop's backend, 32 bytes or more
  COMPANION_ALLOWED_ORIGINS   origins of storefront pages, separated by commas
The README of @financing-checkout/server lists all variables. "serve" names each missing or wrong
variable, and never prints a value. "doctor" also names optional settings that a shop needs.

Exit codes:
  0   done, or stopped by SIGTERM or SIGINT
  1   failed; the message says why
  2   unknown command or option
  69  an address cannot be listened on, or the store or the service cannot be reached
  70  crashed: the log has the event "crashed"
  75  the outcome is not known yet: run the same command with the same --key again
  77  the access token is missing or wrong
  78  the configuration is not complete; each variable is named`;

const withoutEnd = (text: string) => text.replace(/\n$/, '');

/** Makes errors of a command name its own help: the program's help does not list its options. */
function showHelpHint(command: Command, words: string): void {
  command.showHelpAfterError(`Run "${words} --help" for help.`);
  for (const sub of command.commands) showHelpHint(sub, `${words} ${sub.name()}`);
}
