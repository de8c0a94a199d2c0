import { type DuckDBConnection, type DuckDBValue, listValue } from '../../platform/duckdb.ts';
import {
  ageBuckets,
  type agingSchema,
  type CaseCounts,
  caseFilters,
  type CaseRecord,
  type CaseSummary,
  type DecidedCase,
  exceptionCodes,
  type Filters,
  foldedCaseSchema,
  moneyBuckets,
} from '@financing-checkout/contract/reconciliation';
import {
  calendarOf,
  DIGITS_OF_UNKNOWN,
  compareTexts,
} from '@financing-checkout/reconciliation-rules';
import type { z } from 'zod';
import { isOfOrders } from '../../analytics/key-hash.ts';
import { type CaseDays, caseRecord, type JudgedCase } from '../../cases/record.ts';
import type { CaseFact } from '../../facts/case-facts.ts';
import { isoTime } from '@financing-checkout/kit';
import { sqlText } from '../../platform/temporary-files.ts';
import { digitsOf } from '../basis/reasons.ts';
import {
  type Conditions,
  conditionsOf,
  type FilterSql,
  OF_LENDER,
  type Selected,
  whereOf,
} from '../basis/filter.ts';
import {
  afterPlace,
  type Keyset,
  orderBy,
  type Place,
  placeOf,
  placeSql,
} from '../basis/keyset.ts';
import { onceARevision } from '../basis/once-a-revision.ts';
import type { QueryContext } from '../basis/reliability.ts';
import { optional, type Row, select, sumOrNull, text, whole } from '../basis/rows.ts';
import { stakes, stakesAmong } from '../basis/stakes.ts';

/** Filters of cases that queries use. */
const selectable = { ...caseFilters, orderKey: { is: 'name' } } as const satisfies Filters;
export type CaseFilter = Selected<typeof selectable>;

/** The time and settings that filters, order and due dates of cases depend on. */
export interface CaseTerms {
  now: number;
  /** Start of the day in the business zone. */
  today: number;
  days: CaseDays;
  /** Names of lenders by their aliases. */
  aliases: QueryContext['policy']['aliases'];
}

export function caseTerms({ clock, policy }: Pick<QueryContext, 'clock' | 'policy'>): CaseTerms {
  const now = clock.now();
  const calendar = calendarOf(policy.slaDays);
  const today = calendar.startOf(calendar.dayOf(now));
  return { now, today, days: policy.caseDays, aliases: policy.aliases };
}

/** Returns SQL for the cases of {@link stakes} with their due dates, named `cases`. */
export function casesWithDue({ days }: Pick<CaseTerms, 'days'>, from = stakes): string {
  const ofCode = exceptionCodes.map((code) => `when '${code}' then ${days[code] * DAY_MS}`);
  return `(select *, open_since + case code ${ofCode.join(' ')} end as due_at
    from ${from}) cases`;
}

/**
 * Returns SQL for the money at stake of a case in a list named `matching`, including the cases merged
 * into it, which then count as zero. The rows of the list add up to its sum.
 */
export function listedStake({ merged }: Pick<CaseFilter, 'merged'>): string {
  const mains = `select id from matching
    where id in (select merged_into from matching where merged_into is not null)`;
  return merged === false ? 'stake' : `case when merged_into in (${mains}) then 0 else stake end`;
}

/** SQL for the {@link stakes} of the cases with the IDs in the parameter `ids`, and of others. */
const ofIds = 'in (select unnest($ids::varchar[]))';
const stakesOfCases = stakesAmong(
  `(select * from cases where order_key in
    (select order_key from cases where id ${ofIds} or merged_into ${ofIds}))`,
);

/** Part of a sorted list of cases. */
export interface CasesPart {
  order: Keyset;
  after?: Place | undefined;
  limit: number;
}

