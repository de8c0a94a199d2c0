import type { Delivery, UnclearOperation } from '@financing-checkout/contract/back-office';
import type {
  Approval,
  Today,
  TodayItem,
  TodayKind,
} from '@financing-checkout/contract/reconciliation';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { ledgerStartKey, lenderOf, compareTexts } from '@financing-checkout/reconciliation-rules';
import { type Alarm, alarmText } from '../../cases/alarms.ts';
import type { AlertRow } from '../../facts/schema.ts';
import { isoTime } from '@financing-checkout/kit';
import { merchantOrderIdOf, orderKeyOf } from '../../platform/order-key.ts';
import { sqlText } from '../../platform/temporary-files.ts';
import {
  type LedgerStartAnswers,
  ledgerStartSubject,
  readLedgerStarts,
  readSetUpState,
} from '../../statuses/ledger-starts.ts';
import type { HoldPolicy } from '../../statuses/policy.ts';
import { MINUTE_MS, queuedSql } from '../cases/cases.ts';
import { type Hold, holdsEndingSoon } from './holds.ts';
import { lendersOfOrders } from '../basis/lenders.ts';
import { onceARevision } from '../basis/once-a-revision.ts';
import { quarantinedRecords } from './quarantine.ts';
import { digitsOf } from '../basis/reasons.ts';
import { type QueryContext, reliabilityOf } from '../basis/reliability.ts';
import { type Row, added, optional, select, sumOrNull, text, whole } from '../basis/rows.ts';
import { stakes } from '../basis/stakes.ts';
import type { UnprovenDay } from '../basis/proof.ts';

/** Sources of the work list outside the analytics database. */
export interface TodaySources {
  /** @throws {CompanionError} */
  unclearOperations(): Promise<readonly UnclearOperation[]>;
  /** @throws {CompanionError} */
  deadWebhooks(): Promise<readonly Delivery[]>;
  deadAlerts(): Promise<readonly AlertRow[]>;
  alarms(): Promise<readonly Alarm[]>;
  unprovenDays(): Promise<{ zone: string; days: readonly UnprovenDay[] }>;
  ledgerStartAnswers(): Promise<LedgerStartAnswers>;
  waitingRequests(): Promise<readonly (Approval & { by: string; reason: string | undefined })[]>;
}

const LISTED = 200;
/** Number of places that are reserved for each of the ten kinds. */
const OF_EACH_KIND = 25;

/** Cases with this code are about money that a lender has not posted in time. */
const LATE = 'MISSING_AT_LENDER';

/** Items, with the number of all items of each kind. */
interface Work extends Pick<Today, 'amounts' | 'assumed' | 'counts'> {
  items: TodayItem[];
}

/**
 * Returns the work that needs a person, largest amounts first.
 * @param limit maximum number of items, in addition to the places reserved for each kind
 */
export async function workOfToday(
  ctx: QueryContext,
  sources: TodaySources,
  holds: HoldPolicy,
  limit = LISTED,
): Promise<Today> {
  const companion = ofCompanion(sources);
  // Prevents an unhandled rejection if another step fails first.
  companion.catch(() => undefined);
  const { asOf, complete, unprovenDays, quarantined } = await reliabilityOf(ctx);
  const held = (await holdsEndingSoon(ctx, holds)).map(holdItem);
  const alarms = (await sources.alarms()).map(alarmItem);
  const alerts = (await sources.deadAlerts()).map(alertItem);
  const days = await sources.unprovenDays();
  const calendar = new Calendar(days.zone);
  const unproven = days.days.map((day) => dayItem(day, calendar));
  const records = (await quarantinedRecords(ctx, limit)).map(recordItem);
  const minute = Math.floor(ctx.clock.now() / MINUTE_MS) * MINUTE_MS;
  const cases = await openCases(ctx, limit, minute);
  const ledger = await ctx.database.read(readSetUpState, ctx.signal);
  const starts = ledger === 'set-up' ? [] : await ledgerStartItems(ctx, sources, calendar);
  const approvals = (await sources.waitingRequests()).map(approvalItem);
  const office = await companion;
  const items = [
    ...alarms,
    ...cases.items,
    ...(office?.items ?? []),
    ...held,
    ...alerts,
    ...unproven,
    ...records,
    ...starts,
    ...approvals,
  ];
  return {
    asOf,
    complete,
    unprovenDays,
    quarantined,
    counts: {
      alarm: alarms.length,
      ...cases.counts,
      hold: held.length,
      ...office?.counts,
      'dead-alert': alerts.length,
      'unproven-day': unproven.length,
      quarantine: quarantined,
      'ledger-start': starts.length,
      approval: approvals.length,
    },
    amounts: {
      ...cases.amounts,
      ...office?.amounts,
      ...amountsOf('hold', held),
      ...amountsOf('ledger-start', starts),
    },
    assumed: {
      ...cases.assumed,
      ...assumedOf('ledger-start', starts),
    },
    items: listed(items, limit),
    unavailable: office === undefined ? ['companion'] : [],
    ledger,
  };
}

