import type { DayRecords, ReadRecord } from '../../fundings/record.ts';
import type { ReadWindow } from '../../fundings/window.ts';

/**
 * A window on its way to another thread, and while it waits there: beside its few short texts each
 * record is bytes in one buffer, which is handed over and not copied, and which no garbage collector
 * looks through.
 */
export interface PackedWindow extends Omit<ReadWindow, 'days'> {
  days: Map<string, PackedRecords>;
}

interface PackedRecords {
  /** JSON of identity, order, hash and why it is unreadable, in turn; null for what there is not. */
  texts: string;
  /** What each came as, one after the other, in UTF-8. */
  raws: Uint8Array<ArrayBuffer>;
  /** Where each ends. */
  ends: Uint32Array<ArrayBuffer>;
}

export function packWindow({ days, ...window }: ReadWindow): PackedWindow {
  const packed = Array.from(days, ([day, records]) => [day, packRecords(records)] as const);
  return { ...window, days: new Map(packed) };
}

/** What is handed over with it. */
export function buffersOf({ days }: PackedWindow): ArrayBuffer[] {
  return [...days.values()].flatMap(({ raws, ends }) => [raws.buffer, ends.buffer]);
}

export function unpackWindow({ days, ...window }: PackedWindow): ReadWindow {
  const unpacked = Array.from(
    days,
    ([day, packed]) => [day, new RecordsAsNeeded(day, packed)] as const,
  );
  return { ...window, days: new Map(unpacked) };
}

function packRecords(records: DayRecords): PackedRecords {
  const texts: (string | null)[] = [];
  const ends = new Uint32Array(records.length);
  let size = 0;
  let at = 0;
  for (const { identity, merchantOrderId, hash, unreadable, raw } of records) {
    texts.push(identity, merchantOrderId ?? null, hash, unreadable ?? null);
    size += Buffer.byteLength(raw);
    ends[at++] = size;
  }
  // A buffer of its own: small ones share theirs, which then could not be handed over.
  const raws = Buffer.from(new ArrayBuffer(size));
  let start = 0;
  for (const { raw } of records) start += raws.write(raw, start);
  return { texts: JSON.stringify(texts), raws, ends };
}

/** Records of a day, made when they are asked for. */
class RecordsAsNeeded implements DayRecords {
  readonly length: number;
  readonly #day: string;
  readonly #packed: PackedRecords;

  constructor(day: string, packed: PackedRecords) {
    this.length = packed.ends.length;
    this.#day = day;
    this.#packed = packed;
  }

  *[Symbol.iterator](): Generator<ReadRecord> {
    const { texts, ends, raws } = this.#packed;
    const values = JSON.parse(texts) as (string | null)[];
    const bytes = Buffer.from(raws.buffer);
    let start = 0;
    let at = 0;
    for (const end of ends) {
      yield new PackedRecord(
        {
          day: this.#day,
          identity: values[at++] ?? '',
          merchantOrderId: values[at++] ?? undefined,
          hash: values[at++] ?? '',
          unreadable: values[at++] ?? undefined,
        },
        bytes,
        start,
        end,
      );
      start = end;
    }
  }

  free(): void {
    this.#packed.raws.buffer.transfer(0);
  }
}

class PackedRecord implements ReadRecord {
  readonly day: string;
  readonly identity: string;
  readonly merchantOrderId: string | undefined;
  readonly hash: string;
  readonly unreadable: string | undefined;
  readonly #raws: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(texts: Omit<ReadRecord, 'raw'>, raws: Buffer, start: number, end: number) {
    this.day = texts.day;
    this.identity = texts.identity;
    this.merchantOrderId = texts.merchantOrderId;
    this.hash = texts.hash;
    this.unreadable = texts.unreadable;
    this.#raws = raws;
    this.#start = start;
    this.#end = end;
  }

  get raw(): string {
    return this.#raws.toString('utf8', this.#start, this.#end);
  }
}