/** Returns a page of cases, and its last position if more cases follow. */
export async function casesPage(
  ctx: QueryContext,
  filter: CaseFilter,
  part: CasesPart,
): Promise<{ cases: CaseRecord[]; next: Place | undefined }> {
  const terms = caseTerms(ctx);
  const { limit } = part;
  const found = await ctx.database.read(
    (connection) => caseRows(connection, filter, terms, { ...part, limit: limit + 1 }),
    ctx.signal,
  );
  const page = found.slice(0, limit);
  const cases = page.map((row) => caseRecord(row, terms.now, terms.days));
  return { cases, next: found.length > limit ? page.at(-1)?.place : undefined };
}

/** Returns the place of a case in a sorted list. */
export function placeOfCase(
  ctx: QueryContext,
  order: Keyset,
  id: string,
): Promise<Place | undefined> {
  return ctx.database.read(async (connection) => {
    const cases = casesWithDue(caseTerms(ctx), stakesOfCases);
    const sql = `select ${placeSql(order)} from ${cases} where id = $id`;
    const [row] = await select(connection, sql, { id, ids: listValue([id]) });
    return row && placeOf(row);
  }, ctx.signal);
}

/** Returns the next case after a position in a list, and the number of other cases in the list. */
export function casesAround(
  ctx: QueryContext,
  filter: CaseFilter,
  { id, order, place }: { id: string; order: Keyset; place: Place },
): Promise<NonNullable<DecidedCase['page']>['queue']> {
  const terms = caseTerms(ctx);
  return ctx.database.read(async (connection) => {
    const { conditions, parameters } = caseConditions(filter, terms);
    const later = afterPlace(order, place);
    const isLater = `coalesce(${later.condition}, false)`;
    const [row] = await select(
      connection,
      `select count(*) as others, count(*) filter (${isLater}) as later,
        first(id ${orderBy(order)}) filter (${isLater}) as next
      from ${casesWithDue(terms)} ${whereOf([...conditions, 'id <> $own'])}`,
      { ...parameters, ...later.parameters, own: id },
    );
    const next = optional(row?.next);
    const [found] =
      next === undefined
        ? []
        : await select(
            connection,
            `select * from ${casesWithDue(terms, stakesOfCases)} where id = $id`,
            { id: next, ids: listValue([next]) },
          );
    const others = whole(row?.others);
    return {
      position: others - whole(row?.later) + 1,
      others,
      next: found && caseRecord(toCase(found), terms.now, terms.days),
    };
  }, ctx.signal);
}

/** Answers that depend on the time are found once a minute. */
export const MINUTE_MS = 60_000;

/**
 * Returns the number of all matching cases, with the currency of the most cases first, and their money
 * including that of merged cases.
 */
export async function summaryOfCases(ctx: QueryContext, filter: CaseFilter): Promise<CaseSummary> {
  const terms = caseTerms(ctx);
  const { conditions, parameters } = caseConditions(filter, terms);
  const rows = await ctx.database.read(
    (connection) =>
      select(
        connection,
        `with matching as (
          select id, merged_into, currency, stake, assumed, is_counted
          from ${casesWithDue(terms)} ${whereOf(conditions)})
        select currency, assumed, count(*) as count, count(*) filter (is_counted) as counted,
          sum(${listedStake(filter)}) as amount
        from matching group by all order by count desc, currency`,
        parameters,
      ),
    ctx.signal,
  );
  const total = (some: readonly Row[], name: 'count' | 'counted') =>
    some.reduce((sum, row) => sum + whole(row[name]), 0);
  const known = rows.filter(({ assumed }) => assumed !== true);
  return {
    count: total(rows, 'count'),
    assumedCurrency: total(
      rows.filter(({ assumed }) => assumed === true),
      'count',
    ),
    countedWithOthers: total(rows, 'counted'),
    amounts: known.map((row) => ({
      currency: text(row.currency),
      count: whole(row.count),
      amount: row.currency === '' ? null : sumOrNull(row.amount),
    })),
  };
}

