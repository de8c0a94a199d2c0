import { compareTexts } from '../compare-texts.ts';
import { orderKeyOf } from '../order-key.ts';
import type { SliceRow } from './books.ts';
import type { FiledRecord, ReadRecord } from './record.ts';

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
export function recordsOfDay(windows: readonly Iterable<ReadRecord>[]): ReadRecord[] {
  const filled = windows.map((records) => [...records]).filter(({ length }) => length > 0);
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

/**
 * Records that are written together, in the order of their tables. Of more, the next ones that were
 * read are: what each came as is inflated page by page.
 */
const BLOCK_RECORDS = 20_000;

/** One of a day's records. */
export interface RecordOfDay extends FiledRecord {
  /** Those of a block were read one after the other, and are written together. */
  block: number;
}

/** Gives each record of a day its id, in the order of ids. */
export function fileRecords(day: string, records: readonly ReadRecord[]): RecordOfDay[] {
  const order = records
    .map((record, at) => ({ record, block: Math.floor(at / BLOCK_RECORDS) }))
    .sort(
      ({ record: one }, { record: other }) =>
        compareTexts(one.identity, other.identity) || compareTexts(one.hash, other.hash),
    );
  let before: string | undefined;
  let ordinal = 1;
  return order.map(({ record, block }) => {
    ordinal = record.identity === before ? ordinal + 1 : 1;
    before = record.identity;
    return new Filed(day, record, ordinal, block);
  });
}

/** A record that is filed. What can be made of it is not kept: of a day there are many thousands. */
class Filed implements RecordOfDay {
  readonly day: string;
  readonly block: number;
  readonly #record: ReadRecord;
  readonly #ordinal: number;

  constructor(day: string, record: ReadRecord, ordinal: number, block: number) {
    this.day = day;
    this.block = block;
    this.#record = record;
    this.#ordinal = ordinal;
  }

  get id(): string {
    return `${this.day}:${this.#identity}`;
  }

  get orderKey(): string {
    const { merchantOrderId } = this.#record;
    return merchantOrderId === undefined
      ? `funding:${this.#identity}`
      : orderKeyOf(merchantOrderId);
  }

  get #identity(): string {
    const { identity } = this.#record;
    return this.#ordinal === 1 ? identity : `${identity}~${this.#ordinal}`;
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
  changed: { record: RecordOfDay; stored: StoredFunding | undefined }[];
  gone: StoredFunding[];
}

/** Both in any order. */
export function difference(
  records: readonly RecordOfDay[],
  stored: readonly StoredFunding[],
): SliceDifference {
  const left = new Map(stored.map((funding) => [funding.id, funding]));
  const changed: SliceDifference['changed'] = [];
  for (const record of records) {
    const known = left.get(record.id);
    left.delete(record.id);
    const isSame = known?.hash === record.hash && known.orderKey === record.orderKey;
    if (!isSame) changed.push({ record, stored: known });
  }
  return { changed, gone: [...left.values()] };
}

/** The id's part that stays when a funding is re-dated. */
export function identityOfId(id: string): string {
  return id.slice(id.indexOf(':') + 1);
}

/** Those of `found` that are of the order and the identity of one of `fundings`, on another day. */
export function namesakesOf(
  fundings: readonly { id: string; orderKey: string }[],
  found: readonly StoredFunding[],
): StoredFunding[] {
  const nameOf = ({ id, orderKey }: { id: string; orderKey: string }) =>
    `${identityOfId(id)} ${orderKey}`;
  const wanted = Map.groupBy(fundings, nameOf);
  return found.filter((stored) => wanted.get(nameOf(stored))?.some(({ id }) => id !== stored.id));
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
