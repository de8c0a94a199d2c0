import { ProblemError } from '../platform/problem.ts';
import {
  type CloseContext,
  type Deciding,
  requireReady,
  decide,
  requireSeen,
  requireSignIn,
  requireEvidence,
} from './decide.ts';
import { describePeriod } from './read.ts';

/**
 * Records that a person prepared a close, so that another person may approve its statements.
 * @param seen hash of the statements that the person has seen; undefined to use the current ones
 */
export async function preparePeriod(
  ctx: CloseContext,
  id: string,
  by: Deciding,
  seen?: string,
): Promise<void> {
  await requireEvidence(ctx, by);
  await decide(ctx, id, by, async () => {
    const { statementsHash: statements } = await requireReady(ctx, id);
    requireSeen(id, seen, statements);
    return { outcome: 'done', detail: { statements } };
  });
}

/** Accepts a check's findings by their digest, which the trail action contains. */
export async function acceptFinding(
  ctx: CloseContext,
  id: string,
  by: Deciding,
  { check, digest }: { check: string; digest: string },
): Promise<void> {
  await requireSignIn(ctx, by);
  await decide(ctx, id, by, async () => {
    const { checks, period } = await describePeriod(ctx, id);
    const found = checks.find((one) => one.check === check);
    if (found === undefined || found.state === 'done' || period.state === 'closed') {
      throw new ProblemError('period-not-permitted', { detail: `Nothing is open in ${check}.` });
    }
    if (found.digest !== digest) {
      throw new ProblemError('period-changed', {
        detail: `${check} has found other records than those of the digest. Nothing was accepted: look at them.`,
      });
    }
    return { outcome: 'done', detail: {} };
  });
}

/** Withdraws a request for a second person. Its author or another person may do so. */
export async function withdrawRequest(
  ctx: CloseContext,
  id: string,
  by: Deciding,
  of: 'preparation' | 'reopening',
): Promise<void> {
  await requireSignIn(ctx, by);
  await decide(ctx, id, by, ({ prepared, reopening }) => {
    const request = of === 'preparation' ? prepared : reopening;
    if (request === undefined) {
      throw new ProblemError('period-not-permitted', {
        detail: `No request waits for a second person: ${of} of ${id}.`,
      });
    }
    return { outcome: 'done', detail: { request: request.number } };
  });
}
