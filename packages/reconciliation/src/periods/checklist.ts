import type { UnclearOperation } from '@financing-checkout/contract/back-office';
import {
  acceptableChecks,
  type CloseCheck,
  type CloseCheckRecord,
  closeChecks,
  type WalkStatement,
} from '@financing-checkout/contract/reconciliation';
import { addDays, daysBetween } from '@financing-checkout/contract/money';
import { isoTime } from '@financing-checkout/kit';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import type { PeriodWork } from '../facts/period-decisions.ts';
import type { FactStore } from '../facts/store.ts';
import { type Period } from '../statuses/book-periods.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import type { DuckDBConnection } from '../platform/duckdb.ts';
import { merchantOrderIdOf, orderKeyOf } from '../platform/order-key.ts';
import { leftOut } from '../queries/money/left-out.ts';
import { calendarOfDays, isOfOneZone, isReadToItsEnd } from '../queries/basis/proof.ts';
import { select, text, whole } from '../queries/basis/rows.ts';
import { stakes } from '../queries/basis/stakes.ts';

/** Result of a check before people's decisions. */
export type Finding = Pick<
  CloseCheckRecord,
  'count' | 'amounts' | 'examples' | 'orders' | 'digest' | 'failure'
>;

/** The companion's operations with an unknown outcome, or the reason why they are unavailable. */
export interface Unclear {
  operations: readonly Pick<UnclearOperation, 'id' | 'merchantOrderId'>[];
  failure: CloseCheckRecord['failure'];
}

export interface CheckSources {
  facts: Pick<FactStore, 'days' | 'imports'>;
  connection: DuckDBConnection;
  now: number;
  zone: string;
  /** The period to close, and the one before it. */
  period: Period;
  before: Period;
  isNext: boolean;
  untilAt: number;
  statements: readonly WalkStatement[];
  /** Selects the unexplained amount of each order. */
  unexplained: () => Promise<string>;
  unclear: Unclear;
}

const EXAMPLES = 20;
const FIRST_ORDERS = 5;
const NEWEST_IMPORTS = 1_000;
const digestOf = (records: unknown) => sha256(canonicalJson(records));
const nothing: Finding = { count: 0, amounts: [], examples: [], digest: digestOf([]) };
const listed = (examples: readonly string[]): Finding => ({
  count: examples.length,
  amounts: [],
  examples: examples.slice(0, EXAMPLES),
  digest: digestOf(examples),
});

/** Returns the SQL aggregate for an order-independent digest of these columns. */
function digestOfRows(...columns: string[]): string {
  // Each text's length makes the concatenation unambiguous.
  const texts = columns.map((column) => `strlen(${column}::varchar), ':', ${column}`);
  const row = `sha256(concat(${texts.join(', ')}))`;
  return `sha256(coalesce(string_agg(${row}, '' order by ${row}), ''))`;
}

const orderOf = (orderKey: string) => ({
  orderKey,
  merchantOrderId: merchantOrderIdOf(orderKey),
});

/** Counts the orders of rows with an `order_key` and an `amount`, and names those with the most money. */
async function ordersOf(
  connection: DuckDBConnection,
  rows: string,
): Promise<NonNullable<Finding['orders']>> {
  const found = await select(
    connection,
    `select order_key, count(*) over () as total
    from (select order_key, max(abs(amount)) as amount from (${rows}) group by order_key)
    order by amount desc nulls last, order_key limit ${FIRST_ORDERS}`,
  );
  return {
    count: whole(found[0]?.total),
    first: found.map((row) => orderOf(text(row.order_key))),
  };
}

