import type { LedgerEntry } from '@financing-checkout/contract/back-office';
import type { CaseRecord, OrderExplanation } from '@financing-checkout/contract/reconciliation';
import {
  type AgreedDiscount,
  agreedDiscounts,
  calendarOf,
  type OrderLines,
  reconcileOrder,
  type Suggestion,
  compareTexts,
} from '@financing-checkout/reconciliation-rules';
import type { DuckDBConnection } from '../../platform/duckdb.ts';
import { metaKeys } from '../../analytics/schema.ts';
import { caseRecord } from '../../cases/record.ts';
import type { TrailEvent } from '../../facts/trail.ts';
import { isoTime } from '@financing-checkout/kit';
import { merchantOrderIdOf } from '../../platform/order-key.ts';
import { MOST_LINES_OF_ONE } from '../../statuses/order-lines.ts';
import type { JudgingPolicy } from '../../statuses/policy.ts';
import { currencyAssumed, written } from '../basis/reasons.ts';
import { caseOrder } from '../cases/case-order.ts';
import { caseRows, caseTerms } from '../cases/cases.ts';
import { type LinesOfOrder, linesOfOrders } from './order-lines.ts';
import type { QueryContext } from '../basis/reliability.ts';
import { optional, select, text, whole } from '../basis/rows.ts';
import { statusRecords } from './status-records.ts';
import { suggestionsFor } from './suggestions.ts';

type Moment = OrderExplanation['timeline'][number];
type Part = OrderExplanation['currencies'][number];

/** A line that was withdrawn from the ledger. */
interface WithdrawnLine {
  id: string;
  type: string;
  amount: number;
  currency: string;
  withdrawnAt: number;
  actor: string | undefined;
}

/** Sources of an order outside the analytics database. */
export interface ExplanationSources {
  /** The audit trail of its cases, in order. */
  caseEvents(caseIds: readonly string[]): Promise<readonly TrailEvent[]>;
  /** Entries of the companion's own ledger, sorted by id. */
  ledgerEntries(merchantOrderId: string): Promise<readonly LedgerEntry[]>;
}

const MAX_CURRENCIES = 200;
const MAX_CASES = 1_000;

const NOT_YET = 'Its lines have changed and were not judged yet.';
const NOT_EXACT =
  'It has no status and is excluded from sums: its amounts are too large to be summed exactly. Correct its lines.';
const TOO_LONG = `It has no status and is excluded from sums: it has more than ${MOST_LINES_OF_ONE} lines. Correct their order ids.`;

/** Returns all data about an order; undefined for an unknown order. */
export async function explainOrder(
  ctx: QueryContext,
  sources: ExplanationSources,
  orderKey: string,
): Promise<OrderExplanation | undefined> {
  const { policy } = ctx;
  const terms = caseTerms(ctx);
  const { now } = terms;
  const merchantOrderId = merchantOrderIdOf(orderKey);
  const judged = ctx.database.read(async (connection) => {
    const page = { limit: MAX_CURRENCIES, calendar: calendarOf(policy.slaDays) };
    const statuses = await statusRecords(connection, { orderKeys: [orderKey] }, page);
    const lines = await linesOfOrders(connection, [orderKey]);
    const cases = await caseRows(connection, { orderKey }, terms, {
      order: caseOrder('opened'),
      limit: MAX_CASES,
    });
    const suggestions = new Map<string, Suggestion[]>();
    for (const status of statuses) {
      const own = lines.find(({ currency }) => currency === status.currency);
      if (own === undefined) continue;
      suggestions.set(status.currency, await suggestionsFor(connection, status, own, policy));
    }
    const withdrawn = await withdrawnLines(connection, orderKey);
    const { isWaiting, entry } = await included(connection, orderKey);
    return { statuses, lines, cases, suggestions, withdrawn, isWaiting, entry };
  }, ctx.signal);
  const [read, entries] = await Promise.all([
    judged,
    merchantOrderId === undefined ? [] : sources.ledgerEntries(merchantOrderId),
  ]);
  const { statuses, lines, cases, suggestions, withdrawn } = read;
  const updating = read.isWaiting || (entries.at(-1)?.id ?? 0) > read.entry;
  const unsettled = unsettledOf(entries);
  const known = [statuses.length, lines.length, cases.length, withdrawn.length, unsettled.size];
  if (!updating && known.every((count) => count === 0)) return undefined;
  const events = cases.length === 0 ? [] : await sources.caseEvents(cases.map(({ id }) => id));
  const records = cases.map((row) => caseRecord(row, now, terms.days));
  const isTooLong = hasTooManyLines(lines);
  const currencies = new Set([
    ...[...statuses, ...lines].map(({ currency }) => currency),
    ...unsettled.keys(),
  ]);
  return {
    orderKey,
    merchantOrderId,
    currencies: [...currencies].sort().map((currency): Part => {
      const status = statuses.find((one) => one.currency === currency);
      const own = lines.find((one) => one.currency === currency);
      // A settle that bypassed the companion is only in the ledger.
      const isSettled = own?.ledger.some(({ type }) => type === 'Settle');
      const authorized = isSettled === true ? undefined : unsettled.get(currency);
      return {
        status,
        currency,
        ...currencyAssumed(own?.currencyAssumed),
        reasons: [
          ...(status?.reasons ?? (own ? [whyWithoutStatus(own, { isTooLong, policy })] : [])),
          ...(authorized === undefined ? [] : [unsettledSentence(authorized, currency)]),
        ],
        ledger: ledgerOf(own),
        fundings: fundingsOf(own),
        // An order without a status has no reasons.
        discounts: own && status ? discountsOf({ ...own, merchantOrderId }, policy, now) : [],
        suggestions: (suggestions.get(currency) ?? []).map(toSuggestion),
      };
    }),
    cases: records,
    timeline: timelineOf({ lines, entries, withdrawn, cases: records, events }),
    ...(updating ? { updating } : {}),
  };
}

