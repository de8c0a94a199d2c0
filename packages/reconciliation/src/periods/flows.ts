import type { Database } from '../analytics/session.ts';
import { sealedAmounts } from '../analytics/schema.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { sqlText } from '../platform/temporary-files.ts';
import { select, text, whole } from '../queries/basis/rows.ts';
import { differenceAmounts, differences, paidFlows } from '../statuses/money-views.ts';

/** The bounds of a period in milliseconds since 1970; `untilAt` is exclusive. */
export interface Bounds {
  id: string;
  fromAt: number;
  untilAt: number;
}

/** ID for movements before the first closed period. */
export const BEFORE = '';

/** Amounts that are not steps of a cash flow: see {@link differenceAmounts}. */
const differing = ['short', 'accepted'] as const;
const moments = ['settled_at', 'funded_at'] as const;

/** Sums of all amounts in the sealed columns. */
const sums = sealedAmounts.map((name) => `sum(${name})::bigint as ${name}`).join(', ');

/**
 * Selects all movements up to the end of the last given period, based on the current judgment: the
 * period, order key, currency, lender and {@link sealedAmounts}, with several rows for most orders.
 * @param condition on the period, such as `period = '2026-10'`
 */
export function currentFlows(periods: readonly Bounds[], condition = 'true'): string {
  const until = periods.at(-1)?.untilAt ?? Number.MIN_SAFE_INTEGER;
  const cases = [
    `when moved_at < ${periods[0]?.fromAt ?? until} then '${BEFORE}'`,
    ...periods.map(({ id, untilAt }) => `when moved_at < ${untilAt} then ${sqlText(id)}`),
  ];
  const keys = `case ${cases.join(' ')} end as period, order_key, currency, lender`;
  const steps = sealedAmounts.filter((name) => !differing.some((other) => other === name));
  const ofFlow = (name: string) => {
    const step = name === 'written_off' ? 'short' : name;
    return `case when step = '${step}' then amount else 0 end as ${name}`;
  };
  const ofDifference = (name: string) => {
    const own = differing.find((other) => other === name);
    return own === undefined ? ofFlow(name) : `${differenceAmounts[own]} as ${name}`;
  };
  const ofPaid = (moment: string) => (name: string) => {
    const flows = steps.includes(name) ? paidFlows(name) : [];
    const parts = flows
      .filter((flow) => flow.moment === moment)
      .map(({ kind, amount }) => `when '${kind}' then ${amount}`);
    return `${parts.length === 0 ? '0' : `case kind ${parts.join(' ')} else 0 end`} as ${name}`;
  };
  const rows = [
    `select ${keys}, ${sealedAmounts.map(ofDifference).join(', ')} from (${differences})
      where moved_at < ${until}`,
    ...moments.map(
      (moment) => `
      select ${keys}, ${sealedAmounts.map(ofPaid(moment)).join(', ')}
      from (select *, ${moment} as moved_at from paid_lines
        where ${moment} < ${until} ${moment === 'settled_at' ? "and kind = 'settle'" : ''})`,
    ),
  ];
  return `select * from (${rows.join(' union all ')}) where ${condition}`;
}

/** Selects the amounts of closed periods: sealed amounts plus later adjustments. */
const sealed = `select period, order_key, currency, lender, ${sealedAmounts.join(', ')} from sealed_flows`;

/** Number of order groups whose sums are compared first. */
const GROUPS = 1_024;
const key = 'hash(order_key, currency, lender, period)';
/** A linear digest of amounts: equal if an order's sums are equal, however many rows it has. */
const weighted = sealedAmounts
  .map((name, index) => `${2 * index + 3} * ${name}::hugeint`)
  .join(' + ');
const digest = `sum((${key} >> 32)::hugeint * (${weighted}))`;

/**
 * Selects the differences between the closed periods as judged now and as sealed, by period, order,
 * currency and lender. The next close seals these adjustments. First skips groups of orders with
 * equal sums, because few orders change.
 */
export async function adjustments(
  connection: DuckDBConnection,
  closed: readonly Bounds[],
): Promise<string> {
  const groupOf = (source: string) => `
    select (${key} % ${GROUPS})::integer as part, ${digest} as digest from (${source}) group by part`;
  const found = await connection.runAndReadAll(`
    select coalesce(n.part, s.part)
    from (${groupOf(currentFlows(closed))}) n full join (${groupOf(sealed)}) s on s.part = n.part
    where coalesce(n.digest, 0) <> coalesce(s.digest, 0)`);
  const parts = found.getRows().map(([part]) => Number(part));
  const among = parts.length === 0 ? 'false' : `${key} % ${GROUPS} in (${parts.join(', ')})`;
  const negative = sealedAmounts.map((name) => `-${name}`).join(', ');
  return `
    select period, order_key, currency, lender, ${sums}
    from (
      select * from (${currentFlows(closed)}) where ${among}
      union all
      select period, order_key, currency, lender, ${negative} from sealed_flows where ${among})
    group by period, order_key, currency, lender
    having ${sealedAmounts.map((name) => `sum(${name}) <> 0`).join(' or ')}`;
}

/** A closed period in effect. */
export interface ClosedPeriod extends Bounds {
  /** Position of its seal. */
  seq: number;
  /** Number of the last fact that the seal covers. */
  head: number;
}

/** Returns the closed periods in effect, in order. */
export async function closedPeriods(connection: DuckDBConnection): Promise<ClosedPeriod[]> {
  const rows = await select(
    connection,
    'select seq, period, head, from_at, until_at from seals order by seq',
  );
  return rows.map((row) => ({
    seq: whole(row.seq),
    id: text(row.period),
    head: whole(row.head),
    fromAt: whole(row.from_at),
    untilAt: whole(row.until_at),
  }));
}

/** Selects the amounts that a period's close seals: its own, and the adjustments. */
export async function closingFlows(
  connection: DuckDBConnection,
  closed: readonly Bounds[],
  closing: Bounds,
): Promise<string> {
  const own =
    closed.length === 0
      ? `period in ('${BEFORE}', ${sqlText(closing.id)})`
      : `period = ${sqlText(closing.id)}`;
  const rows = [currentFlows([...closed, closing], own)];
  if (closed.length > 0) rows.push(await adjustments(connection, closed));
  return rows.join(' union all ');
}

/**
 * Selects the sealed amounts, and those that the close of a period would seal after them, with the
 * position of its seal.
 * @param closed the periods before it; none of a period that is not the next one
 */
export async function openFlows(
  connection: DuckDBConnection,
  closed: readonly ClosedPeriod[],
  closing: Bounds,
): Promise<{ flows: string; seq: number }> {
  const seq = (closed.at(-1)?.seq ?? 0) + 1;
  const sealedBefore = closed.length === 0 ? '' : 'select * from sealed_flows union all by name';
  const own = await closingFlows(connection, closed, closing);
  return { flows: `(${sealedBefore} select ${seq} as seq, * from (${own}))`, seq };
}

/** Writes the amounts that a close seals to a Parquet file. @returns the number of rows */
export async function copyFlows(
  database: Pick<Database, 'read'>,
  closing: Bounds,
  path: string,
): Promise<number> {
  return database.read(async (connection) => {
    const rows = await closingFlows(connection, await closedPeriods(connection), closing);
    const { rowsChanged } = await connection.run(`
      copy (${rows}) to ${sqlText(path)}
      (format parquet, compression zstd, use_tmp_file false)`);
    return rowsChanged;
  });
}
