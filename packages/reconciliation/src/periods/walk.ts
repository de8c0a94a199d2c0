import type { Walk } from '@financing-checkout/contract/reconciliation';
import { countLeftOut } from '../queries/money/left-out.ts';
import { ofLender, type Part } from '../queries/money/money.ts';
import { type QueryContext, reliabilityOf } from '../queries/basis/reliability.ts';
import { adjustmentCounts } from './adjustments.ts';
import { boundsOf, type PeriodsContext, requirePeriod } from './read.ts';
import { closedPeriods } from './flows.ts';
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
  const [statements, leftOut, adjusted] = await ctx.database.read(async (connection) => {
    const closed = await closedPeriods(connection);
    const earlier = isOpen ? closed : [];
    return [
      isSealed && seal !== undefined
        ? await sealedStatements(connection, seal.seq, own)
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
  const reliability = await reliabilityOf(ctx);
  // Every day of a closed period is proven.
  const proven = { ...reliability, complete: true, unprovenDays: 0 };
  const stated = isSealed && seal !== undefined ? { ...proven, asOf: seal.at } : reliability;
  return {
    ...stated,
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
