import { type PeriodDetail } from '@financing-checkout/contract/reconciliation';
import type { DecisionOutcome, PeriodWork } from '../facts/period-decisions.ts';
import type { NewDecision } from '../facts/period-facts.ts';
import { type Fence } from '../facts/store.ts';
import { ProblemError } from '../platform/problem.ts';
import { type TemporaryFiles } from '../platform/temporary-files.ts';
import { type Decider } from './deciders.ts';
import { type PeriodsContext, describePeriod, workOf } from './read.ts';

export interface CloseContext extends PeriodsContext {
  fence: Fence;
  files: TemporaryFiles;
  /** Returns what is wrong with an altered trail; undefined if it is intact. */
  brokenTrail: () => Promise<string | undefined>;
  /** Called when a close begins its next step. */
  onStep: (step: CloseStep) => void;
}

export type CloseStep = 'checking' | 'summing' | 'hashing' | 'writing';

/** A person deciding about a period, and the trail action that records the outcome. */
export interface Deciding extends Decider {
  /** Number of the action in the trail. */
  action: number;
  /** The console session's ID; undefined for a request with a token. */
  session: string | undefined;
}

/** A person who approves a prepared close. */
export interface Approving extends Deciding {
  /** Prefix of the hash of the statements that the person saw; undefined to use the current ones. */
  seen?: string | undefined;
  /** Number of the last decision that the person saw; undefined to use the current one. */
  decided?: number | undefined;
}

export const ATTEMPTS = 3;

/** @throws {ProblemError} `period-not-ready`, with the open checks */
export async function requireReady(ctx: PeriodsContext, id: string): Promise<PeriodDetail> {
  const detail = await describePeriod(ctx, id);
  if (detail.period.state === 'closed') {
    throw new ProblemError('period-not-permitted', { detail: `${id} is closed.` });
  }
  const blocked = detail.checks.filter(({ state }) => state === 'blocked');
  if (blocked.length > 0) {
    const names = blocked.map(({ check, count }) => `${check} (${count})`).join(', ');
    throw new ProblemError('period-not-ready', { detail: `Not done for ${id}: ${names}.` });
  }
  return detail;
}

interface Outcome {
  outcome: DecisionOutcome;
  detail: NewDecision['detail'];
}

/** Records an action's outcome, unless the period's decisions change at the same time. */
export async function decide(
  ctx: CloseContext,
  id: string,
  { action }: Deciding,
  make: (work: PeriodWork) => Outcome | Promise<Outcome>,
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const work = await workOf(ctx, id);
    const { detail, outcome } = await make(work);
    const { last } = work;
    const decision = { action, period: id, at: ctx.clock.now(), detail, last };
    if (await ctx.facts.decide(ctx.fence, outcome, decision)) return;
  }
  throw decidedMeanwhile(id);
}

export const decidedMeanwhile = (id: string) =>
  new ProblemError('period-changed', {
    detail: `Another decision about ${id} was made at the same time. Look at it, and repeat yours if it still applies.`,
  });

export function requireSeen(id: string, seen: string | undefined, statements: string): void {
  if (seen === undefined || statements.startsWith(seen)) return;
  throw new ProblemError('period-changed', {
    detail: `The statements of ${id} are not those that you have seen. Look at them: their digest is ${statements.slice(0, 12)} now.`,
  });
}

/** Requires the session's sign-in in the trail, because the session's row could be forged. */
export async function requireSignIn({ facts }: CloseContext, by: Deciding): Promise<void> {
  const { session } = by;
  if (session === undefined || (await facts.hasSignedIn(session, by))) return;
  throw new ProblemError('session-ended', {
    detail: 'The trail does not have the sign-in of this session. Sign in again.',
  });
}

/** Refuses if the trail was altered, because it is the only evidence of decisions. */
export async function requireEvidence(ctx: CloseContext, by: Deciding): Promise<void> {
  await requireSignIn(ctx, by);
  const reason = await ctx.brokenTrail();
  if (reason === undefined) return;
  throw new ProblemError('period-not-permitted', {
    detail: `The trail, which states who has decided, is not the one that was written: event ${reason}. Verify it, and restore a backup of the record store.`,
  });
}