/**
 * Returns the last entry of the companion's ledger that was read, and whether the order is waiting
 * to be judged.
 */
async function included(
  connection: DuckDBConnection,
  orderKey: string,
): Promise<{ entry: number; isWaiting: boolean }> {
  const [row] = await select(
    connection,
    `select exists (from dirty_orders where order_key = $order_key) as is_waiting,
      (select value from meta where key = '${metaKeys.ledger}') as entry`,
    { order_key: orderKey },
  );
  return { entry: Number(row?.entry ?? 0), isWaiting: row?.is_waiting === true };
}

async function withdrawnLines(
  connection: DuckDBConnection,
  orderKey: string,
): Promise<WithdrawnLine[]> {
  const rows = await select(
    connection,
    'select * from withdrawn_lines where order_key = $order_key',
    { order_key: orderKey },
  );
  return rows.map((row) => ({
    id: text(row.id),
    type: text(row.type),
    amount: whole(row.amount),
    currency: text(row.currency),
    withdrawnAt: whole(row.withdrawn_at),
    actor: optional(row.actor),
  }));
}

/** Explains why an order has no status. Waiting does not help if the order cannot be judged. */
function whyWithoutStatus(
  own: LinesOfOrder,
  { isTooLong, policy }: { isTooLong: boolean; policy: JudgingPolicy },
): string {
  if (isTooLong) return TOO_LONG;
  return isSummable(own, policy) ? NOT_YET : NOT_EXACT;
}

function hasTooManyLines(lines: readonly LinesOfOrder[]): boolean {
  let [fundings, ledger] = [0, 0];
  for (const row of lines) {
    fundings += row.fundings.length;
    ledger += row.ledger.length;
  }
  return Math.max(fundings, ledger) > MOST_LINES_OF_ONE;
}

