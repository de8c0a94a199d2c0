import type { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import type { FactStore, ImportOrigin } from '../facts/store.ts';
import { fileError } from './import-error.ts';
import { withContent } from './lines.ts';
import { isSameSource, periodAround, type StatedOrigin } from './origin.ts';

/** A line that differs from earlier imports of the same source and period. */
export interface DifferingLine {
  kind: 'added' | 'changed' | 'removed';
  merchantOrderId: string;
  type: string;
  currency: string;
  /** Amounts in minor units, in the file and in the ledger; undefined where the line is missing. */
  amount?: number | undefined;
  amountInBooks?: number | undefined;
  /** Milliseconds since 1970. */
  at: number;
}

export interface Difference {
  source: string;
  /** First and last day of the period, inclusive. */
  from: string;
  to: string;
  added: number;
  changed: number;
  removed: number;
  /** The first differing lines. */
  list: DifferingLine[];
}

/** Maximum number of lines to report. */
const MAX_LISTED = 100;

/** Returns the origin of the incoming lines; undefined if there are no lines. */
export async function originOfStaged(
  connection: DuckDBConnection,
  { calendar, source, isStated, period }: StatedOrigin,
  columns: string,
): Promise<ImportOrigin | undefined> {
  const found = await connection.runAndReadAll(
    'select min(occurred_at), max(occurred_at) from incoming',
  );
  const [first, last] = found.getRows()[0] ?? [];
  if (first === null || last === null) return undefined;
  const { from, to } = period ?? periodAround(Number(first), Number(last), calendar);
  return { source, isStated, columns, from, to };
}

/**
 * Fills the table `gone` with lines from earlier imports of the same source and period that are
 * missing in the view `compared` or have different content there. Lines of the companion itself are
 * excluded.
 * @param file beginning of private names for the contents of the earlier imports
 */
export async function findGone(
  connection: DuckDBConnection,
  facts: Pick<FactStore, 'importsInPeriod' | 'importContent'>,
  origin: ImportOrigin,
  file: string,
): Promise<void> {
  await connection.run('create or replace temp table gone (id varchar)');
  for (const { id, origin: earlier } of await facts.importsInPeriod(origin.from, origin.to)) {
    const isSame = isSameSource(origin, earlier);
    if (isSame === false) continue;
    await withContent(facts, id, file, (lines) =>
      connection.run(`create or replace temp table earlier as select id, order_key from ${lines}`),
    );
    await connection.run(
      `insert into gone
       select distinct b.id from earlier e join ledger_lines b on b.id = e.id
       left join checked c on c.id = b.id and c.ordinal = 1
       where not b.own and b.occurred_at between ${origin.from} and ${origin.to}
         and (c.id is null or c.conflicts) and b.id not in (select id from gone)
         and (${isSame === true} or exists (
           select 1 from earlier o join compared n on n.order_key = o.order_key))`,
    );
    await connection.run('drop table earlier');
  }
}

/** Returns the differences between `compared` and `gone`; undefined if the file only adds lines. */
export async function differenceOf(
  connection: DuckDBConnection,
  origin: ImportOrigin,
  calendar: Calendar,
): Promise<Difference | undefined> {
  const differing = `
    with one as (
      select *, row_number() over (partition by order_key, type, currency order by number) as nth
      from compared where ordinal = 1 and not duplicate and (not present or id in (select id from gone))
    ),
    other as (
      select *, row_number() over (partition by order_key, type, currency order by occurred_at, id) as nth
      from ledger_lines where id in (select id from gone)
    )
    select case when n.id is null then 'removed' when b.id is null then 'added' else 'changed' end as kind,
      coalesce(n.merchant_order_id, b.merchant_order_id) as merchant_order_id,
      coalesce(n.type, b.type) as type, coalesce(n.currency, b.currency) as currency,
      n.amount as amount, b.amount as before, coalesce(n.occurred_at, b.occurred_at) as occurred_at
    from one n full join other b
      on b.order_key = n.order_key and b.type = n.type and b.currency = n.currency and b.nth = n.nth`;
  const counted = await connection.runAndReadAll(
    `select count(*) filter (where kind = 'added'), count(*) filter (where kind = 'changed'),
       count(*) filter (where kind = 'removed'), (select count(*) from gone) from (${differing})`,
  );
  const [added = 0, changed = 0, removed = 0, gone = 0] = (counted.getRows()[0] ?? []).map(Number);
  if (gone === 0) return undefined;
  const rows = await connection.runAndReadAll(
    `select * from (${differing}) order by merchant_order_id, type, occurred_at limit ${MAX_LISTED}`,
  );
  const amountOf = (value: unknown) => (value === null ? undefined : Number(value));
  const { source, from, to } = origin;
  return {
    source,
    from: calendar.dayOf(from),
    to: calendar.dayOf(to),
    added,
    changed,
    removed,
    list: rows.getRows().map(([kind, order, type, currency, amount, before, at]) => ({
      kind: kind as DifferingLine['kind'],
      merchantOrderId: String(order),
      type: String(type),
      currency: String(currency),
      amount: amountOf(amount),
      amountInBooks: amountOf(before),
      at: Number(at),
    })),
  };
}

/** Returns the confirmation question for a difference. */
export function questionOf({ source, from, to, added, changed, removed }: Difference) {
  const message = `differs from an earlier import of "${source}", ${from} to ${to}: ${added} added, ${changed} changed, ${removed} removed. Set \`correction\` to replace the earlier lines by those of the file, or add to keep all of them`;
  return fileError('correction', message);
}
