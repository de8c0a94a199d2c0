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
  3  the data is incomplete, because a day is not proven or a record is in quarantine: the result
     may change (see "financing-reconcile status"); takes precedence over 2
  69 neither a running "serve" nor the record store is reachable
  75 the result is unknown: run the same command with the same --key
  77 the access token is missing, wrong, or lacks the scope
  78 the configuration is incomplete, or the program at the address has another store or environment`;

/**
 * Applies these exit codes to a group of commands: every failure is 1, including a misspelled word,
 * for which commander uses 2.
 */
export function withReconcileCodes(group: Command): Command {
  return group.exitOverride((error: CommanderError) => {
    if (error.exitCode === 0) throw error;
    throw new CommandFailure('No changes were made.', exitCodes.failed);
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
      ? `${open} ${open === 1 ? 'exception is' : 'exceptions are'} open; allowed: ${threshold}.`
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
  const days = `${unprovenDays} ${unprovenDays === 1 ? 'day is' : 'days are'} not proven`;
  const reasons = [
    ...(complete
      ? []
      : [
          unprovenDays === 0
            ? 'nothing was read from the service yet. Run "financing-reconcile sync".'
            : `${days}. Run "financing-reconcile sync", with --from and --to for days older than 400 days.`,
        ]),
    ...(quarantined === 0
      ? []
      : [`${notHeld(quarantined)} "financing-reconcile status" lists the reasons.`]),
  ];
  return reasons.length === 0 ? undefined : `The data is not complete: ${reasons.join(' Also, ')}`;
}

/** Notes that sums leave records out. */
function notHeld(count: number): string {
  return count === 1
    ? '1 record is in quarantine and excluded from sums.'
    : `${count} records are in quarantine and excluded from sums.`;
}

/** Parses an integer option. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be an integer.');
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