/** Sorts the items, and drops those without a place. */
function listed(items: readonly TodayItem[], limit: number): TodayItem[] {
  const sorted = items
    .map((item) => ({ item, size: sizeOf(item) }))
    .sort(
      (a, b) =>
        Number(b.size > a.size) - Number(a.size > b.size) ||
        compareTexts(a.item.since, b.item.since) ||
        compareTexts(a.item.id, b.item.id),
    )
    .map(({ item }) => item);
  const first = [...Map.groupBy(sorted, ({ kind }) => kind).values()].flatMap((own) =>
    own.slice(0, OF_EACH_KIND),
  );
  const chosen = new Set(first);
  for (const item of sorted) {
    if (chosen.size >= limit) break;
    chosen.add(item);
  }
  return sorted.filter((item) => chosen.has(item));
}

/**
 * Absolute amount in major units, for a rough comparison across currencies. An alarm precedes them, and
 * an approval is about the money of a whole period.
 */
function sizeOf({ amount, currency, kind }: TodayItem): number {
  if (kind === 'alarm') return Infinity;
  if (kind === 'approval') return Number.MAX_VALUE;
  if (amount === undefined || currency === undefined) return 0;
  return Math.abs(amount) / 10 ** digitsOf(currency);
}

/** Returns the number of items that no sum includes; nothing if there are none. */
function assumedOf(kind: TodayKind, items: readonly TodayItem[]): Today['assumed'] {
  const count = items.filter((item) => item.currencyAssumed === true).length;
  return count === 0 ? {} : { [kind]: count };
}

/**
 * Returns the sums of a kind, without amounts of an assumed currency; nothing if no item has an amount.
 */
function amountsOf(kind: TodayKind, items: readonly TodayItem[]): Today['amounts'] {
  const sums = new Map<string, number | null>();
  for (const { amount, currency, currencyAssumed: isAssumed } of items) {
    if (amount === undefined || currency === undefined || isAssumed === true) continue;
    sums.set(currency, added(sums.get(currency) ?? 0, Math.abs(amount)));
  }
  if (sums.size === 0) return {};
  const list = [...sums].map(([currency, amount]) => ({ currency, amount }));
  return { [kind]: list.sort((a, b) => compareTexts(a.currency, b.currency)) };
}

/** Returns the work at the companion; undefined if the companion does not respond. */
async function ofCompanion(sources: TodaySources): Promise<Work | undefined> {
  try {
    const [operations, webhooks] = await Promise.all([
      sources.unclearOperations(),
      sources.deadWebhooks(),
    ]);
    const unclear = operations.map(operationItem);
    return {
      counts: { 'unclear-operation': operations.length, 'dead-webhook': webhooks.length },
      amounts: amountsOf('unclear-operation', unclear),
      assumed: {},
      items: [...unclear, ...webhooks.map(webhookItem)],
    };
  } catch (error) {
    if (error instanceof Error && error.name === 'CompanionError') return undefined;
    throw error;
  }
}

/**
 * Returns the largest cases of the open queue at a time, and the number of all of them. Omits cases
 * whose money is counted in other cases of their order.
 */
