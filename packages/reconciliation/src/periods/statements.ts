import type { WalkAmount, WalkStatement } from '@financing-checkout/contract/reconciliation';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import {
  conditionOf,
  type Own,
  parametersOf,
  readWalkSums,
  walkAmountSql,
  walkStatement,
  walkSumNames,
  type WalkSums,
  walkSumsOf,
} from '../queries/money/money.ts';
import { select, text } from '../queries/basis/rows.ts';
import { inTransit } from './accounts.ts';
import { adjustments, BEFORE, type Bounds, type ClosedPeriod } from './flows.ts';

const everything: Own = { currency: undefined, lender: undefined };
const moved = walkSumNames.filter((name) => name !== 'opening');

/**
 * Returns a closed period's sealed statements, with the adjustments to earlier periods that it
 * sealed.
 * @param flows rows of `sealed_flows` up to this seal
 */
export async function sealedStatements(
  connection: DuckDBConnection,
  seq: number,
  own: Own = everything,
  flows = 'sealed_flows',
): Promise<WalkStatement[]> {
  const rows = await select(
    connection,
    `${sealedSums(seq, own, flows, 'currency')} order by currency`,
    parametersOf(own),
  );
  return rows.map((row) => walkStatement(text(row.currency), walkSumsOf(row)));
}

/** Selects the sealed sums of a cash walk from columns of `sealed_flows`. */
export function sealedSums(seq: number, own: Own, flows: string, keys: string): string {
  const isOpening = `(f.seq < ${seq} or f.seq = first.seq and period = '${BEFORE}')`;
  return `select ${keys}, sum(case when ${isOpening} then ${inTransit} else 0 end) as opening,
      ${moved.map((name) => `sum(case when ${isOpening} then 0 else ${name} end) as ${name}`).join(', ')}
    from ${flows} f, (select min(seq) as seq from ${flows}) first
    where f.seq <= ${seq} and ${conditionOf(own)} group by ${keys}`;
}

/** Selects the amount of each order, currency and lender in the statement of a seal. */
export function orderAmounts(
  step: WalkAmount,
  { flows, seq }: { flows: string; seq: number },
  own: Own = everything,
): string {
  return `select order_key, currency, lender, ${walkAmountSql(step)} as amount
    from (${sealedSums(seq, own, flows, 'order_key, currency, lender')})`;
}

/**
 * Returns the statements of the period to close next: its movements, and the adjustments to closed
 * periods. Their opening amount is the last sealed closing amount.
 */
export async function openStatements(
  connection: DuckDBConnection,
  closed: readonly ClosedPeriod[],
  open: Bounds,
  own: Own = everything,
): Promise<WalkStatement[]> {
  const sums = await readWalkSums(connection, { from: open.fromAt, to: open.untilAt }, own);
  if (closed.length > 0) {
    const rows = await select(
      connection,
      `select currency, -sum(${inTransit}) as opening,
        ${moved.map((name) => `sum(${name}) as ${name}`).join(', ')}
      from (${await adjustments(connection, closed)}) where ${conditionOf(own)} group by currency`,
      parametersOf(own),
    );
    for (const row of rows) {
      const currency = text(row.currency);
      sums.set(currency, added(sums.get(currency), walkSumsOf(row)));
    }
  }
  return [...sums]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, own]) => walkStatement(currency, own));
}

function added(one: WalkSums | undefined, other: WalkSums): WalkSums {
  if (one === undefined) return other;
  const sums = { ...other };
  for (const name of walkSumNames) sums[name] += one[name];
  return sums;
}