/** Counts the cases of several filters in one pass. */
export async function countsOfCases(
  ctx: QueryContext,
  list: readonly CaseFilter[],
): Promise<CaseCounts> {
  const terms = caseTerms(ctx);
  const parameters: Record<string, DuckDBValue> = {};
  const columns = list.map((filter, index) => {
    const own = caseConditions(filter, terms, `f${index}_`);
    Object.assign(parameters, own.parameters);
    const isCounted = own.conditions.length === 0 ? '' : `filter (${whereOf(own.conditions)})`;
    return `count(*) ${isCounted} as c${index}`;
  });
  const [row] = await ctx.database.read(
    (connection) =>
      select(connection, `select ${columns.join(', ')} from ${casesWithDue(terms)}`, parameters),
    ctx.signal,
  );
  return { counts: list.map((_, index) => whole(row?.[`c${index}`])) };
}

const DAY_MS = 86_400_000;

/** SQL for the age of a case in days. */
const daysOf = (now: number) => `((${now} - since) / ${DAY_MS}.0)`;

/** SQL for the money at stake of a case, in hundredths if it has no currency. */
const SIZE = `stake // (case currency when '' then ${10 ** (DIGITS_OF_UNKNOWN - 2)} else 1 end)`;

/** Returns SQL for whether a case is snoozed: see `snoozeEnd`. */
export function snoozedSql(now: number): string {
  return `coalesce(state = 'open' and merged_into is null and snoozed_until > ${now}
    and snoozed_content = content_hash, false)`;
}

/** SQL for whether a case is merged into another one. */
const IS_MERGED = `(merged_into is not null and state <> 'closed')`;

/** Returns SQL for whether a case is in the open queue. */
export function queuedSql(now: number): string {
  return `(state = 'open' and merged_into is null and not ${snoozedSql(now)})`;
}

/** Adds whether the currencies of cases are assumed, and the cases merged into them. */
export function judgeCases(ctx: QueryContext, facts: readonly CaseFact[]): Promise<JudgedCase[]> {
  const ids = facts.map(({ id }) => id);
  const own = isOfOrders(
    { table: 'order_statuses' },
    facts.map(({ orderKey }) => orderKey),
  );
  return ctx.database.read(async (connection) => {
    const assumed = await select(
      connection,
      `select order_key, currency from order_statuses where ${own.condition} and assumed`,
      own.parameters,
    );
    const placeOf = (...place: unknown[]) => JSON.stringify(place);
    const places = new Set(assumed.map((row) => placeOf(row.order_key, row.currency)));
    const staked = await select(
      connection,
      `select id, amount, at_stake, currency, merged_count, merged_assumed, stake from ${stakesOfCases}
      where id in (select unnest($ids::varchar[]))`,
      { ids: listValue(ids) },
    );
    const stakeOf = new Map(staked.map((row) => [text(row.id), stakesOf(row)]));
    return facts.map((fact) => ({
      ...fact,
      currencyAssumed: places.has(placeOf(fact.orderKey, fact.currency)),
      ...stakeOf.get(fact.id),
    }));
  }, ctx.signal);
}

/**
 * Returns the conditions of a filter of {@link casesWithDue}.
 * @param prefix of the parameters, if a statement has several filters
 */
export function caseConditions(
  filter: CaseFilter,
  { now, today }: CaseTerms,
  prefix?: string,
): Conditions {
  const ageDays = daysOf(now);
  const sql: FilterSql = {
    unassigned: 'assignee is null',
    mentioned: `list_contains(from_json(mentions, '["VARCHAR"]'), ?)`,
    least: SIZE,
    under: SIZE,
    days: ageDays,
    daysUnder: ageDays,
    overdue: `(state = 'open' and due_at < ${today})`,
    snoozed: snoozedSql(now),
    merged: IS_MERGED,
    currencyAssumed: 'assumed',
    from: 'opened_at',
    to: 'opened_at',
    begunTo: 'since',
    lender: `order_key in (select order_key from fundings where ${OF_LENDER})`,
  };
  return conditionsOf(selectable, filter, sql, prefix);
}

/** Returns the matching cases of the mirror, each with its value in the order of the list. */
export async function caseRows(
  connection: DuckDBConnection,
  filter: CaseFilter,
  terms: CaseTerms,
  { order, after, limit }: CasesPart,
): Promise<(JudgedCase & { place: Place })[]> {
  const { conditions, parameters } = caseConditions(filter, terms);
  if (after !== undefined) {
    const later = afterPlace(order, after);
    conditions.push(later.condition);
    Object.assign(parameters, later.parameters);
  }
  const rows = await select(
    connection,
    `select *, ${placeSql(order)}
    from ${casesWithDue(terms)} ${whereOf(conditions)}
    ${orderBy(order)} limit ${limit}`,
    parameters,
  );
  return rows.map((row) => ({ ...toCase(row), place: placeOf(row) }));
}

