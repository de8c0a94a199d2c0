import { isoTime } from '@financing-checkout/kit';
import {
  type ScannedKind,
  scannedKinds,
  type SearchGroupKind,
  searchGroupKinds,
  type SearchHit,
  type SearchKind,
  searchKinds,
  type SearchResult,
} from '@financing-checkout/contract/reconciliation';
import type { ListedImportFact } from '../../facts/store.ts';
import type { DuckDBConnection } from '../../platform/duckdb.ts';
import { compareTexts } from '@financing-checkout/reconciliation-rules';
import { foldId } from '../../imports/read/index.ts';
import { merchantOrderIdOf, orderKeyOf } from '../../platform/order-key.ts';
import { knownLenders } from '../basis/lenders.ts';
import type { QueryContext } from '../basis/reliability.ts';
import { select, text, whole } from '../basis/rows.ts';
import { currenciesOfOrders, hitsOfAmount } from './search-amounts.ts';

const LISTED = 20;
/** Maximum number of matches that are counted of each kind. */
const COUNTED = 100;
/** Maximum number of matches of one column before the matches of all columns are merged. */
const OF_COLUMN = COUNTED + 1;
const HITS = 5;
/** A shorter text would be a fragment of too many IDs, so it only finds IDs that begin with it. */
const SHORTEST_FRAGMENT = 3;
/** Time after which no further kind is searched for a fragment, in milliseconds. */
const BUDGET_MS = 100;
/** Sorts after every text with this prefix in code point order, which DuckDB uses. */
const LAST = '\u{10FFFF}';

interface Place {
  kind: ScannedKind;
  table: 'order_statuses' | 'authorizations' | 'ledger_lines' | 'fundings';
  column: string;
}

const times = {
  order_statuses: 'changed_at',
  authorizations: 'authorized_at',
  ledger_lines: 'occurred_at',
  fundings: 'funded_at',
};

/** ID columns by table. Every order with a line gets a status soon. */
const places: readonly Place[] = [
  { kind: 'order', table: 'order_statuses', column: 'order_key' },
  { kind: 'order', table: 'authorizations', column: 'order_key' },
  { kind: 'charge', table: 'authorizations', column: 'charge_id' },
  { kind: 'charge', table: 'ledger_lines', column: 'charge_id' },
  { kind: 'charge', table: 'fundings', column: 'charge_id' },
  { kind: 'transaction', table: 'ledger_lines', column: 'transaction_id' },
  { kind: 'transaction', table: 'fundings', column: 'transaction_id' },
  { kind: 'transaction', table: 'ledger_lines', column: 'merchant_transaction_id' },
  { kind: 'transaction', table: 'fundings', column: 'merchant_transaction_id' },
  { kind: 'transaction', table: 'authorizations', column: 'merchant_transaction_id' },
  { kind: 'reference', table: 'fundings', column: 'lender_reference_id' },
  { kind: 'reference', table: 'ledger_lines', column: 'lender_reference_id' },
];

/** Data of a search outside the analytics database. */
export interface SearchSources {
  /** Queries the companion. @throws {CompanionError} */
  ordersOfApplication: (applicationId: string) => Promise<readonly string[]>;
  assignees: () => Promise<readonly string[]>;
  /** The newest imports. */
  imports: () => Promise<readonly ListedImportFact[]>;
}

export interface SearchOptions {
  /** Restricts the search for a fragment to these kinds; the first one is always searched. */
  fragments?: readonly ScannedKind[] | undefined;
  /** @default {@link BUDGET_MS} */
  budgetMs?: number;
}

/**
 * Searches IDs, names and amounts for a text. An exact ID ends the search; without one, IDs of one
 * kind after another are searched for the fragment until the time is used.
 */
