import type { LedgerImportRecord } from '@financing-checkout/contract/reconciliation';
import type { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import type { DuckDBConnection } from '../../platform/duckdb.ts';
import type { FactStore, ImportOrigin } from '../../facts/store.ts';
import { fileError } from '../import-error.ts';
import { withContent } from './lines.ts';
import { daysAround, isNamedAlike, periodAround, type StatedOrigin } from './origin.ts';

/** How a file differs from its source's earlier imports. */
export type Difference = NonNullable<LedgerImportRecord['difference']>;
type DifferingLine = Difference['list'][number];

/** Maximum number of lines to report. */
const MAX_LISTED = 100;
/** Sources round dates to days, so lines whose dates differ by less are the same. */
const DAY = 86_400_000;

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
  const { from, to } = period ?? daysAround(Number(first), Number(last), calendar);
  return { source, isStated, columns, from, to };
}

/** One earlier import's lines that are still in the ledger, compared with the file. */
interface EarlierLines {
  origin: ImportOrigin;
  lines: number;
  /** Lines that the file contains with the same amount and day. */
  found: number;
  /** Lines whose order occurs in the file with the same type and currency. */
  alike: number;
  /** Lines whose order occurs in the file. */
  orders: number;
  /** Dates of all lines, and of the missing ones outside the file's period. */
  first: number;
  last: number;
  firstLacking: number;
  lastLacking: number;
}

interface FileLines {
  lines: number;
  /** Lines that also occur in the source's earlier imports. */
  repeated: number;
  first: number;
  last: number;
  /** Dates of the lines that the ledger does not contain. */
  firstNew: number;
  lastNew: number;
}

/** Returns whether one source's earlier imports have the same source as the file. */
function isSameSource(
  origin: ImportOrigin,
  earlier: ImportOrigin,
  imports: readonly EarlierLines[],
  file: number,
): boolean {
  const sum = (name: 'lines' | 'found' | 'alike' | 'orders') =>
    imports.reduce((total, one) => total + one[name], 0);
  const hasColumns = origin.columns === earlier.columns;
  if (sum('lines') === 0) return false;
  if (origin.source === earlier.source) {
    return origin.isStated || earlier.isStated || hasColumns || sum('orders') > 0;
  }
  // A program's columns are weaker evidence for the source than amounts and days.
  return 2 * sum(hasColumns ? 'alike' : 'found') >= Math.min(sum('lines'), file);
}

/**
 * Selects the missing lines outside the file's own period that a replacement also removes from an earlier
 * import.
 */
function outsideThatGo(
  earlier: EarlierLines,
  file: FileLines,
  isPeriodStated: boolean,
): 'all' | 'counterparts' | 'none' {
  const isRestated = 2 * earlier.found >= earlier.lines || 2 * file.repeated >= file.lines;
  if (!isRestated) return 'none';
  // Two exports with overlapping days each have days of their own at one end.
  const isContinued =
    (earlier.lastLacking < file.first && file.lastNew > earlier.last) ||
    (earlier.firstLacking > file.last && file.firstNew < earlier.first);
  return isPeriodStated || isContinued ? 'counterparts' : 'all';
}

/** Names of the tables that {@link findGone} creates. */
export const correctionTables = ['earlier', 'fates', 'gone', 'kept', 'freed'] as const;

/** Creates the tables of {@link findGone}, without lines. */
export async function createGone(connection: DuckDBConnection): Promise<void> {
  for (const table of ['gone', 'kept', 'freed']) {
    await connection.run(`create or replace temp table ${table} (id varchar)`);
  }
}

/**
 * Compares the view `compared` with the lines of the same source's earlier imports, in the periods
 * of both. Excludes the companion's own lines. Fills tables with ids:
 *
 * - `gone`: lines that the file lacks or changes; a replacement removes them.
 * - `kept`: missing lines that remain, because the file does not cover their days.
 * - `freed`: lines of the file whose transaction contradicts only lines in `gone`.
 * @param file prefix of the temporary names for the earlier imports' contents
 * @returns first and last millisecond of the periods; undefined without such imports
 */