/** Returns a case from a row of {@link casesWithDue}. */
export function toCase(row: Row): JudgedCase {
  return {
    ...foldedCaseSchema.parse(JSON.parse(text(row.body))),
    number: whole(row.number),
    ...stakesOf(row),
    currencyAssumed: row.assumed === true,
  };
}

/** Returns the money at stake of a case of {@link stakes}, and with the cases merged into it. */
function stakesOf(row: Row): Pick<JudgedCase, 'atStake' | 'together'> {
  const count = whole(row.merged_count);
  const atStake = whole(row.at_stake);
  const amount = row.currency === '' ? null : sumOrNull(row.stake);
  return {
    atStake: atStake === Math.abs(whole(row.amount)) ? undefined : atStake,
    together:
      count === 0 ? undefined : { count, assumedCurrency: whole(row.merged_assumed), amount },
  };
}

type Aging = z.infer<typeof agingSchema>;

/** Upper bounds of the buckets in days and major units; the last bucket is unbounded. */
const DAYS = [1, 3, 7, 30];
const MONEY = [10, 100, 1_000];

/** Counts the cases of the open queue by age, at a time, and by amount. */
const countByAge = onceARevision((ctx: QueryContext, now: number) =>
  ctx.database.read(async (connection) => {
    const isQueued = queuedSql(now);
    const found = await select(connection, `select distinct currency from cases where ${isQueued}`);
    const digits = found
      .map((row) => text(row.currency))
      .map((currency) => `when ${sqlText(currency)} then ${10 ** digitsOf(currency)}`);
    const major = digits.length === 0 ? '1' : `(case currency ${digits.join(' ')} else 1 end)`;
    const [assumed] = await select(
      connection,
      `select count(*) as count from ${stakes} where ${isQueued} and assumed`,
    );
    const rows = await select(
      connection,
      `select currency, ${bucket('days', DAYS)} as days, ${bucket('money', MONEY)} as money,
        count(*) as count, sum(amount) as amount
      from (select currency, ${daysOf(now)} as days, stake as amount,
        stake::double / ${major} as money
        from ${stakes} where ${isQueued} and not assumed)
      group by all`,
    );
    return { rows, assumed };
  }, ctx.signal),
);

/**
 * Returns open cases by age and amount, as of the current minute, with the largest sum of each
 * currency first.
 */
export async function agingOfCases(ctx: QueryContext): Promise<Aging> {
  const now = Math.floor(ctx.clock.now() / MINUTE_MS) * MINUTE_MS;
  const { rows, assumed } = await countByAge(ctx, now);
  const cells = rows.map((row) => ({
    currency: text(row.currency),
    days: named(ageBuckets, whole(row.days)),
    money: named(moneyBuckets, whole(row.money)),
    count: whole(row.count),
    amount: row.currency === '' ? null : sumOrNull(row.amount),
  }));
  // Sums too large to be exact come first.
  const size = ({ amount }: { amount: number | null }) => amount ?? Number.MAX_VALUE;
  return {
    asOf: isoTime(now),
    assumedCurrency: whole(assumed?.count),
    cells: cells.sort(
      (a, b) =>
        compareTexts(a.currency, b.currency) ||
        size(b) - size(a) ||
        compareTexts(`${a.days} ${a.money}`, `${b.days} ${b.money}`),
    ),
  };
}

function bucket(column: string, ends: readonly number[]): string {
  const cases = ends.map((end, index) => `when ${column} < ${end} then ${index}`);
  return `case ${cases.join(' ')} else ${ends.length} end`;
}

function named<Name extends string>(names: readonly Name[], index: number): Name {
  const name = names[index];
  if (name === undefined) throw new RangeError('There are fewer names than buckets.');
  return name;
}
