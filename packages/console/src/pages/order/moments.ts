import type { OrderCharges } from '@financing-checkout/contract/back-office';
import type { OrderExplanation } from '@financing-checkout/contract/reconciliation';

/** An event of an order, in the lane of the party that caused it. */
export interface Moment {
  /** ISO 8601, UTC. */
  at: string;
  lane: 'merchant' | 'lender' | 'case';
  what: string;
  /** Minor units; absent for events without an amount. */
  amount?: number;
  currency?: string;
  isAssumed?: boolean;
  /** Lender, person or source that caused the event. */
  by?: string;
  /** The service's funding status, or the state of the companion's operation. */
  status?: string;
  caseId?: string;
  /** Whether the event has not happened yet. */
  isExpected?: boolean;
}

/**
 * Returns all events, oldest first: the checkout, ledger, fundings, cases, the companion's
 * operations that are missing from the ledger, and the due date of an awaited payment.
 */
export function momentsOf(
  order: OrderExplanation,
  { charges, primedAt }: Pick<OrderCharges, 'charges' | 'primedAt'>,
): Moment[] {
  const moments: Moment[] = order.timeline.map((one) => ({
    at: one.at,
    lane: one.source === 'ledger' ? 'merchant' : one.source === 'funding' ? 'lender' : 'case',
    what: one.what,
    amount: one.amount,
    currency: one.currency,
    isAssumed: one.currencyAssumed,
    status: one.status,
    by: one.by ?? one.lender,
    caseId: one.source === 'case' ? one.id : undefined,
  }));
  if (primedAt !== undefined) moments.push({ at: primedAt, lane: 'merchant', what: 'primed' });
  const known = new Set(
    order.currencies.flatMap(({ ledger }) =>
      ledger.flatMap((line) => [line.transactionId, line.merchantTransactionId]),
    ),
  );
  for (const { kind, amount, state, createdAt, ...ids } of charges.flatMap(
    ({ operations }) => operations,
  )) {
    if (known.has(ids.merchantTransactionId) || known.has(ids.transactionId ?? '')) continue;
    moments.push({
      at: createdAt,
      lane: 'merchant',
      what: names[kind],
      status: state,
      amount: amount?.value,
      currency: amount?.currency,
    });
  }
  for (const { status, currency } of order.currencies) {
    if (status?.recheckAt === undefined || status.awaiting === 0) continue;
    moments.push({
      at: status.recheckAt,
      lane: 'lender',
      what: 'due',
      amount: status.awaiting,
      currency,
      isExpected: true,
    });
  }
  return moments.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

const names = { settle: 'Settle', refund: 'Refund', void: 'Void' } as const;

/** Minimum distance between neighboring events, as a fraction of the line. */
const CLOSEST = 0.035;

/**
 * Returns each event's position on the line, from 0 to 1: by time, with a visible distance between
 * neighbors. Only events in different lanes share a position.
 */
export function placesOf(moments: readonly Pick<Moment, 'at' | 'lane'>[]): number[] {
  const seen = new Map<string, number>();
  const times = moments.map(({ at, lane }) => {
    const count = seen.get(`${lane} ${at}`) ?? 0;
    seen.set(`${lane} ${at}`, count + 1);
    // Adds less than a millisecond to the previous event's time.
    return Date.parse(at) + count / 1_000;
  });
  const distinct = [...new Set(times)].toSorted((one, other) => one - other);
  const first = distinct[0] ?? 0;
  const span = (distinct.at(-1) ?? 0) - first;
  if (span === 0) return times.map(() => 0);
  const closest = Math.min(CLOSEST, 1 / (distinct.length - 1));
  // Allocates the minimum distances first, and the rest of the line in proportion to time.
  const rest = 1 - closest * (distinct.length - 1);
  const places = new Map(
    distinct.map((time, index) => [time, index * closest + (rest * (time - first)) / span]),
  );
  return times.map((time) => places.get(time) ?? 0);
}

/** Returns the indexes of labels that fit without overlap, starting with the first. */
export function labeled(places: readonly number[], apart: number): number[] {
  const shown: number[] = [];
  for (const [index, place] of places.entries()) {
    const last = places[shown.at(-1) ?? -1];
    if (last === undefined || place - last >= apart) shown.push(index);
  }
  return shown;
}