export async function findGone(
  connection: DuckDBConnection,
  facts: Pick<FactStore, 'importsInPeriod' | 'importContent'>,
  origin: ImportOrigin,
  { file, isPeriodStated }: { file: string; isPeriodStated: boolean },
): Promise<{ from: number; to: number } | undefined> {
  const imports = await stageEarlier(connection, facts, origin, file);
  if (imports.length === 0) return undefined;
  const earlier = await compareEarlier(connection, imports, origin);
  const [lines = 0, first = 0, last = 0, firstNew = Infinity, lastNew = -Infinity] =
    await numbersOf(
      connection,
      `select count(*), min(occurred_at), max(occurred_at),
         min(occurred_at) filter (where not present and not duplicate),
         max(occurred_at) filter (where not present and not duplicate) from compared where ordinal = 1`,
    );
  const groups = Map.groupBy(earlier.keys(), (nth) => {
    const { source, columns, isStated } = earlier[nth]?.origin ?? origin;
    return JSON.stringify([source, isStated, columns]);
  });
  const same = [...groups.values()].flatMap((group) => {
    const ofSource = group.flatMap((nth) => earlier[nth] ?? []);
    const [one] = ofSource;
    return one && isSameSource(origin, one.origin, ofSource, lines) ? group : [];
  });
  await connection.run(`delete from fates where nth not in (${inList(same)})`);
  const [repeated = 0] = await numbersOf(
    connection,
    'select count(distinct id) filter (where found) from fates',
  );
  const counted = { lines, repeated, first, last, firstNew, lastNew };
  const goes = Map.groupBy(same, (nth) => {
    const one = earlier[nth];
    return one === undefined ? 'none' : outsideThatGo(one, counted, isPeriodStated);
  });
  await connection.run(
    `insert into gone select distinct id from fates where not stays and (inside
       or nth in (${inList(goes.get('all'))}) or (alike and nth in (${inList(goes.get('counterparts'))})))`,
  );
  await connection.run(
    `insert into kept select distinct id from fates
     where not stays and id not in (select id from gone)`,
  );
  await connection.run(
    `insert into freed select id from checked c
     where ordinal = 1 and duplicate_conflicts and other is null
       and exists (select 1 from ledger_lines b join gone g on g.id = b.id where ${ofTransaction})
       and not exists (
         select 1 from ledger_lines b where ${ofTransaction} and b.id not in (select id from gone))`,
  );
  const periods = same.flatMap((nth) => earlier[nth]?.origin ?? []);
  return {
    from: periods.reduce((least, one) => Math.min(least, one.from), origin.from),
    to: periods.reduce((most, one) => Math.max(most, one.to), origin.to),
  };
}

const ofTransaction =
  'b.transaction_id = c.transaction_id and b.order_key = c.order_key and b.type = c.type';

const inList = (numbers: readonly number[] = []) => [-1, ...numbers].join(', ');

async function numbersOf(
  connection: DuckDBConnection,
  sql: string,
): Promise<(number | undefined)[]> {
  const found = await connection.runAndReadAll(sql);
  return (found.getRows()[0] ?? []).map((value) => (value === null ? undefined : Number(value)));
}

/**
 * Creates the table `earlier` with the lines of earlier imports that the file may correct, because
 * their period overlaps the file's or that of the ledger lines that the file repeats.
 */
async function stageEarlier(
  connection: DuckDBConnection,
  facts: Pick<FactStore, 'importsInPeriod' | 'importContent'>,
  origin: ImportOrigin,
  file: string,
): Promise<ImportOrigin[]> {
  const [from = origin.from, to = origin.to] = await numbersOf(
    connection,
    `select min(occurred_at), max(occurred_at) from (
       select occurred_at from incoming
       union all select b.occurred_at from ledger_lines b semi join staged s on s.id = b.id
       where not b.own)`,
  );
  const found = await facts.importsInPeriod(Math.min(from, origin.from), Math.max(to, origin.to));
  const possible = found.filter((one) => isNamedAlike(origin, one.origin));
  if (possible.length === 0) return [];
  await connection.run('create or replace temp table earlier (nth integer, id varchar)');
  for (const [nth, { id }] of possible.entries()) {
    await withContent(facts, id, file, (lines) =>
      connection.run(
        `insert into earlier select distinct ${nth}, b.id
         from ${lines} e join ledger_lines b on b.id = e.id where not b.own`,
      ),
    );
  }
  return possible.map((one) => one.origin);
}

/**
 * Creates the table `fates`: the lines of `earlier`, each compared with the file.
 *
 * - `stays`: the file has the line, possibly under another id of the same transaction.
 * - `found`: it stays, or the file has the order with the same amount and day.
 * - `alike`: the file has a new line with the same order, type and currency.
 * - `inside`: its date is in the file's period.
 */
