import type { Adjustment, AdjustmentReason } from '@financing-checkout/contract/reconciliation';
import { z } from 'zod';
import type { FactStore } from '../facts/store.ts';
import { batchesOf } from '../facts/trail.ts';
import { merchantOrderIdOf } from '../platform/order-key.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { walkSumsOf, walkStatement } from '../queries/money/money.ts';
import { optional, type Row, select, text, whole } from '../queries/basis/rows.ts';
import { sealedAmounts } from '../analytics/schema.ts';
import { adjustments, BEFORE, type ClosedPeriod } from './flows.ts';

const ids = z.array(z.string());

/** Changes since the last seal that affect statuses without a new fact. */
export interface Changed {
  policy: boolean;
  rules: boolean;
}

/** A range of rows: at most `limit`, after the first `offset`. */
export interface RowRange {
  limit: number;
  offset?: number;
}

/**
 * Selects the adjustments that a closed period has sealed, or that the open one will seal. An order
 * in transit has no lender, so a lender that became known later is not an adjustment.
 * @param own undefined for the open period
 */
async function sourceOf(
  connection: DuckDBConnection,
  closed: readonly ClosedPeriod[],
  own: ClosedPeriod | undefined,
): Promise<string> {
  const isFirst = closed[0]?.seq === own?.seq;
  const all =
    own === undefined
      ? await adjustments(connection, closed)
      : `select * exclude (seq) from sealed_flows
        where seq = ${own.seq} and period <> '${own.id}' and ${isFirst ? `period <> '${BEFORE}'` : 'true'}`;
  const changes = sealedAmounts.map((name) => `sum(${name}) <> 0`).join(' or ');
  return `with a as materialized (${all})
    select * from a semi join (
      from a select period, order_key, currency group by all having ${changes})
    using (period, order_key, currency)`;
}

/** Returns the number of adjustments that count toward a period, by the period that they adjust. */
export async function adjustmentCounts(
  connection: DuckDBConnection,
  closed: readonly ClosedPeriod[],
  own: ClosedPeriod | undefined,
): Promise<{ belongsTo: string; count: number }[]> {
  if (closed.length === 0) return [];
  const rows = await select(
    connection,
    `select period, count(*) as count from (${await sourceOf(connection, closed, own)})
    group by period order by period`,
  );
  return rows.map((row) => ({ belongsTo: text(row.period), count: whole(row.count) }));
}

/** Returns the adjustments that count toward a period, those with the most money first. */
export async function listAdjustments(
  connection: DuckDBConnection,
  facts: Pick<FactStore, 'caseEvents'>,
  {
    closed,
    own,
    changed,
  }: { closed: readonly ClosedPeriod[]; own: ClosedPeriod | undefined; changed: Changed },
  { limit, offset = 0 }: RowRange,
): Promise<{ adjustments: Adjustment[]; count: number }> {
  if (closed.length === 0) return { adjustments: [], count: 0 };
  const after = closed.findLast(({ seq }) => own === undefined || seq < own.seq)?.head ?? 0;
  const until = own?.head ?? Number.MAX_SAFE_INTEGER;
  const rows = await select(
    connection,
    `select *, count(*) over () as total,
      exists (from cases c where c.order_key = a.order_key and c.currency = a.currency
        and c.number > ${after} and c.number <= ${until}) as decided,
      (select list(c.id) from cases c where c.order_key = a.order_key and c.currency = a.currency
        and c.number > ${until})::json::varchar as changed_later
    from (${await sourceOf(connection, closed, own)}) a
    order by greatest(abs(expected), abs(net), abs(short), abs(accepted)) desc, period, order_key, currency
    limit ${limit} offset ${offset}`,
  );
  const laterOf = (row: Row) => ids.parse(JSON.parse(optional(row.changed_later) ?? '[]'));
  // A case has the number of its last event, which was after the seal.
  const within = new Set<string>();
  for (const batch of batchesOf(rows.flatMap(laterOf))) {
    for (const { number, subject } of await facts.caseEvents(batch)) {
      if (number > after && number <= until) within.add(subject);
    }
  }
  return {
    count: whole(rows[0]?.total),
    adjustments: rows.map((row) => {
      const { opening, awaiting, currency, ...amounts } = walkStatement(
        text(row.currency),
        walkSumsOf({ ...row, opening: 0 }),
      );
      const orderKey = text(row.order_key);
      return {
        belongsTo: text(row.period),
        orderKey,
        merchantOrderId: merchantOrderIdOf(orderKey),
        currency,
        lender: text(row.lender),
        reason: reasonOf(
          { ...row, decided: row.decided === true || laterOf(row).some((one) => within.has(one)) },
          changed,
        ),
        inTransit: opening - awaiting,
        amounts,
      };
    }),
  };
}

/** Changes in the expected amount come from the ledger; other changes come from fundings. */
function reasonOf(row: Record<string, unknown>, changed: Changed): AdjustmentReason {
  if (row.expected !== 0) return 'ledger-changed';
  if (row.net !== 0) return 'funding-changed';
  if (row.decided === true) return 'case-decided';
  if (changed.policy) return 'policy-changed';
  return changed.rules ? 'rules-changed' : 'funding-changed';
}