const openCases = onceARevision((ctx: QueryContext, limit: number, now: number): Promise<Work> =>
  ctx.database.read(async (connection) => {
    const queue = `(select *, code = '${LATE}' as late from ${stakes}
      where ${queuedSql(now)} and not is_counted)`;
    const sums = await select(
      connection,
      `select late, currency, assumed, count(*) as count, sum(stake) as amount
      from ${queue} group by all order by currency`,
    );
    const ofKind = (late: boolean) => sums.filter((row) => row.late === late);
    const amounts = (late: boolean) =>
      ofKind(late)
        .filter((row) => row.assumed !== true && text(row.currency) !== '')
        .map((row) => ({ currency: text(row.currency), amount: sumOrNull(row.amount) }));
    const count = (rows: readonly Row[]) => rows.reduce((sum, row) => sum + whole(row.count), 0);
    const assumed = (late: boolean) => count(ofKind(late).filter((row) => row.assumed === true));
    const units = [...new Set(sums.map((row) => text(row.currency)))]
      .map((currency) => `when ${sqlText(currency)} then ${10 ** digitsOf(currency)}`)
      .join(' ');
    const size = units === '' ? 'stake' : `stake / (case currency ${units} end)`;
    const largest = (late: string) =>
      `(select *, ${size} as size from ${queue} where ${late}
      order by size desc, since, id limit ${limit})`;
    const rows = await select(connection, `${largest('late')} union all ${largest('not late')}`);
    const lenders = await lendersOfOrders(
      connection,
      rows.map((row) => text(row.order_key)),
    );
    return {
      counts: { exception: count(ofKind(false)), 'late-funding': count(ofKind(true)) },
      amounts: { exception: amounts(false), 'late-funding': amounts(true) },
      assumed: { exception: assumed(false), 'late-funding': assumed(true) },
      items: rows.map((row) => {
        const name = lenders.get(text(row.order_key));
        return caseItem(row, name === undefined ? undefined : lenderOf(name, ctx.policy));
      }),
    };
  }, ctx.signal),
);

/**
 * Returns the fundings from before the ledger, by currency and by the first lender of each order, and
 * the start of the ledger.
 */
const fundingsBeforeLedger = onceARevision((ctx: QueryContext) =>
  ctx.database.read(async (connection) => {
    const rows = await select(
      connection,
      `select currency, coalesce(lender, '') as lender, assumed, sum(fundings) as fundings,
        sum(funded_settle) as amount, min(since) as since
      from (select s.order_key, s.currency, s.assumed, s.funded_settle, count(*) as fundings,
          arg_min(f.lender_name, f.funded_at) as lender, min(f.funded_at) as since
        from order_statuses s
        join fundings f on f.order_key = s.order_key and f.currency = s.currency and f.problem is null
        where s.headline = 'BEFORE_LEDGER' group by all)
      group by all order by currency, lender, assumed`,
    );
    const { starts } = await readLedgerStarts(connection);
    return { rows, starts };
  }, ctx.signal),
);

/** Returns a question about each lender whose fundings from before the ledger are unanswered. */
async function ledgerStartItems(
  ctx: QueryContext,
  sources: TodaySources,
  calendar: Calendar,
): Promise<TodayItem[]> {
  const { rows, starts } = await fundingsBeforeLedger(ctx);
  if (rows.length === 0) return [];
  const answers = await sources.ledgerStartAnswers();
  const lenderIn = (row: Row) => lenderOf(text(row.lender), ctx.policy);
  const groups = Map.groupBy(rows, (row) =>
    [ledgerStartKey(text(row.currency), lenderIn(row)), row.assumed].join('\n'),
  );
  return [...groups.values()].flatMap((own): TodayItem[] => {
    const [first] = own;
    if (first === undefined) return [];
    const [currency, lender] = [text(first.currency), lenderIn(first)];
    const key = ledgerStartKey(currency, lender);
    if (answers.has(key)) return [];
    const isAssumed = first.assumed === true;
    const ofLender = starts.get(key);
    const start = ofLender ?? starts.get(ledgerStartKey(currency));
    const amount = own.reduce<number | null>((sum, row) => {
      const next = sumOrNull(row.amount);
      return next === null ? null : added(sum, next);
    }, 0);
    return [
      {
        kind: 'ledger-start',
        id: ledgerStartSubject(currency, lender) + (isAssumed ? ' (assumed)' : ''),
        code: ofLender !== undefined ? 'lender' : start !== undefined ? 'currency' : 'none',
        count: own.reduce((sum, row) => sum + whole(row.fundings), 0),
        ...(amount === null ? {} : { amount }),
        currency,
        ...(isAssumed ? { currencyAssumed: true } : {}),
        ...(lender === '' ? {} : { lender }),
        day: start === undefined ? undefined : calendar.dayOf(start),
        since: isoTime(Math.min(...own.map((row) => whole(row.since)))),
      },
    ];
  });
}

