import type { Walk } from '@financing-checkout/contract';
import { ProblemError } from '../platform/problem.ts';
import { countLeftOut } from '../queries/left-out.ts';
import { ofLender, type Part } from '../queries/money.ts';
import { type QueryContext, reliabilityOf } from '../queries/reliability.ts';
import { adjustmentCounts } from './adjustments.ts';
import { boundsOf, listPeriods, type PeriodsContext } from './close.ts';
import { closedPeriods } from './flows.ts';
import { openStatements, sealedStatements } from './statements.ts';

/**
 * Returns the cash walk of a period of the books: as sealed, or of the open one with the adjustments
 * of closed periods. @throws {ProblemError} `period-not-found` @throws {InexactSumError}
 */
export async function periodWalk(
  periods: PeriodsContext,
  ctx: QueryContext,
  { id, ...part }: Omit<Part, 'period' | 'span'> & { id: string },
): Promise<Walk> {
  const { zone } = periods;
  const listed = await listPeriods(periods);
  const period = listed.periods.find((one) => one.id === id);
  if (period === undefined) throw new ProblemError('period-not-found');
  const { from, to, state, seal } = period;
  const own = ofLender(ctx, part);
  const isSealed = state === 'closed';
  const [statements, leftOut, adjusted] = await ctx.database.read(async (connection) => {
    const closed = await closedPeriods(connection);
    const earlier = id === listed.open ? closed : [];
    return [
      isSealed && seal !== undefined
        ? await sealedStatements(connection, seal.seq, own)
        : await openStatements(connection, earlier, boundsOf(period, zone), own),
      await countLeftOut(connection, part),
      isSealed || id === listed.open
        ? await adjustmentCounts(
            connection,
            closed,
            closed.find(({ seq }) => isSealed && seq === seal?.seq),
          )
        : [],
    ];
  }, ctx.signal);
  return {
    ...(await reliabilityOf(ctx)),
    lender: own.lender,
    from,
    to,
    zone,
    statements,
    ...leftOut,
    book: {
      period: id,
      isSealed,
      seal: isSealed ? seal?.hash : undefined,
      adjustments: adjusted.reduce((sum, { count }) => sum + count, 0),
    },
  };
}
