import { listValue } from '../platform/duckdb.ts';
import type { Funding } from '@financing-checkout/contract/back-office';
import type { MigrationLine } from '@financing-checkout/contract/reconciliation';
import { addDays, daysBetween } from '@financing-checkout/contract/money';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import type { Database } from '../analytics/session.ts';
import { isoTime } from '@financing-checkout/kit';
import { orderKeyOf } from '../platform/order-key.ts';
import { ProblemError } from '../platform/problem.ts';
import { currencyAssumed } from '../queries/basis/reasons.ts';
import { select, text } from '../queries/basis/rows.ts';
import type { FundingSource, FundingsOperation } from '../sync/source.ts';
import { compareDay, MigrationSums } from './compare.ts';
import { FundingRecordError, orderOf, readFunding, recordsOfPage } from './records.ts';

const PAGE_SIZE = 1_000;

type UnreadableLine = Extract<MigrationLine, { kind: 'unreadable' }>;

/** The operation behind each part of the comparison. */
const operations = {
  report: 'report',
  recordsV1: 'records-v1',
  recordsV2: 'records-v2',
} as const satisfies Record<UnreadableLine['operation'], FundingsOperation>;

export interface MigrationContext {
  source: FundingSource;
  /** Provides the currencies of orders. */
  data: { readonly database: Pick<Database, 'read'> };
  config: {
    readonly defaultCurrency: string;
    readonly isCurrencyStated: boolean;
    readonly sync: { readonly zone: string };
  };
}

/**
 * Reads the same days through the report and both records operations, and yields the differences: a
 * line per order or unreadable record, with the sums at the end. Holds one day in memory.
 * @param window days in the reconciliation zone, both inclusive @throws {ProblemError}
 * `companion-unavailable`
 */
export async function* migrateReport(
  ctx: MigrationContext,
  window: { from: string; to: string },
  signal?: AbortSignal,
): AsyncGenerator<MigrationLine> {
  const sums = new MigrationSums();
  const { zone } = ctx.config.sync;
  // A date without a zone is in the reconciliation zone, on every machine.
  const calendar = new Calendar(zone);
  for (const date of daysBetween(window.from, window.to)) {
    const unreadable: UnreadableLine[] = [];
    const read = async (operation: UnreadableLine['operation']) => {
      const day = await readDay(ctx, { calendar, date, operation: operations[operation] }, signal);
      const place = { kind: 'unreadable', operation, day: date } as const;
      unreadable.push(...day.unreadable.map((record) => ({ ...place, ...record })));
      sums.unreadable[operation] += day.unreadable.length;
      return day.fundings;
    };
    // Sequential, because the service also has shoppers to serve.
    const report = await read('report');
    const recordsV1 = await read('recordsV1');
    const recordsV2 = await read('recordsV2');
    yield* unreadable;
    yield* compareDay({ report, recordsV1, recordsV2 }, sums);
  }
  yield {
    kind: 'summary',
    ...window,
    zone,
    read: sums.read,
    unreadable: sums.unreadable,
    becomes: sums.becomes(),
    differs: sums.differs,
    orders: sums.orders,
  };
}

/** A day to read from one operation. */
interface AskedDay {
  operation: FundingsOperation;
  date: string;
  calendar: Calendar;
}

interface ReadDay {
  fundings: Funding[];
  unreadable: { reason: string; merchantOrderId?: string }[];
}

/**
 * Reads a day's fundings up to the last page. An empty page marks the end, but a short one does
 * not, because a service may return fewer records than requested. A repeated page also marks the
 * end, because a service may ignore `offset`.
 */
async function readDay(
  ctx: MigrationContext,
  asked: AskedDay,
  signal: AbortSignal | undefined,
): Promise<ReadDay> {
  const { calendar, date, operation } = asked;
  const range = {
    from: isoTime(calendar.startOf(date)),
    to: isoTime(calendar.startOf(addDays(date, 1)) - 1),
  };
  const day: ReadDay = { fundings: [], unreadable: [] };
  let previous: Uint8Array | undefined;
  for (let offset = 0; ;) {
    signal?.throwIfAborted();
    const answer = await ctx.source.page({ operation, ...range, offset, limit: PAGE_SIZE }, signal);
    const records = answer.kind === 'page' ? recordsOfPage(answer.bytes) : undefined;
    if (records === undefined || answer.kind !== 'page') {
      const reason =
        'reason' in answer ? answer.reason : 'the service sent a body that is not a page';
      throw new ProblemError('companion-unavailable', {
        detail: `The fundings could not be read: ${reason}.`,
        retrySafe: true,
      });
    }
    if (records.length === 0 || (previous && Buffer.compare(previous, answer.bytes) === 0))
      return day;
    previous = answer.bytes;
    await readRecords(ctx, asked, records, day);
    offset += records.length;
  }
}

async function readRecords(
  ctx: MigrationContext,
  { calendar, date }: AskedDay,
  records: readonly unknown[],
  day: ReadDay,
): Promise<void> {
  const currencies = await currenciesOf(ctx, new Set(records.flatMap((one) => orderOf(one) ?? [])));
  for (const record of records) {
    const merchantOrderId = orderOf(record);
    try {
      const known = currencies.get(merchantOrderId ?? '');
      const isAssumed = known === undefined && !ctx.config.isCurrencyStated;
      const currency = known ?? ctx.config.defaultCurrency;
      const funding = { ...readFunding(record, currency), ...currencyAssumed(isAssumed) };
      const time = calendar.read(funding.fundedAt);
      // An invalid date belongs to no day, so the record stays on the day for which the service
      // returned it.
      if (time === undefined || calendar.dayOf(time) === date) day.fundings.push(funding);
    } catch (error) {
      if (!(error instanceof FundingRecordError)) throw error;
      const reason = error.message;
      day.unreadable.push({
        reason,
        merchantOrderId,
      });
    }
  }
}

/** Returns the currencies of orders that have one, by order id. */
async function currenciesOf(
  { data }: MigrationContext,
  ids: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const byKey = new Map(Array.from(ids, (id) => [orderKeyOf(id), id]));
  // DuckDB cannot infer the type of an empty list.
  if (byKey.size === 0) return new Map();
  const rows = await data.database.read((connection) =>
    select(
      connection,
      `select order_key, currency from order_currencies
      where currency <> '' and order_key in (select unnest($keys::varchar[]))`,
      { keys: listValue([...byKey.keys()]) },
    ),
  );
  return new Map(rows.map((row) => [byKey.get(text(row.order_key)) ?? '', text(row.currency)]));
}
