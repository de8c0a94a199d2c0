import { z } from 'zod';
import {
  delayedTypes,
  type ForcedTransaction,
  transactionEnds,
  transactionOutcomes,
} from '../charges/forced.ts';
import { environmentNames } from '../environments/environment.ts';
import { clear, cleared, operation, Refusal } from './operation.ts';
import { delay, describeOutcome, describeOutcomes } from './outcomes.ts';

const forced = z
  .strictObject({
    outcome: z.enum(transactionOutcomes),
    type: z.enum(delayedTypes),
    next: z.int().min(1).max(1_000_000).default(1),
    environment: z.enum(environmentNames).optional(),
    after: delay.refine((after) => after > 0, 'must be more than 0').optional(),
  })
  .refine(({ outcome, after }) => outcome !== 'fail' || after === undefined, {
    error: 'after is for pending-complete and pending-fail',
  });

/** Makes settles, refunds and voids start as `Pending`, or fail immediately. */
export const transactionOperations = [
  operation('transaction set', 'POST /transaction-outcomes', {
    does: 'Make the next transactions pend, or fail.',
    input: forced,
    status: 201,
    options: {
      outcome: '<outcome>  outcome',
      type: '<type>  type of the transactions',
      next: '--next <n>  the next n of them',
      environment: '--environment <name>  only this environment',
      after: '--after <duration>  how long they are pending on the sandbox clock (1h)',
    },
    help: `While a transaction is pending, its charge takes no other settle, refund or void. A transaction that
fails, at once or later, moves no money and leaves the charge unchanged. A completed settle or refund
is funded from then on.

Examples:
  financing-sandbox transaction set pending-fail Refund --after 10m
  financing-sandbox transaction set fail Void
  financing-sandbox transaction resolve 6c8b… completed`,
    run: ({ forcedTransactions }, { outcome, type, next: remaining, environment, after }) =>
      shown(
        forcedTransactions.set({
          environment: environment ?? null,
          type,
          remaining,
          endsAfterMs: outcome === 'fail' ? 0 : (after ?? 3_600_000),
          state: outcome === 'pending-complete' ? 'Completed' : 'Failed',
        }),
      ),
    show: (outcome) => [describeOutcome(outcome)],
  }),
  operation('transaction list', 'GET /transaction-outcomes', {
    does: 'Show the forced outcomes.',
    run: ({ forcedTransactions }) => ({ outcomes: forcedTransactions.list().map(shown) }),
    part: 'outcomes',
    show: describeOutcomes,
  }),
  operation('transaction clear', 'DELETE /transaction-outcomes', {
    does: 'Remove all forced outcomes: the next transactions complete at once.',
    run: ({ forcedTransactions }) => clear(forcedTransactions),
    show: cleared,
  }),
  operation('transaction resolve', 'POST /transaction-outcomes/resolve', {
    does: 'End a pending transaction now, without moving the clock.',
    input: z.strictObject({
      transactionId: z.string().min(1).max(256),
      end: z.enum(transactionEnds),
    }),
    options: {
      transactionId: '<transactionId>  id from the answer of the settle, refund or void',
      end: '<end>  final state',
    },
    run: ({ charges }, { transactionId, end }) => {
      const ended = charges.end(transactionId, end === 'completed' ? 'Completed' : 'Failed');
      if (!ended) throw new Refusal('the transaction is not pending: it has ended', 409);
      return { transactionId, type: ended.type, state: ended.state };
    },
    show: ({ transactionId, state }) => [`${transactionId} is ${state}`],
  }),
];

function shown({ id, type, remaining, environment, endsAfterMs, state }: ForcedTransaction) {
  const later = state === 'Completed' ? 'pending-complete' : 'pending-fail';
  const outcome = endsAfterMs === 0 ? 'fail' : later;
  return { id, outcome, type, next: remaining, environment, endsAfterMs };
}
