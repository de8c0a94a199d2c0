import { type PeriodWork } from '../facts/period-decisions.ts';
import { ProblemError } from '../platform/problem.ts';
import {
  type CloseContext,
  type Deciding,
  decide,
  decidedMeanwhile,
  requireEvidence,
} from './decide.ts';
import { type Decider, isSameDecider } from './deciders.ts';
import { workOf } from './read.ts';

export interface WantedReopening {
  /** Reason for a request. Undefined to approve another person's request. */
  reason?: string | undefined;
  /** Number of the request that the person saw; undefined to use the current one. */
  request?: number | undefined;
}

/**
 * Reopens the last closed period. If two people may decide, one requests it with a reason, and
 * another approves that request without a reason.
 * @returns whether the period is open again
 */
export async function reopenPeriod(
  ctx: CloseContext,
  id: string,
  by: Deciding,
  wanted: WantedReopening,
): Promise<boolean> {
  await requireEvidence(ctx, by);
  const { facts, fence, clock } = ctx;
  const last = (await facts.seals()).findLast(({ reopened }) => reopened === undefined);
  if (last?.period !== id) {
    const detail =
      last === undefined
        ? 'No period is closed.'
        : `The last closed period is ${last.period}: periods are reopened from the last one back.`;
    throw new ProblemError('period-not-permitted', { detail });
  }
  const work = await workOf(ctx, id);
  if (ctx.deciders.areTwo && wanted.reason !== undefined) {
    await decide(ctx, id, by, (own) => {
      refuseSecondReason(id, by, own);
      return { outcome: 'asked', detail: {} };
    });
    return false;
  }
  const detail = {
    seal: last.hash,
    ...(ctx.deciders.areTwo && { request: approvedRequest(id, by, work, wanted.request) }),
  };
  if (!ctx.deciders.areTwo && wanted.reason === undefined) throw reasonMissing();
  const decision = { action: by.action, period: id, at: clock.now(), detail, last: work.last };
  if ((await facts.reopenSeal(fence, last.seq, decision)) === undefined) throw decidedMeanwhile(id);
  return true;
}

/** A second reason must neither replace the first one unnoticed nor be approved through it. */
function refuseSecondReason(id: string, by: Decider, { reopening }: PeriodWork): void {
  if (reopening === undefined || isSameDecider(reopening, by)) return;
  throw new ProblemError('period-not-permitted', {
    detail: `${reopening.actor} has asked to reopen ${id} already: ${reopening.reason}. Approve that request without a reason, or withdraw it and ask again.`,
  });
}

function approvedRequest(
  id: string,
  by: Decider,
  { reopening }: PeriodWork,
  seen: number | undefined,
): number {
  if (seen !== undefined && seen !== reopening?.number) {
    throw new ProblemError('period-changed', {
      detail: `The request ${seen} to reopen ${id} has lapsed, or was withdrawn or replaced.`,
    });
  }
  if (reopening === undefined) throw reasonMissing();
  if (isSameDecider(reopening, by)) {
    throw new ProblemError('second-person-required', {
      detail: `${reopening.actor} asked to reopen ${id}. Another person has to approve it.`,
    });
  }
  return reopening.number;
}

const reasonMissing = () =>
  new ProblemError('invalid-request', { errors: [{ path: 'reason', message: 'is missing' }] });