export async function search(
  ctx: QueryContext,
  written: string,
  sources: SearchSources,
  { fragments, budgetMs = BUDGET_MS }: SearchOptions = {},
): Promise<SearchResult> {
  const query = foldId(written);
  const spellings = spellingsOf(query);
  const start = performance.now();
  const isInTime = () => performance.now() - start < budgetMs;
  if (fragments !== undefined) {
    const { hits, left } = await ctx.database.read(
      (connection) => scan(connection, spellings, fragments, isInTime, 1),
      ctx.signal,
    );
    return { matches: [], groups: grouped(hits), unsearched: left, unavailable: [] };
  }
  const applications = ofApplication(spellings.at(-1) ?? query, sources.ordersOfApplication);
  // Prevents an unhandled rejection if another step fails first.
  applications.catch(() => undefined);
  const currencies = await currenciesOfOrders(ctx);
  const names = await hitsOfNames(ctx, query, sources);
  const found = await ctx.database.read(async (connection) => {
    const begun: SearchHit[] = [];
    const cases: SearchHit[] = [];
    for (const spelling of spellings) {
      begun.push(...(await hitsOfPrefix(connection, spelling)));
      cases.push(...(await hitsOfCases(connection, spelling)));
    }
    const others = [...cases, ...(await hitsOfAmount(connection, query, currencies, OF_COLUMN))];
    const isFragment = isLong(query) && !begun.some(({ exact }) => exact);
    const scanned = await scan(connection, spellings, isFragment ? scannedKinds : [], isInTime);
    return { begun, others, scanned };
  }, ctx.signal);
  const ofCompanion = await applications;
  const { hits, left } = found.scanned;
  const all = [...(ofCompanion ?? []), ...found.begun, ...hits, ...found.others, ...names];
  return {
    matches: matchesOf([...(ofCompanion ?? []), ...found.begun]),
    groups: grouped(all),
    unsearched: left,
    unavailable: ofCompanion === undefined ? ['companion'] : [],
  };
}

/**
 * Returns the spellings of IDs that a text may mean: as it is written, and with plain hyphens and
 * without the number sign. Programs exchange a hyphen for a similar character, and a person writes the
 * number sign before a number.
 */
