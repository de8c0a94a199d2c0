import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { LedgerImportError } from '../../import-error.ts';
import {
  damagedArchive,
  MAX_ENTRIES,
  MAX_RATIO,
  MAX_UNPACKED,
  MAX_WORKBOOK,
  SMALL_UNPACKED,
  unpacksTooLarge,
  workbookTooLarge,
} from './limits.ts';

const END_BYTES = 22;
const LOCATOR = 0x07_06_4b_50;
const LOCATOR_BYTES = 20;
const END_64_BYTES = 56;
/** Size of the ZIP64 end record's signature and length, which its own size excludes. */
const END_64_LEAD = 12;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const MAX_16 = 0xff_ff;
const MAX_32 = 0xff_ff_ff_ff;
const ZIP64_FIELD = 1;
const STORED = 0;
const DEFLATED = 8;

/**
 * A ZIP archive, read according to its central directory. Of a local header, only the length is
 * used: writers that stream a file state no sizes there.
 */
export class Archive {
  readonly #zip: ZipFile;
  readonly #handle: FileHandle;
  readonly #entries: ReadonlyMap<string, Entry>;

  /** @throws {LedgerImportError} for an archive that contradicts itself, or unpacks to too much */
  static async open(path: string): Promise<Archive> {
    const handle = await open(path);
    try {
      const { size } = await handle.stat();
      if (size > MAX_WORKBOOK) throw workbookTooLarge();
      const zip = await fromFdPromise(handle.fd, { autoClose: false });
      return new Archive(zip, handle, await entriesOf(zip, handle, size));
    } catch (error) {
      await handle.close();
      throw explained(error);
    }
  }

  private constructor(zip: ZipFile, handle: FileHandle, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#handle = handle;
    this.#entries = entries;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** Returns a part's unpacked size in bytes; undefined if there is no part with this name. */
  sizeOf(name: string): number | undefined {
    return this.#entries.get(name.toLowerCase())?.uncompressedSize;
  }

  /**
   * Unpacks a part. Its size and checksum must match the central directory.
   * @throws {LedgerImportError}
   */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(name.toLowerCase());
    if (entry === undefined) throw damagedArchive();
    try {
      let sum = 0;
      for await (const piece of await this.#zip.openReadStreamPromise(entry)) {
        sum = crc32(piece as Buffer, sum);
        yield piece as Buffer;
      }
      if (sum !== entry.crc32) throw damagedArchive();
    } catch (error) {
      throw explained(error);
    }
  }
}

/** Reads the central directory, which must occupy exactly the stated range. */
async function entriesOf(
  zip: ZipFile,
  handle: FileHandle,
  size: number,
): Promise<Map<string, Entry>> {
  const { count, from, until } = await directoryOf(zip, handle, size);
  if (count > MAX_ENTRIES) throw unpacksTooLarge();
  if (zip.entryCount !== count) throw damagedArchive();
  const entries = new Map<string, Entry>();
  let at = from;
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    at += ENTRY_BYTES + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    checkEntry(entry);
    unpacked += entry.uncompressedSize;
    if (unpacked > Math.min(MAX_UNPACKED, SMALL_UNPACKED + MAX_RATIO * size)) {
      throw unpacksTooLarge();
    }
    // Names of parts are compared without case (ECMA-376 part 2, 6.2.2.3).
    entries.set(entry.fileName.toLowerCase(), entry);
  }
  if (at !== until || entries.size !== count) throw damagedArchive();
  checkPlaces([...entries.values()], from);
  return entries;
}

interface Directory {
  count: number;
  /** Positions in the file; `until` is exclusive. */
  from: number;
  until: number;
}

/**
 * Returns the location of the central directory. Both end records of a ZIP64 archive must agree,
 * because readers differ in which one they use.
 */
async function directoryOf(zip: ZipFile, handle: FileHandle, size: number): Promise<Directory> {
  const bytesAt = async (position: number, length: number) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
    if (bytesRead < length) throw damagedArchive();
    return buffer;
  };
  // The comment comes last in the file, and has one character per byte.
  const at = size - END_BYTES - zip.comment.length;
  const end = await bytesAt(at, END_BYTES);
  const ofDisk = end.readUInt16LE(8);
  const count = end.readUInt16LE(10);
  const length = end.readUInt32LE(12);
  const from = end.readUInt32LE(16);
  const locator = at < LOCATOR_BYTES ? undefined : await bytesAt(at - LOCATOR_BYTES, LOCATOR_BYTES);
  if (locator?.readUInt32LE(0) !== LOCATOR) {
    if (ofDisk !== count || from + length !== at) throw damagedArchive();
    return { count, from, until: at };
  }
  const at64 = numberAt(locator, 8);
  const end64 = await bytesAt(at64, END_64_BYTES);
  if (at64 + END_64_LEAD + numberAt(end64, 4) !== at - LOCATOR_BYTES) throw damagedArchive();
  const stated = {
    count: numberAt(end64, 32),
    length: numberAt(end64, 40),
    from: numberAt(end64, 48),
  };
  const agrees =
    numberAt(end64, 24) === stated.count &&
    [ofDisk, count].every((value) => value === MAX_16 || value === stated.count) &&
    [MAX_32, stated.length].includes(length) &&
    [MAX_32, stated.from].includes(from);
  if (!agrees || stated.from + stated.length !== at64) throw damagedArchive();
  return { count: stated.count, from: stated.from, until: at64 };
}

function numberAt(bytes: Buffer, position: number): number {
  return Number(bytes.readBigUInt64LE(position));
}

function checkEntry(entry: Entry): void {
  const { compressionMethod, extraFields } = entry;
  const isReadable = [STORED, DEFLATED].includes(compressionMethod) && !entry.isEncrypted();
  const fields = extraFields.filter(({ id }) => id === ZIP64_FIELD);
  if (!isReadable || fields.length > 1 || !fields.every(({ data }) => agrees(entry, data))) {
    throw damagedArchive();
  }
}

/**
 * Returns whether a ZIP64 field agrees with the entry. The field holds values that do not fit into
 * the entry, but some writers repeat all values in it.
 */
function agrees(entry: Entry, data: Buffer): boolean {
  const { compressedSize, relativeOffsetOfLocalHeader, uncompressedSize } = entry;
  const whole = [uncompressedSize, compressedSize, relativeOffsetOfLocalHeader];
  const disk = data.length % 8;
  // Unneeded values may be missing, but the order is fixed (APPNOTE, 4.5.3).
  let next = 0;
  for (let at = 0; at + 8 <= data.length; at += 8) {
    next = whole.indexOf(numberAt(data, at), next) + 1;
    if (next === 0) return false;
  }
  return disk === 0 || (disk === 4 && data.readUInt32LE(data.length - disk) === 0);
}

/** Checks that entries do not overlap and lie before the central directory. */
function checkPlaces(entries: readonly Entry[], until: number): void {
  const places = entries
    .map(({ compressedSize, fileNameLength, relativeOffsetOfLocalHeader: from }) => ({
      from,
      until: from + LOCAL_BYTES + fileNameLength + compressedSize,
    }))
    .toSorted((one, other) => one.from - other.from);
  places.forEach((place, at) => {
    if (place.until > (places[at + 1]?.from ?? until)) throw damagedArchive();
  });
}

/** Returns an error with advice, because the archive reader's own errors may quote the file. */
function explained(error: unknown): LedgerImportError {
  return error instanceof LedgerImportError ? error : damagedArchive(error);
}
