import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { sha256 } from '../platform/digest.ts';

/** Stored format of content: NDJSON, compressed with zstd. */
export interface PackedContent {
  content: Uint8Array;
  /** SHA-256 of the uncompressed text, in hexadecimal. */
  sha256: string;
  /** Number of lines of the text. */
  count: number;
}

/** Stored content cannot be read. The message contains nothing from the content. */
export class ContentError extends Error {
  override readonly name = 'ContentError';
  readonly code: 'content-too-large' | 'content-damaged';

  constructor(code: ContentError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Default level of zstd: 1 µs per record; a higher level takes several times as long to save 10 %.
 */
const LEVEL = 3;
/**
 * Maximum size of the text of one content, in bytes. A day of two million records takes half of
 * that.
 */
const MAX_TEXT_BYTES = 1_073_741_824;
const LINE_FEED = 10;

/** Compresses a text that is already NDJSON, with a line feed after each line. */
export function packText(text: Uint8Array): PackedContent {
  const content = zstdCompressSync(text, {
    params: {
      [constants.ZSTD_c_compressionLevel]: LEVEL,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  });
  return { content, sha256: sha256(text), count: countLines(text) };
}

/** Writes each record as a line of JSON and compresses the text. */
export function packRecords(records: Iterable<unknown>): PackedContent {
  const blocks: Buffer[] = [];
  let lines: string[] = [];
  const flush = () => {
    if (lines.length > 0) blocks.push(Buffer.from(`${lines.join('\n')}\n`));
    lines = [];
  };
  for (const record of records) {
    lines.push(JSON.stringify(record));
    if (lines.length === 1_000) flush();
  }
  flush();
  return packText(Buffer.concat(blocks));
}

/**
 * Returns the text of stored content after verifying its hash and number of lines.
 * @param maxBytes rejects a longer text before it exhausts memory @throws {ContentError}
 */
export function unpackText(
  packed: PackedContent,
  { maxBytes = MAX_TEXT_BYTES }: { maxBytes?: number } = {},
): Buffer {
  let text: Buffer;
  try {
    text = zstdDecompressSync(packed.content, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new ContentError(
        'content-too-large',
        `A stored content has more than ${maxBytes} bytes of text.`,
      );
    }
    throw damaged();
  }
  if (sha256(text) !== packed.sha256 || countLines(text) !== packed.count) throw damaged();
  return text;
}

/** Yields the records of stored content. @throws {ContentError} */
export function* unpackRecords(
  packed: PackedContent,
  options: { maxBytes?: number } = {},
): Generator {
  const text = unpackText(packed, options);
  // Decodes line by line: the whole text may exceed the maximum length of a string.
  for (let start = 0; start < text.length;) {
    const end = text.indexOf(LINE_FEED, start);
    yield JSON.parse(text.toString('utf8', start, end));
    start = end + 1;
  }
}

function damaged(): ContentError {
  return new ContentError(
    'content-damaged',
    'A stored content is corrupt. Restore a backup of the record store.',
  );
}

function countLines(text: Uint8Array): number {
  let count = 0;
  for (let at = text.indexOf(LINE_FEED); at !== -1; at = text.indexOf(LINE_FEED, at + 1))
    count += 1;
  if (text.length > 0 && text.at(-1) !== LINE_FEED) {
    throw new RangeError('The last line of a content lacks a line feed.');
  }
  return count;
}