function isSummable(order: LinesOfOrder, policy: JudgingPolicy): boolean {
  try {
    reconcileOrder(
      { ...order, merchantOrderId: undefined },
      { ...policy, now: 0, complete: false },
    );
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function toSuggestion({ orderKey, amount, daysApart }: Suggestion): Part['suggestions'][number] {
  const merchantOrderId = merchantOrderIdOf(orderKey);
  return {
    orderKey,
    merchantOrderId,
    open: amount,
    daysApart,
  };
}

/**
 * Returns nothing for an order whose sums are no longer exact, even if it still has an old status.
 */
function discountsOf(order: OrderLines, policy: JudgingPolicy, now: number): Part['discounts'] {
  let agreed: AgreedDiscount[];
  try {
    agreed = agreedDiscounts(order, { ...policy, now, complete: true });
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
  return agreed.map(
    ({ productType, promoCode, basisPoints, perSettle, from, kept, ...discount }) => ({
      ...discount,
      ...(productType === undefined ? {} : { productType }),
      ...(promoCode === undefined ? {} : { promoCode }),
      agreedBasisPoints: basisPoints,
      ...(perSettle === 0 ? {} : { agreedPerSettle: perSettle }),
      ...(from === undefined ? {} : { agreedFrom: isoTime(from) }),
      variance: kept,
    }),
  );
}

function ledgerOf(lines: LinesOfOrder | undefined): Part['ledger'] {
  return (lines?.ledger ?? [])
    .toSorted((a, b) => a.occurredAt - b.occurredAt)
    .map(({ id, type, amount, occurredAt, transactionId, merchantTransactionId, source }) => ({
      id,
      type,
      amount,
      source,
      occurredAt: isoTime(occurredAt),
      transactionId,
      merchantTransactionId,
    }));
}

function fundingsOf(lines: LinesOfOrder | undefined): Part['fundings'] {
  return (lines?.fundings ?? [])
    .toSorted((a, b) => a.fundedAt - b.fundedAt)
    .map(({ fundedAt, updatedAt, ...funding }) => ({
      // Omits fields without a value.
      ...(JSON.parse(JSON.stringify(funding)) as typeof funding),
      fundedAt: isoTime(fundedAt),
      updatedAt: isoTime(updatedAt),
    }));
}

interface History {
  lines: readonly LinesOfOrder[];
  entries: readonly LedgerEntry[];
  withdrawn: readonly WithdrawnLine[];
  cases: readonly CaseRecord[];
  events: readonly TrailEvent[];
}

function timelineOf({ lines, entries, withdrawn, cases, events }: History): Moment[] {
  const codes = new Map(cases.map(({ id, code }) => [id, code]));
  const moments: Moment[] = [
    ...authorizationsOf(entries).map(({ amount, merchantTransactionId, occurredAt }) => ({
      at: occurredAt,
      source: 'ledger' as const,
      what: 'Authorize',
      ...(amount === undefined ? {} : { amount: amount.value, currency: amount.currency }),
      id: merchantTransactionId,
    })),
    ...lines.flatMap(({ currency, ledger }) =>
      ledger.map(({ amount, id, occurredAt, type }) => ({
        at: isoTime(occurredAt),
        source: 'ledger' as const,
        what: type,
        amount,
        currency,
        id,
      })),
    ),
    ...withdrawn.map(({ actor, amount, currency, id, type, withdrawnAt }) => ({
      at: isoTime(withdrawnAt),
      source: 'ledger' as const,
      what: `${type} withdrawn`,
      amount,
      currency,
      id,
      by: actor,
    })),
    ...lines.flatMap(({ currency, currencyAssumed: isAssumed, fundings }) =>
      fundings.map((funding) => ({
        at: isoTime(funding.fundedAt),
        source: 'funding' as const,
        what: funding.transactionType,
        amount: funding.transactionAmount,
        currency,
        ...currencyAssumed(isAssumed),
        status: funding.status,
        lender: funding.lenderName,
        id: funding.id,
      })),
    ),
    ...events.map(({ actor, at, kind, subject }) => ({
      at: isoTime(at),
      source: 'case' as const,
      what: `${codes.get(subject) ?? 'case'} ${kind}`,
      id: subject,
      by: actor,
    })),
  ];
  return moments.sort((a, b) => compareTexts(a.at, b.at));
}

/**
 * Sums the amounts that the companion authorized for an order and never settled or voided: no
 * lender owes them, and no ledger line mentions them.
 * @param entries all entries of the order in the companion's ledger, sorted by id
 * @returns sums by currency, in minor units
 */
function unsettledOf(entries: readonly LedgerEntry[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const own of Map.groupBy(lastOf(entries), ({ chargeId }) => chargeId).values()) {
    // A transaction with an unknown outcome may be settled.
    const isTouched = own.some(({ type, state }) => type !== 'Authorize' && state !== 'absent');
    if (isTouched) continue;
    for (const { amount, type, state } of own) {
      if (type !== 'Authorize' || state !== 'accepted' || amount === undefined) continue;
      sums.set(amount.currency, (sums.get(amount.currency) ?? 0) + amount.value);
    }
  }
  return sums;
}

/** Returns the authorizations that the service accepted. */
function authorizationsOf(entries: readonly LedgerEntry[]): LedgerEntry[] {
  return lastOf(entries).filter(({ state, type }) => type === 'Authorize' && state === 'accepted');
}

/** Returns the last entry of each transaction, which is the one that counts. */
function lastOf(entries: readonly LedgerEntry[]): LedgerEntry[] {
  const last = new Map<string, LedgerEntry>();
  for (const entry of entries) last.set(`${entry.type} ${entry.merchantTransactionId}`, entry);
  return [...last.values()];
}

function unsettledSentence(amount: number, currency: string): string {
  return `${written(amount, currency)} is authorized and was never settled: lenders do not owe it yet.`;
}
