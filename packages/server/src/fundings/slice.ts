import { orderKeyOf } from '../order-key.ts';
import type { SliceRow } from './books.ts';
import type { DayRecords, FiledRecord, ReadRecord } from './record.ts';

/** A funding as the store has it. */
export interface StoredFunding {
  id: string;
  hash: string;
  orderKey: string;
  currency: string;
}

/**
 * All records of a day out of the windows that may hold some of it: its own, and those before and
 * after, of a service whose days are not ours. A moment is in a window with all its records or with
 * none, so a record that is in two windows is in each as often as it is there.
 */
export function recordsOfDay(windows: readonly DayRecords[]): ReadRecord[] {
  const filled = windows.filter(({ length }) => length > 0).map((records) => [...records]);
  const [only] = filled;
  if (only === undefined) return [];
  if (filled.length === 1) return only;
  const most = new Map<string, ReadRecord[]>();
  for (const records of filled) {
    for (const [hash, same] of Map.groupBy(records, (record) => record.hash)) {
      if (same.length > (most.get(hash)?.length ?? 0)) most.set(hash, same);
    }
  }
  return [...most.values()].flat();
}

/** Gives each record of a day its id, in the order of ids. */
export function fileRecords(day: string, records: readonly ReadRecord[]): FiledRecord[] {
  const order = [...records].sort(
    (one, other) => compare(one.identity, other.identity) || compare(one.hash, other.hash),
  );
  let before: string | undefined;
  let ordinal = 1;
  return order.map((record) => {
    ordinal = record.identity === before ? ordinal + 1 : 1;
    before = record.identity;
    const identity = ordinal === 1 ? record.identity : `${record.identity}~${ordinal}`;
    const { merchantOrderId } = record;
    const orderKey =
      merchantOrderId === undefined ? `funding:${identity}` : orderKeyOf(merchantOrderId);
    return new Filed(`${day}:${identity}`, day, orderKey, record);
  });
}

/** A record that is filed, and not copied: of a day there are many thousands. */
class Filed implements FiledRecord {
  readonly id: string;
  readonly day: string;
  readonly orderKey: string;
  readonly #record: ReadRecord;

  constructor(id: string, day: string, orderKey: string, record: ReadRecord) {
    this.id = id;
    this.day = day;
    this.orderKey = orderKey;
    this.#record = record;
  }

  get merchantOrderId(): string | undefined {
    return this.#record.merchantOrderId;
  }

  get hash(): string {
    return this.#record.hash;
  }

  get raw(): string {
    return this.#record.raw;
  }
}

/** What has to be done so that the store has what the service states. */
export interface SliceDifference {
  changed: { record: FiledRecord; stored: StoredFunding | undefined }[];
  gone: StoredFunding[];
}

/** Both in any order. */
export function difference(
  records: readonly FiledRecord[],
  stored: readonly StoredFunding[],
): SliceDifference {
  const left = new Map(stored.map((funding) => [funding.id, funding]));
  const changed: SliceDifference['changed'] = [];
  for (const record of records) {
    const known = left.get(record.id);
    left.delete(record.id);
    if (known?.hash !== record.hash) changed.push({ record, stored: known });
  }
  return { changed, gone: [...left.values()] };
}

/** The id's part that stays when a funding is re-dated. */
export function identityOfId(id: string): string {
  return id.slice(id.indexOf(':') + 1);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A day of which nothing is known. */
export function emptySlice(day: string, zone: string): SliceRow {
  return {
    day,
    state: 'failed',
    reason: undefined,
    runId: '',
    passes: 0,
    pages: 0,
    overlaps: 0,
    rows: 0,
    changed: 0,
    gone: 0,
    quarantined: 0,
    sums: {},
    hash: '',
    zone,
    syncedAt: undefined,
  };
}
