import type { PageAnswer, PageQuery } from './source.ts';

/** A record as the service sends it. */
export interface WireRecord extends Record<string, unknown> {
  status: string;
  fundedAt: string;
  updatedAt: string;
  lenderName: string;
  transactionType: string;
  transactionAmount: number | string;
  discountAmount: number | string;
  netAmount: number | string;
}

/** Returns a seeded random number generator for [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns the record with number `index`, funded at the given time. */
export function wireRecord(index: number, fundedAt: string, change: Record<string, unknown> = {}) {
  const amount = 10_000 + index;
  return {
    status: 'RECONCILED',
    fundedAt,
    updatedAt: fundedAt,
    lenderName: 'Northway Credit',
    transactionType: 'Settle',
    transactionAmount: amount / 100,
    discountAmount: 1.5,
    netAmount: (amount - 150) / 100,
    transactionDate: fundedAt,
    transactionId: `txn-${index}`,
    merchantOrderId: `A-${index}`,
    chargeId: `chg-${index}`,
    productType: 'Installments',
    lenderReferenceId: `LR-${index}`,
    merchantTransactionId: `mtx-${index}`,
    firstName: 'Ada',
    lastName: 'Quill',
    email: 'ada.quill@example.com',
    ...change,
  };
}

/** Returns `count` records over several days, several per day, some with the same timestamp. */
export function wireHistory(count: number, from: string, days: number, seed = 7): WireRecord[] {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, index) => {
    const day = Math.floor(random() * days);
    // Most lenders post at midnight.
    const ms = random() < 0.6 ? 0 : Math.floor(random() * 86_400_000);
    return wireRecord(index, new Date(Date.parse(from) + day * 86_400_000 + ms).toISOString());
  });
}

function referenceOf({ lenderReferenceId }: WireRecord): string {
  return typeof lenderReferenceId === 'string' ? lenderReferenceId : '';
}

export interface HistoryService {
  records: WireRecord[];
  fetchPage: (query: PageQuery) => Promise<PageAnswer>;
  /** Number of requested pages. */
  readonly calls: number;
  /** Called before each response; may change the records or return a response. */
  before:
    | ((call: number, query: PageQuery) => Promise<PageAnswer | undefined> | PageAnswer | undefined)
    | undefined;
}

/** Returns a service with a list of records, newest first. Both ends of a window are inclusive. */
export function historyService(
  records: WireRecord[],
  options: {
    order?: (one: WireRecord, other: WireRecord) => number;
    /** Maximum records per page, even if more are requested. */
    cap?: number;
    /** Offset of the service's day boundaries from ours, in milliseconds. */
    shift?: number;
  } = {},
): HistoryService {
  const { cap = Infinity, shift = 0 } = options;
  const order =
    options.order ??
    ((one, other) =>
      other.fundedAt.localeCompare(one.fundedAt) ||
      referenceOf(other).localeCompare(referenceOf(one)));
  let calls = 0;
  const service: HistoryService = {
    records,
    before: undefined,
    get calls() {
      return calls;
    },
    async fetchPage(query) {
      const { from, to, offset, limit } = query;
      calls += 1;
      const instead = await service.before?.(calls, query);
      if (instead) return instead;
      const [first, last] = [Date.parse(from) + shift, Date.parse(to) + shift];
      const page = service.records
        .filter(({ fundedAt }) => {
          const at = Date.parse(fundedAt);
          return !(at < first || at > last);
        })
        .sort(order)
        .slice(offset, offset + Math.min(limit, cap));
      return { kind: 'page', bytes: new TextEncoder().encode(JSON.stringify({ records: page })) };
    },
  };
  return service;
}
