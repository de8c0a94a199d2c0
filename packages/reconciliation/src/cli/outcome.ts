import {
  type ReconciliationSummary,
  reconciliationSummarySchema,
} from '@financing-checkout/contract/reconciliation';
import { CommandFailure } from '@financing-checkout/kit/cli';
import { get } from './ask.ts';
import { exits } from './peer.ts';
import type { Shell } from './shell.ts';

/** Thrown when the command succeeded but found something that needs attention. */
export class Finding extends CommandFailure {}

/** Returns the summary of the reconciliation, or of filtered exceptions. */
export function readSummary(
  shell: Shell,
  query: Record<string, string> = {},
): Promise<ReconciliationSummary> {
  return get(shell, '/summary', reconciliationSummarySchema, query);
}

/**
 * Fails a command if the summary has findings.
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
    throw new Finding([missing, tooMany ?? []].flat().join('\n'), exits.incomplete);
  }
  if (tooMany !== undefined) throw new Finding(tooMany, exits.exceptions);
}

type Reliability = Pick<ReconciliationSummary, 'complete' | 'unprovenDays'> &
  Partial<Pick<ReconciliationSummary, 'quarantined'>>;

/** @throws {Finding} for incomplete data */
export function judgeProof(reliability: Reliability): void {
  const missing = whatIsMissing(reliability);
  if (missing !== undefined) throw new Finding(missing, exits.incomplete);
}

function whatIsMissing({
  complete,
  unprovenDays,
  quarantined = 0,
}: Reliability): string | undefined {
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

/** Returns the note that sums exclude quarantined records. */
function notHeld(count: number): string {
  return count === 1
    ? '1 record is in quarantine and excluded from sums.'
    : `${count} records are in quarantine and excluded from sums.`;
}

/**
 * Returns the given options as query parameters: "--merchant-order-id" becomes `merchantOrderId`.
 */
export function queryOf(options: Record<string, unknown>, names: readonly string[]) {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = options[name];
      const isSaid = typeof value === 'string' || typeof value === 'number' || value === true;
      return isSaid ? [[name, String(value)]] : [];
    }),
  );
}
