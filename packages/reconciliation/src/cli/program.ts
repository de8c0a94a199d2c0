import { Command, CommanderError } from 'commander';
import { version } from '../version.ts';
import { CommandFailure, type ExitCode, exitCodes } from './exit.ts';
import { exitCodeHelp } from './outcome.ts';
import { release } from './reach.ts';
import type { Shell } from './shell.ts';

type Register = (program: Command, shell: Shell) => void;

type Load = () => Promise<Register>;

const sync: Load = async () => (await import('./sync.ts')).registerSync;
const orders: Load = async () => (await import('./orders.ts')).registerOrders;
const answers: Load = async () => (await import('./answers.ts')).registerAnswers;
const exports: Load = async () => (await import('./exports.ts')).registerExports;
const upkeep: Load = async () => (await import('./upkeep.ts')).registerUpkeep;
/** Each verb with its module, loaded on demand. */
const verbs: Record<string, Load> = {
  serve: async () => (await import('./serve.ts')).registerServe,
  sync,
  status: sync,
  orders,
  exceptions: orders,
  explain: orders,
  cases: async () => (await import('./cases.ts')).registerCases,
  trail: async () => (await import('./trail.ts')).registerTrail,
  walk: answers,
  discounts: answers,
  radar: answers,
  export: exports,
  'migrate-report': exports,
  import: async () => (await import('./imports.ts')).registerImport,
  affected: async () => (await import('./affected.ts')).registerAffected,
  rebuild: upkeep,
  backup: upkeep,
  doctor: async () => (await import('./doctor.ts')).registerDoctor,
};

/**
 * Runs a command line, without the program's name.
 * @returns the exit code; `serve` sets its own when it ends
 */
export async function runCommand(words: readonly string[], shell: Shell): Promise<ExitCode> {
  const program = createProgram(shell);
  const [asked = ''] = words;
  // Help and unknown words need all verbs.
  const loaded = Object.hasOwn(verbs, asked) ? [verbs[asked]] : new Set(Object.values(verbs));
  for (const load of loaded) (await load?.())?.(program, shell);
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof CommandFailure) {
      if (error.message !== '') shell.say(error.message);
      return error.exitCode;
    }
    if (!(error instanceof CommanderError)) throw error;
    // 2 is reserved for open exceptions.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.failed;
  } finally {
    await release(shell);
  }
}

function createProgram(shell: Shell): Command {
  const withoutEnd = (text: string) => text.replace(/\n$/, '');
  return new Command('financing-reconcile')
    .configureOutput({
      writeOut: (text) => shell.print(withoutEnd(text)),
      writeErr: (text) => shell.say(withoutEnd(text)),
    })
    .description("Reconciles lenders' payments with settled orders, to the cent.")
    .exitOverride()
    .showHelpAfterError('"financing-reconcile --help" lists the commands and their options.')
    .enablePositionalOptions()
    .version(version)
    .addHelpText('after', help);
}

const help = `
Compares the merchant's ledger with the fundings that lenders posted, order by order. A difference is an
exception, and each exception has a case to work on. The program holds no key of the financing service: it
reads from the companion's back office.
${exitCodeHelp}

Examples:
  financing-reconcile serve                          run the API and the background work
  financing-reconcile sync                           read fundings from the service
  financing-reconcile exceptions                     list exceptions
  financing-reconcile explain A-1001                 explain one order
  financing-reconcile walk --from 2026-11-01         show the cash walk, unexplained 0.00
  financing-reconcile exceptions --threshold 10 >/dev/null || notify-finance

Commands call the "serve" at RECONCILIATION_URL, or at RECONCILIATION_HOST and RECONCILIATION_PORT
(127.0.0.1:4002), with RECONCILIATION_TOKEN or the file in RECONCILIATION_TOKEN_FILE. If none runs there and
no address is set, a command opens the data itself, with the variables of "serve". A program of another
RECONCILIATION_STORE or RECONCILIATION_ENVIRONMENT than the command's is refused.`;
