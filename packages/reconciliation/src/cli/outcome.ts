import {
  type ReconciliationSummary,
  reconciliationSummarySchema,
} from '@financing-checkout/contract';
import { type Command, type CommanderError, InvalidArgumentError } from 'commander';
import { CommandFailure, exitCodes } from './exit.ts';
import { ask } from './api.ts';
import type { Shell } from './shell.ts';

/** Help text of the exit codes. */
export const exitCodeHelp = `
Exit codes, for cron:
  0  clean
  1  an error; the message says what to do
  2  more open exceptions than --threshold allows, or a walk with something unexplained
  3  the data is not all there, because a day is not proved or a record could not be held: what is
     said may change by itself (see "financing-reconcile status"); it comes before 2
  69 neither a running "serve" nor the record store can be reached
  75 what became of it is not known yet: run the same with the same --key
  77 the access token is missing, wrong, or does not permit it
  78 the configuration is not complete; each variable is named`;

/**
 * Applies these exit codes to a group of commands: every failure is 1, including a misspelled word,
 * for which commander uses 2.
 */
export function withReconcileCodes(group: Command): Command {
  return group.exitOverride((error: CommanderError) => {
    if (error.exitCode === 0) throw error;
    throw new CommandFailure('Nothing was done.', exitCodes.failed);
  });
}

/** Wraps an action: wrong usage ends with 1, findings with 2 or 3. */
export function reconciling<Words extends unknown[]>(
  action: (...words: Words) => Promise<void>,
): (...words: Words) => Promise<void> {
  return async function reconcilingAction(...words) {
    try {
      await action(...words);
    } catch (error) {
      if (error instanceof Finding) throw error;
      // Exit code 2 has one meaning here.
      if (error instanceof CommandFailure && error.exitCode === exitCodes.usage) {
        throw new CommandFailure(error.message, exitCodes.failed);
      }
      throw error;
    }
  };
}

/** Thrown when the command succeeded and found something to look at. */
export class Finding extends CommandFailure {}

/** Summary of the reconciliation, or of filtered exceptions. */
export function readSummary(
  shell: Shell,
  query: Record<string, string> = {},
): Promise<ReconciliationSummary> {
  return ask(shell, {
    method: 'GET',
    path: '/summary',
    query,
    schema: reconciliationSummarySchema,
  });
}

/**
 * Ends a command according to the summary.
 * @param threshold maximum number of open exceptions; undefined: unlimited
 * @throws {Finding}
 */
export function judge(summary: ReconciliationSummary, threshold: number | undefined): void {
  const open = summary.exceptions.reduce((sum, exception) => sum + exception.open, 0);
  const tooMany =
    threshold !== undefined && open > threshold
      ? `${open} ${open === 1 ? 'exception is' : 'exceptions are'} open; ${threshold} ${threshold === 1 ? 'is' : 'are'} let pass.`
      : undefined;
  const missing = whatIsMissing(summary);
  if (missing !== undefined) {
    throw new Finding([missing, tooMany ?? []].flat().join('\n'), exitCodes.incomplete);
  }
  if (tooMany !== undefined) throw new Finding(tooMany, exitCodes.exceptions);
}

type Reliability = Pick<ReconciliationSummary, 'complete' | 'unprovenDays' | 'quarantined'>;

/** @throws {Finding} for incomplete data */
export function judgeProof(reliability: Reliability): void {
  const missing = whatIsMissing(reliability);
  if (missing !== undefined) throw new Finding(missing, exitCodes.incomplete);
}

function whatIsMissing({ complete, unprovenDays, quarantined }: Reliability): string | undefined {
  const days = `${unprovenDays} ${unprovenDays === 1 ? 'day is' : 'days are'} not proved`;
  const reasons = [
    ...(complete
      ? []
      : [
          unprovenDays === 0
            ? 'nothing was read from the service yet. Run "financing-reconcile sync".'
            : `${days}. Run "financing-reconcile sync", with --from and --to for what is older than 400 days.`,
        ]),
    ...(quarantined === 0
      ? []
      : [`${notHeld(quarantined)} "financing-reconcile status" says why.`]),
  ];
  return reasons.length === 0 ? undefined : `The data is not complete: ${reasons.join(' Also, ')}`;
}

/** Notes that sums leave records out. */
function notHeld(count: number): string {
  return count === 1
    ? '1 record could not be held, and is in no sum.'
    : `${count} records could not be held, and are in no sum.`;
}

/** Parses an integer option. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** Parses a number of rows: zero would print a wrong "nothing found". */
export function rowCount(text: string): number {
  const count = wholeNumber(text);
  if (count === 0) throw new InvalidArgumentError('It must be 1 or more.');
  return count;
}

/** Returns the given options as a query: "--merchant-order-id" becomes `merchantOrderId`. */
export function queryOf(options: Record<string, unknown>, names: readonly string[]) {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = options[name];
      const isSaid = typeof value === 'string' || typeof value === 'number' || value === true;
      return isSaid ? [[name, String(value)]] : [];
    }),
  );
}
