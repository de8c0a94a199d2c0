import type { Walk } from '@financing-checkout/contract/reconciliation';
import { isoTime } from '@financing-checkout/kit';
import { countLeftOut } from '../queries/money/left-out.ts';
import { ofLender, type Part } from '../queries/money/money.ts';
import { type QueryContext, reliabilityOf } from '../queries/basis/reliability.ts';
import { adjustmentCounts } from './adjustments.ts';
import { boundsOf, type PeriodsContext, requirePeriod } from './read.ts';
import { closedPeriods } from './flows.ts';
import { bodyOf, sealedChecks } from './seal.ts';
import { openStatements, sealedStatements } from './statements.ts';

/**
 * Returns an accounting period's cash walk: as sealed, or for the open period, with the adjustments
 * to closed ones.
 * @throws {ProblemError} `period-not-found` @throws {InexactSumError}
 */
export async function periodWalk(
  periods: PeriodsContext,
  ctx: QueryContext,
  { id, ...part }: Omit<Part, 'period' | 'span'> & { id: string },
): Promise<Walk> {
  const { zone } = periods;
  const { record: period, isOpen } = await requirePeriod(periods, id);
  const { from, to, state, seal } = period;
  const own = ofLender(ctx, part);
  const isSealed = state === 'closed';
  const fact = (await periods.facts.seals()).find(({ seq }) => isSealed && seq === seal?.seq);
  const [statements, counted, adjusted] = await ctx.database.read(async (connection) => {
    const closed = await closedPeriods(connection);
    const earlier = isOpen ? closed : [];
    return [
      fact !== undefined
        ? await sealedStatements(connection, fact.seq, own)
        : await openStatements(connection, earlier, boundsOf(period, zone), own),
      await countLeftOut(connection, part),
      isSealed || isOpen
        ? await adjustmentCounts(
            connection,
            closed,
            closed.find(({ seq }) => isSealed && seq === seal?.seq),
          )
        : [],
    ];
  }, ctx.signal);
  const book = {
    period: id,
    isSealed,
    seal: isSealed ? seal?.hash : undefined,
    adjustments: adjusted.reduce((sum, { count }) => sum + count, 0),
  };
  const walk = { lender: own.lender, from, to, statements };
  if (fact !== undefined) {
    const leftOut = sealedChecks(fact).find(({ check }) => check === 'fundings-counted')?.count;
    return {
      asOf: isoTime(fact.at),
      // Every day of a closed period is proven.
      complete: true,
      unprovenDays: 0,
      ...walk,
      zone: bodyOf(fact).period.zone,
      book: { ...book, leftOut },
    };
  }
  return { ...(await reliabilityOf(ctx)), ...walk, zone, ...counted, book };
}
