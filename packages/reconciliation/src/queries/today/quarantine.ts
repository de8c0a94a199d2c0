import type { Coverage } from '@financing-checkout/contract/reconciliation';
import { isGuessed } from '../../analytics/schema.ts';
import { isoTime } from '@financing-checkout/kit';
import { onceARevision } from '../basis/once-a-revision.ts';
import type { QueryContext } from '../basis/reliability.ts';
import { optional, select, text, whole } from '../basis/rows.ts';

type QuarantineContext = Pick<QueryContext, 'database' | 'signal'>;

const HOW_TO_END =
  'import the ledger of the order, or, where all orders are in one currency, set RECONCILIATION_DEFAULT_CURRENCY';

const findQuarantined = onceARevision((ctx: QuarantineContext, limit: number) =>
  ctx.database.read(
    (connection) =>
      select(
        connection,
        `select f.id, f.day, f.merchant_order_id, f.currency, f.problem,
          coalesce(d.proven_at, 0) as seen_at, ${isGuessed('f')} as assumed
        from fundings f left join funding_days d on d.day = f.day
        where f.problem is not null order by f.day desc, f.id limit ${limit}`,
      ),
    ctx.signal,
  ),
);

export async function quarantinedRecords(
  ctx: QuarantineContext,
  limit: number,
): Promise<Coverage['quarantined']> {
  const rows = await findQuarantined(ctx, limit);
  return rows.map((row) => {
    const merchantOrderId = optional(row.merchant_order_id);
    return {
      id: text(row.id),
      day: text(row.day),
      merchantOrderId,
      reason: reasonOf(text(row.problem), text(row.currency), row.assumed === true),
      seenAt: isoTime(whole(row.seen_at)),
    };
  });
}

/** If the currency is assumed, the currency may be wrong instead of the record. */
function reasonOf(problem: string, currency: string, isAssumed: boolean): string {
  if (!isAssumed || !problem.endsWith('amount-too-precise')) return problem;
  return `${problem} for ${currency}, which is assumed: ${HOW_TO_END}`;
}