/** The check of each requirement. No findings means that it is done. */
const checks: Record<CloseCheck, (sources: CheckSources) => Finding | Promise<Finding>> = {
  'period-ended': ({ now, untilAt, period }) => (now >= untilAt ? nothing : listed([period.to])),

  'earlier-closed': ({ isNext, before }) => (isNext ? nothing : listed([before.id])),

  async 'days-proven'({ facts, period, zone, now }) {
    const days = await facts.days(period.from, addDays(period.to, 1));
    const known = new Map(days.map((day) => [day.day, day]));
    const calendar = calendarOfDays(days, zone);
    const midnight = calendar.startOf(calendar.dayOf(now));
    return listed(
      daysBetween(period.from, period.to).filter((day) => {
        const found = known.get(day);
        return (
          found?.state !== 'complete' ||
          !isOfOneZone(found, known.get(addDays(day, 1))) ||
          !isReadToItsEnd(found, calendar, midnight)
        );
      }),
    );
  },

  /** Every source that had a file in the previous period must have one in this period. */
  async 'imports-present'({ facts, period, before, zone }) {
    const imports = await facts.imports(NEWEST_IMPORTS);
    const calendar = new Calendar(zone);
    const sourcesOf = ({ from, to }: Period) => {
      const [start, end] = [calendar.startOf(from), calendar.startOf(addDays(to, 1))];
      return new Set(
        imports.flatMap(({ action, isWithdrawn, origin }) =>
          action === 'add' && !isWithdrawn && origin && origin.from < end && origin.to >= start
            ? [origin.source]
            : [],
        ),
      );
    };
    const present = sourcesOf(period);
    return listed([...sourcesOf(before)].filter((source) => !present.has(source)).sort());
  },

  async 'cases-decided'({ connection, untilAt }) {
    const isOpen = `state = 'open' and since < ${untilAt}`;
    const rows = await select(
      connection,
      `select currency, count(*) as count, min(id) as example,
        sum(at_stake) filter (not assumed and currency <> '') as amount,
        ${digestOfRows('id', 'code', 'amount', 'count', 'content_hash')} as digest
      from ${stakes} where ${isOpen} group by currency order by currency`,
    );
    if (rows.length === 0) return nothing;
    return {
      count: rows.reduce((sum, row) => sum + whole(row.count), 0),
      amounts: rows
        .filter(({ amount }) => amount !== null)
        .map((row) => ({ currency: text(row.currency), amount: whole(row.amount) })),
      examples: rows.map((row) => text(row.example)),
      orders: await ordersOf(
        connection,
        `select order_key, at_stake as amount from ${stakes} where ${isOpen}`,
      ),
      digest: digestOf(rows.map((row) => [text(row.currency), text(row.digest)])),
    };
  },

  async 'fundings-counted'({ connection }) {
    const uncounted = `(select *, problem as why from fundings where problem is not null
        union all by name select *, 'left out' as why from (${leftOut}))`;
    const [row] = await select(
      connection,
      `select count(*) as count, ${digestOfRows('why', 'day', 'id', 'hash', 'currency')} as digest
      from ${uncounted}`,
    );
    const count = whole(row?.count);
    if (count === 0) return { ...nothing, digest: text(row?.digest) };
    const orders = await ordersOf(
      connection,
      `select order_key, transaction_amount as amount from ${uncounted}
        where merchant_order_id is not null`,
    );
    return { ...nothing, count, orders, digest: text(row?.digest) };
  },

  async 'unexplained-zero'({ connection, statements, unexplained }) {
    const open = statements.filter((statement) => statement.unexplained !== 0);
    if (open.length === 0) return nothing;
    return {
      ...nothing,
      count: open.length,
      amounts: open.map(({ currency, unexplained: amount }) => ({ currency, amount })),
      orders: await ordersOf(connection, `from (${await unexplained()}) where amount <> 0`),
      digest: digestOf(open),
    };
  },

  'operations-clear'({ unclear: { operations, failure } }) {
    if (failure !== undefined) return { ...nothing, count: 1, failure };
    const orders = [...new Set(operations.map((one) => one.merchantOrderId))];
    return {
      ...listed(operations.map(({ id }) => id)),
      orders: {
        count: orders.length,
        first: orders.slice(0, FIRST_ORDERS).map((id) => orderOf(orderKeyOf(id))),
      },
    };
  },
};

export async function checkPeriod(
  sources: CheckSources,
  accepted: PeriodWork['accepted'],
): Promise<CloseCheckRecord[]> {
  const records: CloseCheckRecord[] = [];
  for (const check of closeChecks) {
    const finding = await checks[check](sources);
    const decision = accepted[check];
    const isAccepted =
      acceptableChecks.some((name) => name === check) && decision?.digest === finding.digest;
    records.push({
      check,
      state: finding.count === 0 ? 'done' : isAccepted ? 'accepted' : 'blocked',
      ...finding,
      accepted:
        isAccepted && finding.count > 0
          ? { by: decision.actor, at: isoTime(decision.at), reason: decision.reason }
          : undefined,
    });
  }
  return records;
}
