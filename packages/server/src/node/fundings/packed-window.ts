import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Bundle, DayRecords, type ReadRecord } from '../../fundings/record.ts';
import type { KeepRecords, ReadWindow } from '../../fundings/window.ts';

/**
 * A window on its way to another thread, and while it waits there: the records of a page are one
 * buffer, which is handed over and not copied, and which no garbage collector looks through.
 */
export interface PackedWindow extends Omit<ReadWindow, 'days'> {
  days: Map<string, PackedRecords[]>;
}

interface PackedRecords {
  /**
   * What each came as, one after the other in UTF-8, and then JSON of identity, order, hash and why
   * it is unreadable, in turn; null for what there is not.
   */
  bytes: Uint8Array<ArrayBuffer>;
  /** How many they are when they are inflated; undefined: they are not deflated. */
  inflatedBytes: number | undefined;
  /** Where each ends. */
  ends: Uint32Array<ArrayBuffer>;
}

/** Records of a window that are kept as they are: to deflate them takes longer than to read them. */
const PLAIN_RECORDS = 20_000;

/** Keeps records so that they can be handed over; those of a large window in a seventh of the space. */
export const keepPacked: KeepRecords = (records, ahead) =>
  new PackedBundle('', packRecords(records, ahead >= PLAIN_RECORDS));

/** @param window one whose records {@link keepPacked} has kept */
export function packWindow({ days, ...window }: ReadWindow): PackedWindow {
  const packed = Array.from(days, ([day, { bundles }]) => [day, bundles.map(packedOf)] as const);
  return { ...window, days: new Map(packed) };
}

function packedOf(bundle: Bundle): PackedRecords {
  if (!(bundle instanceof PackedBundle)) throw new Error('Records were not packed.');
  return bundle.packed;
}

/** What is handed over with it. */
export function buffersOf({ days }: PackedWindow): ArrayBuffer[] {
  return [...days.values()].flat().flatMap(({ bytes, ends }) => [bytes.buffer, ends.buffer]);
}

export function unpackWindow({ days, ...window }: PackedWindow): ReadWindow {
  const unpacked = Array.from(days, ([day, packed]) => {
    const bundles = packed.map((records) => new PackedBundle(day, records));
    return [day, new DayRecords(bundles)] as const;
  });
  return { ...window, days: new Map(unpacked) };
}

function packRecords(records: readonly ReadRecord[], isDeflated: boolean): PackedRecords {
  const texts: (string | null)[] = [];
  const ends = new Uint32Array(records.length);
  let size = 0;
  for (const [at, { identity, merchantOrderId, hash, unreadable, raw }] of records.entries()) {
    texts.push(identity, merchantOrderId ?? null, hash, unreadable ?? null);
    size += Buffer.byteLength(raw);
    ends[at] = size;
  }
  const text = JSON.stringify(texts);
  // A buffer of its own: small ones share theirs, which then could not be handed over.
  const bytes = Buffer.from(new ArrayBuffer(size + Buffer.byteLength(text)));
  let start = 0;
  for (const { raw } of records) start += bytes.write(raw, start);
  bytes.write(text, start);
  if (!isDeflated) return { bytes, inflatedBytes: undefined, ends };
  const deflated = Uint8Array.from(deflateRawSync(bytes, { level: 1 }));
  const inflatedBytes = bytes.length;
  drop(bytes);
  return { bytes: deflated, inflatedBytes, ends };
}

/** Half a megabyte and more: until the garbage collector thinks of them, dozens would have piled up. */
function drop({ buffer }: Uint8Array<ArrayBuffer>): void {
  buffer.transfer(0);
}

/** Records that are made when they are asked for. */
class PackedBundle implements Bundle {
  readonly packed: PackedRecords;
  readonly #day: string;

  constructor(day: string, packed: PackedRecords) {
    this.#day = day;
    this.packed = packed;
  }

  get length(): number {
    return this.packed.ends.length;
  }

  get bytes(): number {
    return this.packed.bytes.byteLength + this.packed.ends.byteLength;
  }

  *[Symbol.iterator](): Generator<ReadRecord> {
    const { ends } = this.packed;
    const texts = this.read(ends.at(-1) ?? 0);
    const values = JSON.parse(texts) as (string | null)[];
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
        this,
        start,
        end,
      );
      start = end;
    }
  }

  /** The text between two places of the bytes. */
  read(start: number, end?: number): string {
    return plainBytes(this.packed).toString('utf8', start, end);
  }

  free(): void {
    forget(this.packed);
    drop(this.packed.bytes);
  }
}

/** Bundles that are inflated at a time: those of the records that are written together, and some. */
const MAX_INFLATED = 24;
const inflated = new Map<PackedRecords, Buffer<ArrayBuffer>>();

function plainBytes(packed: PackedRecords): Buffer {
  const { bytes, inflatedBytes } = packed;
  if (inflatedBytes === undefined) return Buffer.from(bytes.buffer);
  const known = inflated.get(packed);
  if (known) return known;
  const [oldest] = inflated.keys();
  if (oldest && inflated.size >= MAX_INFLATED) forget(oldest);
  // With room for all of it, it comes as one buffer.
  const plain = inflateRawSync(bytes, { chunkSize: Math.max(64, inflatedBytes) });
  inflated.set(packed, plain);
  return plain;
}

function forget(packed: PackedRecords): void {
  const plain = inflated.get(packed);
  inflated.delete(packed);
  // A small one may lie in a buffer that is shared.
  if (plain && plain.byteLength === plain.buffer.byteLength) drop(plain);
}

class PackedRecord implements ReadRecord {
  readonly day: string;
  readonly identity: string;
  readonly merchantOrderId: string | undefined;
  readonly hash: string;
  readonly unreadable: string | undefined;
  readonly #bundle: PackedBundle;
  readonly #start: number;
  readonly #end: number;

  constructor(texts: Omit<ReadRecord, 'raw'>, bundle: PackedBundle, start: number, end: number) {
    this.day = texts.day;
    this.identity = texts.identity;
    this.merchantOrderId = texts.merchantOrderId;
    this.hash = texts.hash;
    this.unreadable = texts.unreadable;
    this.#bundle = bundle;
    this.#start = start;
    this.#end = end;
  }

  get raw(): string {
    return this.#bundle.read(this.#start, this.#end);
  }
}