async function compareEarlier(
  connection: DuckDBConnection,
  imports: readonly ImportOrigin[],
  { from, to }: ImportOrigin,
): Promise<EarlierLines[]> {
  const line = 'order_key, type, currency';
  await connection.run(
    `create or replace temp table fates as
     with lines as (select e.nth, b.* from earlier e join ledger_lines b on b.id = e.id),
     amounts as (select distinct ${line}, amount, occurred_at // ${DAY} as day from compared),
     staying as (
       select b.nth, b.id from lines b join checked c on c.id = b.id
       where c.ordinal = 1 and not c.conflicts and abs(c.occurred_at - b.occurred_at) < ${DAY}
       union
       select b.nth, b.id from lines b join checked c on ${ofTransaction}
       where c.duplicate and not c.duplicate_conflicts
     ),
     equal as (
       select distinct b.nth, b.id from lines b
       join amounts n on n.order_key = b.order_key and n.type = b.type and n.currency = b.currency
         and n.amount = b.amount
         and n.day between b.occurred_at // ${DAY} - 1 and b.occurred_at // ${DAY} + 1
     ),
     fresh as (
       select distinct ${line} from compared
       where ordinal = 1 and not duplicate and (not present or conflicts)
     ),
     moved as (
       select b.nth, b.id from lines b join checked c on c.id = b.id and c.ordinal = 1
       where c.conflicts or abs(c.occurred_at - b.occurred_at) >= ${DAY}
     )
     select b.nth, b.id, b.occurred_at, s.id is not null as stays,
       s.id is not null or q.id is not null as found,
       f.order_key is not null or m.id is not null as alike,
       b.order_key in (select order_key from compared) as ordered,
       b.occurred_at between ${from} and ${to} as inside
     from lines b left join staying s on s.nth = b.nth and s.id = b.id
     left join equal q on q.nth = b.nth and q.id = b.id
     left join moved m on m.nth = b.nth and m.id = b.id
     left join fresh f on f.order_key = b.order_key and f.type = b.type and f.currency = b.currency`,
  );
  await connection.run('drop table earlier');
  const counted = await connection.runAndReadAll(
    `select nth, count(*), count(*) filter (where found), count(*) filter (where found or alike),
       count(*) filter (where ordered), min(occurred_at), max(occurred_at),
       min(occurred_at) filter (where not stays and not inside),
       max(occurred_at) filter (where not stays and not inside) from fates group by nth`,
  );
  const rows = new Map(counted.getRows().map(([nth, ...values]) => [Number(nth), values]));
  return imports.map((origin, nth) => {
    const values = (rows.get(nth) ?? []).map((value) => (value === null ? NaN : Number(value)));
    const [lines = 0, found = 0, alike = 0, orders = 0, ...dates] = values;
    const [first = NaN, last = NaN, firstLacking = NaN, lastLacking = NaN] = dates;
    return { origin, lines, found, alike, orders, first, last, firstLacking, lastLacking };
  });
}

/** Returns the differences between `compared` and `gone`; undefined if the file only adds lines. */
export async function differenceOf(
  connection: DuckDBConnection,
  source: string,
  { from, to }: { from: number; to: number },
  calendar: Calendar,
): Promise<Difference | undefined> {
  const differing = `
    with one as (
      select *, row_number() over (partition by order_key, type, currency order by number) as nth
      from compared where ordinal = 1 and (not duplicate or id in (select id from freed))
        and (not present or id in (select id from gone))
    ),
    other as (
      select *, row_number() over (partition by order_key, type, currency order by occurred_at, id) as nth
      from ledger_lines where id in (select id from gone)
    )
    select case when n.id is null then 'removed' when b.id is null then 'added' else 'changed' end as kind,
      coalesce(n.merchant_order_id, b.merchant_order_id) as merchant_order_id,
      coalesce(n.type, b.type) as type, coalesce(n.currency, b.currency) as currency,
      n.amount as amount, b.amount as before, n.occurred_at as occurred_at, b.occurred_at as occurred_before,
      coalesce(n.id <> b.id, false) as doubles
    from one n full join other b
      on b.order_key = n.order_key and b.type = n.type and b.currency = n.currency and b.nth = n.nth
    union all
    select 'kept', merchant_order_id, type, currency, null, amount, null, occurred_at, false
    from ledger_lines where id in (select id from kept)`;
  const [added = 0, changed = 0, removed = 0, kept = 0, double = 0, go = 0, stay = 0] =
    await numbersOf(
      connection,
      `select count(*) filter (where kind = 'added'), count(*) filter (where kind = 'changed'),
         count(*) filter (where kind = 'removed'), count(*) filter (where kind = 'kept'),
         count(*) filter (where doubles), (select count(*) from gone),
         (select count(distinct id) from fates where id not in (select id from gone))
       from (${differing})`,
    );
  if (go === 0) return undefined;
  const rows = await connection.runAndReadAll(
    `select * from (${differing}) order by kind = 'kept', merchant_order_id, type,
       coalesce(occurred_at, occurred_before) limit ${MAX_LISTED}`,
  );
  const numberOf = (value: unknown) => (value === null ? undefined : Number(value));
  const days = periodAround(from, to, calendar);
  return {
    source,
    from: calendar.dayOf(days.from),
    to: calendar.dayOf(days.to),
    added,
    changed,
    removed,
    kept,
    stay,
    go,
    double,
    list: rows
      .getRows()
      .map(([kind, order, type, currency, amount, before, at, recordedAt, doubles]) => ({
        kind: kind as DifferingLine['kind'],
        merchantOrderId: String(order),
        type: String(type),
        currency: String(currency),
        amount: numberOf(amount),
        recordedAmount: numberOf(before),
        at: Number(at ?? recordedAt),
        recordedAt: numberOf(recordedAt),
        doubles: doubles === true,
      })),
  };
}

export function questionOf(difference: Difference) {
  const { source, from, to, added, changed, removed, double } = difference;
  const twice = double === 0 ? '' : `; ${double} ${double === 1 ? 'counts' : 'count'} twice then`;
  const message = `differs from an earlier import of "${source}", ${from} to ${to}: ${added} added, ${changed} changed, ${removed} removed. Set \`correction\` to replace the earlier lines by those of the file, or add to keep all of them${twice}`;
  return fileError('correction', message);
}