export function spellingsOf(written: string): readonly string[] {
  const plain = written.replaceAll(hyphens, '-').replace(/^#\s*(?=.)/u, '');
  return [...new Set([written, plain])];
}

/** Hyphens, dashes and minus signs, of which the plain hyphen is none. */
const hyphens = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/gu;

const isLong = (query: string) => query.length >= SHORTEST_FRAGMENT;

/** Returns the first matches of the kinds in {@link searchKinds}. */
function matchesOf(hits: readonly SearchHit[]): SearchResult['matches'] {
  return exactFirst(hits)
    .flatMap(({ kind, value, orderKey, merchantOrderId }) => {
      const known: SearchKind | undefined = searchKinds.find((one) => one === kind);
      if (known === undefined || orderKey === undefined) return [];
      return [{ kind: known, value, orderKey, merchantOrderId }];
    })
    .slice(0, LISTED);
}

const exactFirst = (hits: readonly SearchHit[]) =>
  hits.toSorted((one, other) => Number(other.exact) - Number(one.exact));

/** Groups hits by kind, without repeated ones. */
function grouped(hits: readonly SearchHit[]): SearchResult['groups'] {
  const byKind = new Map<SearchGroupKind, Map<string, SearchHit>>();
  for (const hit of hits) {
    const group = byKind.get(hit.kind) ?? new Map<string, SearchHit>();
    byKind.set(hit.kind, group);
    const place = JSON.stringify([hit.value, hit.orderKey, hit.currency]);
    if (!group.has(place)) group.set(place, hit);
  }
  const groups = searchGroupKinds.flatMap((kind) => {
    // Each spelling has its hits in this order.
    const all = exactFirst([...(byKind.get(kind)?.values() ?? [])]);
    if (all.length === 0) return [];
    const count = Math.min(all.length, COUNTED);
    return [{ kind, count, more: all.length > COUNTED, hits: all.slice(0, HITS) }];
  });
  const isExact = (group: (typeof groups)[number]) => group.hits[0]?.exact === true;
  return [...groups.filter(isExact), ...groups.filter((group) => !isExact(group))];
}

/**
 * Finds IDs that equal or begin with the query, in its letter case, by kind and value. An exact
 * match sorts first among those with its prefix.
 */
async function hitsOfPrefix(connection: DuckDBConnection, query: string): Promise<SearchHit[]> {
  const parts = places.map(({ kind, table, column }) => {
    const range =
      kind === 'order'
        ? '$order_from::varchar and $order_to::varchar'
        : '$from::varchar and $to::varchar';
    // Duplicates are rare, and removing them here would require sorting every match.
    return `(select '${kind}' as kind, ${column} as value, order_key, ${times[table]} as moment
      from ${table} where ${column} between ${range} order by value limit ${OF_COLUMN})`;
  });
  // A funding without an order is listed by its key.
  const key = query.startsWith('funding:') ? query : orderKeyOf(query);
  const rows = await select(
    connection,
    `select kind, value, order_key, max(moment) as moment, value in ($from, $order_from) as exact
    from (${parts.join(' union all ')}) group by kind, value, order_key
    order by exact desc,
      case kind when 'order' then 0 when 'charge' then 1 when 'transaction' then 2 else 3 end,
      value, order_key`,
    {
      from: query,
      to: query + LAST,
      order_from: key,
      order_to: key + LAST,
    },
  );
  return rows.map((row) => {
    const kind = scannedKinds.find((one) => one === row.kind) ?? 'order';
    return hitOf(kind, row, row.exact === true);
  });
}

/**
 * Searches IDs for a fragment, in any letter case: exact matches first, then those that begin with
 * it, then the most recent.
 * @param spellings the fragment, as it may be written
 * @param least number of kinds to search even if the time is used up
 * @returns the kinds that were not searched
 */
async function scan(
  connection: DuckDBConnection,
  spellings: readonly string[],
  kinds: readonly ScannedKind[],
  isInTime: () => boolean,
  least = 0,
): Promise<{ hits: SearchHit[]; left: ScannedKind[] }> {
  const hits: SearchHit[] = [];
  const wanted = spellings.map((spelling) => spelling.toLowerCase());
  // Reading a column takes half the time without case folding.
  const hasCase = spellings.some((spelling) => spelling.toLowerCase() !== spelling.toUpperCase());
  const anySpelling = (condition: (spelling: string) => string) =>
    wanted.map((_, index) => condition(`$q${index}`)).join(' or ');
  for (const [index, kind] of kinds.entries()) {
    if (index >= least && !isInTime()) return { hits, left: kinds.slice(index) };
    const ranked: { hit: SearchHit; rank: number }[] = [];
    for (const { table, column } of places.filter((place) => place.kind === kind)) {
      const id = kind === 'order' ? `substr(${column}, ${orderKeyOf('').length + 1})` : column;
      const folded = hasCase ? `lower(${id})` : id;
      const rows = await select(
        connection,
        `select ${column} as value, order_key, ${times[table]} as moment,
          case when ${anySpelling((spelling) => `${folded} = ${spelling}`)} then 0
            when ${anySpelling((spelling) => `starts_with(${folded}, ${spelling})`)} then 1 else 2 end as rank
        from ${table} where ${anySpelling((spelling) => `contains(${folded}, ${spelling})`)}
        order by rank, moment desc nulls last limit ${OF_COLUMN}`,
        Object.fromEntries(wanted.map((spelling, index) => [`q${index}`, spelling])),
      );
      for (const row of rows)
        ranked.push({ hit: hitOf(kind, row, row.rank === 0), rank: whole(row.rank) });
    }
    ranked.sort((one, other) => one.rank - other.rank || compareRecent(one.hit, other.hit));
    hits.push(...ranked.map(({ hit }) => hit));
  }
  return { hits, left: [] };
}

/** Sorts the most recent first, and hits without a time last. */
const compareRecent = (one: SearchHit, other: SearchHit) =>
  compareTexts(other.at ?? '', one.at ?? '') || compareTexts(one.value, other.value);

/** Finds cases by their ID or their order, open ones first. */
async function hitsOfCases(connection: DuckDBConnection, query: string): Promise<SearchHit[]> {
  const matches = isLong(query) ? 'contains(%, $query)' : '% = $query';
  const columns = ['lower(id)', 'lower(merchant_order_id)'];
  const rows = await select(
    connection,
    `select id, order_key, currency, code, state, amount, updated_at,
      coalesce($query in (${columns.join(', ')}), false) as exact
    from cases where ${columns.map((column) => matches.replace('%', column)).join(' or ')}
    order by exact desc, state = 'open' desc, updated_at desc, id limit ${OF_COLUMN}`,
    { query: query.toLowerCase() },
  );
  return rows.map((row) => {
    const orderKey = text(row.order_key);
    return {
      kind: 'case',
      value: text(row.id),
      orderKey,
      merchantOrderId: merchantOrderIdOf(orderKey),
      exact: row.exact === true,
      at: isoTime(whole(row.updated_at)),
      amount: whole(row.amount),
      currency: text(row.currency),
      code: text(row.code),
      state: text(row.state),
    };
  });
}

/** Searches the names of lenders, people and imports, which are few. */
async function hitsOfNames(
  ctx: QueryContext,
  query: string,
  { assignees, imports }: SearchSources,
): Promise<SearchHit[]> {
  const lenders = (await knownLenders(ctx)).map((value) => named('lender', value));
  const people = (await assignees()).map((value) => named('person', value));
  const files = (await imports()).map(({ id, origin, at }) => ({
    ...named('import', id),
    name: origin?.source,
    at: isoTime(at),
  }));
  return [...lenders, ...people, ...files]
    .flatMap((hit) => {
      const ranks = [hit.value, 'name' in hit ? hit.name : undefined].map((value) =>
        rankOf(value ?? '', query),
      );
      const rank = Math.min(...ranks);
      return rank === Infinity ? [] : [{ hit: { ...hit, exact: rank === 0 }, rank }];
    })
    .sort((one, other) => one.rank - other.rank || compareRecent(one.hit, other.hit))
    .map(({ hit }) => hit);
}

const named = (kind: 'lender' | 'person' | 'import', value: string): SearchHit => ({
  kind,
  value,
  exact: false,
});

/** Returns 0 for an exact name, 1 for a beginning, 2 for a fragment, and infinity for no match. */
function rankOf(name: string, query: string): number {
  const [folded, wanted] = [name.toLowerCase(), query.toLowerCase()];
  if (folded === wanted) return 0;
  if (folded.startsWith(wanted)) return 1;
  return isLong(query) && folded.includes(wanted) ? 2 : Infinity;
}

/** Returns the orders of an application; undefined if the companion does not respond. */
async function ofApplication(
  id: string,
  ordersOfApplication: (applicationId: string) => Promise<readonly string[]>,
): Promise<SearchHit[] | undefined> {
  try {
    const orders = await ordersOfApplication(id);
    return orders.map((order) => ({
      kind: 'application',
      value: id,
      orderKey: orderKeyOf(order),
      merchantOrderId: order,
      exact: true,
    }));
  } catch (error) {
    if (error instanceof Error && error.name === 'CompanionError') return undefined;
    throw error;
  }
}

function hitOf(kind: ScannedKind, row: Awaited<ReturnType<typeof select>>[number], exact: boolean) {
  const orderKey = text(row.order_key);
  const merchantOrderId = merchantOrderIdOf(orderKey);
  const value = text(row.value);
  return {
    kind,
    value: kind === 'order' ? (merchantOrderIdOf(value) ?? value) : value,
    orderKey,
    merchantOrderId,
    exact,
    at: typeof row.moment === 'number' ? isoTime(row.moment) : undefined,
  } satisfies SearchHit;
}
