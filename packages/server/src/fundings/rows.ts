import { z } from 'zod';
import type { CurrencySums, QuarantinedRecord, RunRow, SliceRow } from './books.ts';
import type { HeldFunding } from './record.ts';
import type { StoredFunding } from './slice.ts';

type Value = string | number | null;

/** Columns of `fundings` but the environment and the version. */
export const fundingColumns = [
  'order_key',
  'currency',
  'id',
  'slice_day',
  'merchant_order_id',
  'status',
  'transaction_type',
  'lender_name',
  'transaction_amount',
  'discount_amount',
  'net_amount',
  'funded_at',
  'updated_at',
  'transaction_date',
  'transaction_id',
  'merchant_transaction_id',
  'charge_id',
  'lender_reference_id',
  'product_type',
  'promo_code',
  'hash',
] as const;

/** In the order of {@link fundingColumns}. */
export function fundingValues(funding: HeldFunding): Value[] {
  return [
    funding.orderKey,
    funding.currency,
    funding.id,
    funding.sliceDay,
    funding.merchantOrderId,
    funding.status,
    funding.transactionType,
    funding.lenderName,
    funding.transactionAmount,
    funding.discountAmount,
    funding.netAmount,
    funding.fundedAt,
    funding.updatedAt,
    funding.transactionDate,
    funding.transactionId,
    funding.merchantTransactionId,
    funding.chargeId,
    funding.lenderReferenceId,
    funding.productType,
    funding.promoCode,
    funding.hash,
  ];
}

/** Columns of `funding_slices` but the environment. */
export const sliceColumns = [
  'day',
  'state',
  'reason',
  'run_id',
  'passes',
  'pages',
  'overlap_rows',
  'rows',
  'changed',
  'gone',
  'quarantined',
  'sums',
  'hash',
  'zone',
  'synced_at',
] as const;

/** In the order of {@link sliceColumns}. */
export function sliceValues(slice: SliceRow): Value[] {
  return [
    slice.day,
    slice.state,
    slice.reason ?? null,
    slice.runId,
    slice.passes,
    slice.pages,
    slice.overlaps,
    slice.rows,
    slice.changed,
    slice.gone,
    slice.quarantined,
    JSON.stringify(slice.sums),
    slice.hash,
    slice.zone,
    slice.syncedAt ?? null,
  ];
}

/** Columns of `funding_runs` but the environment. */
export const runColumns = [
  'id',
  'state',
  'reason',
  'from_day',
  'to_day',
  'zone',
  'tiers',
  'started_at',
  'resumed',
  'ended_at',
  'slices_planned',
  'slices_done',
  'slices_unproven',
  'rows',
  'changed',
  'gone',
  'quarantined',
] as const;

/** In the order of {@link runColumns}. */
export function runValues(run: RunRow): Value[] {
  return [
    run.id,
    run.state,
    run.reason ?? null,
    run.fromDay,
    run.toDay,
    run.zone,
    run.tiers ? 1 : 0,
    run.startedAt,
    run.resumed,
    run.endedAt ?? null,
    run.slicesPlanned,
    run.slicesDone,
    run.slicesUnproven,
    run.rows,
    run.changed,
    run.gone,
    run.quarantined,
  ];
}

const text = z.string();
/** Some drivers give 64 bits as text. */
const integer = z.coerce.number().int();
const optionalText = text.nullable().transform((value) => value ?? undefined);
const optionalInteger = z.union([z.null(), integer]).transform((value) => value ?? undefined);

const sumsSchema = z.record(
  text,
  z.object({ count: integer, transaction: text, discount: text, net: text }),
);

const sliceSchema = z.object({
  day: text,
  state: z.enum(['complete', 'writing', 'unproven', 'failed', 'stale']),
  reason: optionalText,
  run_id: text,
  passes: integer,
  pages: integer,
  overlap_rows: integer,
  rows: integer,
  changed: integer,
  gone: integer,
  quarantined: integer,
  sums: text,
  hash: text,
  zone: text,
  synced_at: optionalInteger,
});

/** A row of `funding_slices`. */
export function toSlice(row: unknown): SliceRow {
  const { run_id, synced_at, sums, overlap_rows: overlaps, ...slice } = sliceSchema.parse(row);
  return {
    ...slice,
    overlaps,
    runId: run_id,
    syncedAt: synced_at,
    sums: sumsSchema.parse(JSON.parse(sums)),
  };
}

const runSchema = z.object({
  id: text,
  state: z.enum(['running', 'complete', 'partial', 'failed']),
  reason: optionalText,
  from_day: text,
  to_day: text,
  zone: text,
  tiers: integer,
  started_at: integer,
  resumed: integer,
  ended_at: optionalInteger,
  slices_planned: integer,
  slices_done: integer,
  slices_unproven: integer,
  rows: integer,
  changed: integer,
  gone: integer,
  quarantined: integer,
});

/** A row of `funding_runs`. */
export function toRun(row: unknown): RunRow {
  const run = runSchema.parse(row);
  return {
    id: run.id,
    state: run.state,
    reason: run.reason,
    fromDay: run.from_day,
    toDay: run.to_day,
    zone: run.zone,
    tiers: run.tiers === 1,
    startedAt: run.started_at,
    resumed: run.resumed,
    endedAt: run.ended_at,
    slicesPlanned: run.slices_planned,
    slicesDone: run.slices_done,
    slicesUnproven: run.slices_unproven,
    rows: run.rows,
    changed: run.changed,
    gone: run.gone,
    quarantined: run.quarantined,
  };
}

type Row = Record<string, unknown>;

/** What a row of `fundings` is compared by. */
export function toStored(row: Row): StoredFunding {
  return {
    id: String(row.id),
    hash: String(row.hash),
    orderKey: String(row.order_key),
    currency: String(row.currency),
  };
}

/** A row of `funding_quarantine`. */
export function toQuarantined(row: Row): QuarantinedRecord {
  return {
    id: String(row.id),
    day: String(row.slice_day),
    orderKey: String(row.order_key),
    reason: String(row.reason),
    raw: String(row.raw),
  };
}

/** Rows of a count and three sums as text, one for each currency. */
export function toSums(rows: readonly Row[]): CurrencySums {
  const sums: CurrencySums = {};
  for (const row of rows) {
    sums[String(row.currency)] = {
      count: Number(row.count),
      transaction: String(row.transactions),
      discount: String(row.discounts),
      net: String(row.nets),
    };
  }
  return sums;
}
