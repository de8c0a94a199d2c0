import type {
  Adjustments,
  PeriodOrders,
  WalkAmount,
} from '@financing-checkout/contract/reconciliation';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import { ofLender, type Own, parametersOf } from '../queries/money/money.ts';
import { select, text, whole } from '../queries/basis/rows.ts';
import { policyHash } from '../statuses/policy.ts';
import { rulesVersion } from '../statuses/rules-version.ts';
import { listAdjustments, type RowRange } from './adjustments.ts';
import { boundsOf, type PeriodsContext, requirePeriod } from './read.ts';
import { closedPeriods, openFlows } from './flows.ts';
import { bodyOf } from './seal.ts';
import { orderAmounts } from './statements.ts';

/**
 * Returns the adjustments that count toward a period, sealed or current, those with the most money
 * first.
 * @throws {ProblemError} `period-not-found`
 */
export async function adjustmentsOfPeriod(
  ctx: PeriodsContext,
  id: string,
  range: RowRange,
): Promise<Adjustments> {
  const { record, isOpen } = await requirePeriod(ctx, id);
  const isSealed = record.state === 'closed';
  const seals = (await ctx.facts.seals()).filter(({ reopened }) => reopened === undefined);
  const own = seals.find((seal) => isSealed && seal.period === id);
  const before = seals.findLast(({ seq }) => own === undefined || seq < own.seq);
  const now = own === undefined ? undefined : bodyOf(own);
  const then = before === undefined ? undefined : bodyOf(before);
  const changed = {
    policy: then?.policyHash !== (now?.policyHash ?? policyHash(ctx.policy)),
    rules: then?.rules !== (now?.rules ?? rulesVersion()),
  };
  const found = await ctx.database.read(async (connection) => {
    const closed = await closedPeriods(connection);
    const wanted = { closed, own: closed.find(({ seq }) => seq === own?.seq), changed };
    return isSealed || isOpen
      ? listAdjustments(connection, ctx.facts, wanted, range)
      : { adjustments: [], count: 0 };
  });
  return { period: id, isSealed, ...found };
}

/**
 * Returns the orders that make up an amount in a period's statements, those with the most money
 * first, with totals: as sealed, or as a close would seal them now.
 * @throws {ProblemError} `period-not-found`
 */
export async function ordersOfPeriod(
  ctx: PeriodsContext,
  { id, step, ...part }: Own & { id: string; step: WalkAmount },
  { limit, offset = 0 }: RowRange,
): Promise<PeriodOrders> {
  const { record, isOpen } = await requirePeriod(ctx, id);
  const isSealed = record.state === 'closed';
  const own = ofLender(ctx, part);
  return ctx.database.read(async (connection) => {
    const closed = await closedPeriods(connection);
    const seal = closed.find(({ seq }) => isSealed && seq === record.seal?.seq);
    const { flows, seq } =
      seal === undefined
        ? await openFlows(connection, isOpen ? closed : [], boundsOf(record, ctx.zone))
        : { flows: 'sealed_flows', seq: seal.seq };
    const amounts = orderAmounts(step, { flows, seq }, own);
    const found = `(${amounts}) where amount <> 0`;
    const parameters = parametersOf(own);
    const sums = await select(
      connection,
      `select currency, sum(amount) as amount, count(*) as count from ${found}
      group by currency order by currency`,
      parameters,
    );
    const rows = await select(
      connection,
      `select * from ${found}
      order by abs(amount) desc, order_key, currency, lender limit ${limit} offset ${offset}`,
      parameters,
    );
    return {
      period: id,
      isSealed,
      step,
      count: sums.reduce((sum, row) => sum + whole(row.count), 0),
      sums: sums.map((row) => ({ currency: text(row.currency), amount: whole(row.amount) })),
      orders: rows.map((row) => {
        const orderKey = text(row.order_key);
        return {
          orderKey,
          merchantOrderId: merchantOrderIdOf(orderKey),
          currency: text(row.currency),
          lender: text(row.lender),
          amount: whole(row.amount),
        };
      }),
    };
  });
}
