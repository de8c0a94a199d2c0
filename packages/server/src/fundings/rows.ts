import { sliceStates, syncStates } from '@financing-checkout/contract/plain';
import type { CurrencySums, QuarantinedRecord, RunRow, SliceRow, Tally } from './books.ts';
import type { HeldFunding } from './record.ts';
import type { Findings, Share } from './share-books.ts';
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

/** Columns of what was counted, in `funding_runs` and `funding_shares`. */
export const tallyColumns = [
  'slices_done',
  'slices_unproven',
  'rows',
  'changed',
  'gone',
  'quarantined',
] as const;

/** In the order of {@link tallyColumns}. */
export function tallyValues(tally: Tally): number[] {
  return [
    tally.slicesDone,
    tally.slicesUnproven,
    tally.rows,
    tally.changed,
    tally.gone,
    tally.quarantined,
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
  ...tallyColumns,
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
    ...tallyValues(run),
  ];
}

type Row = Record<string, unknown>;

/** Some drivers give 64 bits as text. */
function optionalNumber(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** One of the words that this release writes. @throws when an older or a newer one wrote another */
function oneOf<Word extends string>(words: readonly Word[], value: unknown): Word {
  const word = words.find((known) => known === value);
  if (word === undefined) throw new Error('A state in the store is not one that is known.');
  return word;
}

/** A row of `funding_slices`. */
export function toSlice(row: Row): SliceRow {
  return {
    day: String(row.day),
    state: oneOf(sliceStates, row.state),
    reason: optionalText(row.reason),
    runId: String(row.run_id),
    passes: Number(row.passes),
    pages: Number(row.pages),
    overlaps: Number(row.overlap_rows),
    rows: Number(row.rows),
    changed: Number(row.changed),
    gone: Number(row.gone),
    quarantined: Number(row.quarantined),
    sums: JSON.parse(String(row.sums)) as CurrencySums,
    hash: String(row.hash),
    zone: String(row.zone),
    syncedAt: optionalNumber(row.synced_at),
  };
}

/** A row of `funding_runs`. */
export function toRun(row: Row): RunRow {
  return {
    id: String(row.id),
    state: oneOf(syncStates, row.state),
    reason: optionalText(row.reason),
    fromDay: String(row.from_day),
    toDay: String(row.to_day),
    zone: String(row.zone),
    tiers: Number(row.tiers) === 1,
    startedAt: Number(row.started_at),
    resumed: Number(row.resumed),
    endedAt: optionalNumber(row.ended_at),
    slicesPlanned: Number(row.slices_planned),
    ...toTally(row),
  };
}

/** What was counted, of a row that has {@link tallyColumns}. */
export function toTally(row: Row): Tally {
  return {
    slicesDone: Number(row.slices_done),
    slicesUnproven: Number(row.slices_unproven),
    rows: Number(row.rows),
    changed: Number(row.changed),
    gone: Number(row.gone),
    quarantined: Number(row.quarantined),
  };
}

/** A row of `funding_shares`. */
export function toShare(row: Row): Share {
  return {
    plan: String(row.plan),
    ordinal: Number(row.ordinal),
    runId: String(row.run_id),
    days: JSON.parse(String(row.days)) as string[],
    isDone: row.state === 'done',
    tally: toTally(row),
    findings: JSON.parse(String(row.findings)) as Findings,
  };
}

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