function ofOrder(orderKey: string): Pick<TodayItem, 'orderKey' | 'merchantOrderId'> {
  const merchantOrderId = merchantOrderIdOf(orderKey);
  return { orderKey, merchantOrderId };
}

function caseItem(row: Row, lender: string | undefined): TodayItem {
  const code = text(row.code);
  const assignee = optional(row.assignee);
  const [amount, stake] = [whole(row.amount), whole(row.stake)];
  return {
    kind: code === LATE ? 'late-funding' : 'exception',
    id: text(row.id),
    code,
    ...ofOrder(text(row.order_key)),
    // A negative amount is a shortfall.
    amount: Math.abs(amount) === stake ? amount : stake,
    currency: text(row.currency),
    ...(row.assumed === true ? { currencyAssumed: true } : {}),
    ...(lender === undefined ? {} : { lender }),
    since: isoTime(whole(row.since)),
    ...(assignee === undefined ? {} : { assignee }),
  };
}

function holdItem(hold: Hold): TodayItem {
  const { amount, authorizedAt, chargeId, currency, endsAt, lender, orderKey } = hold;
  return {
    kind: 'hold',
    id: chargeId,
    ...ofOrder(orderKey),
    amount,
    currency,
    ...(lender === undefined ? {} : { lender }),
    since: isoTime(authorizedAt),
    endsAt: isoTime(endsAt),
  };
}

function operationItem(operation: UnclearOperation): TodayItem {
  const { amount, createdAt, id, kind, merchantOrderId, reason } = operation;
  return {
    kind: 'unclear-operation',
    id,
    code: kind,
    ...ofOrder(orderKeyOf(merchantOrderId)),
    ...(amount === undefined ? {} : { amount: amount.value, currency: amount.currency }),
    since: createdAt,
    ...(reason === undefined ? {} : { reason }),
  };
}

function webhookItem({ createdAt, id, reason }: Delivery): TodayItem {
  return {
    kind: 'dead-webhook',
    id,
    since: createdAt,
    reason,
  };
}

function alarmItem(alarm: Alarm): TodayItem {
  const { at, kind, number } = alarm;
  const since = isoTime(at);
  return { kind: 'alarm', id: String(number), code: kind, since, reason: alarmText(alarm) };
}

function alertItem({ createdAt, id, reason }: AlertRow): TodayItem {
  return {
    kind: 'dead-alert',
    id,
    since: isoTime(createdAt),
    reason,
  };
}

function approvalItem({
  at,
  by,
  lapsesAt,
  of,
  period,
  reason,
}: Awaited<ReturnType<TodaySources['waitingRequests']>>[number]): TodayItem {
  return {
    kind: 'approval',
    id: period,
    code: of,
    since: at,
    endsAt: lapsesAt,
    actor: by,
    reason,
  };
}

function dayItem({ day, reason, state }: UnprovenDay, calendar: Calendar): TodayItem {
  return {
    kind: 'unproven-day',
    id: day,
    code: state,
    day,
    since: isoTime(calendar.startOf(day)),
    reason,
  };
}

function recordItem(record: Awaited<ReturnType<typeof quarantinedRecords>>[number]): TodayItem {
  const { day, id, merchantOrderId, reason, seenAt } = record;
  return {
    kind: 'quarantine',
    id,
    day,
    reason,
    since: seenAt,
    ...(merchantOrderId === undefined ? {} : ofOrder(orderKeyOf(merchantOrderId))),
  };
}
