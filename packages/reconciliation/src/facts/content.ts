import { zstdDecompressSync } from 'node:zlib';
import { sha256 } from '../platform/digest.ts';
import type { OldContent } from './store.ts';

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
 * Maximum size of the text of one content, in bytes. A day of two million records takes half of
 * that.
 */
const MAX_TEXT_BYTES = 1_073_741_824;
const LINE_FEED = 10;

/**
 * Returns the NDJSON of a content in the format of version 0.2.0 after verifying its hash and number
 * of lines.
 * @param maxBytes rejects a longer text before it exhausts memory @throws {ContentError}
 */
export function unpackOldContent(
  packed: OldContent,
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
    throw damagedContent();
  }
  if (sha256(text) !== packed.sha256 || countLines(text) !== packed.count) throw damagedContent();
  return text;
}

/** Returns the error for corrupt content. */
export function damagedContent(): ContentError {
  return new ContentError(
    'content-damaged',
    'A stored content is corrupt. Restore a backup of the record store.',
  );
}

function countLines(text: Uint8Array): number {
  let count = 0;
  for (let at = text.indexOf(LINE_FEED); at !== -1; at = text.indexOf(LINE_FEED, at + 1))
    count += 1;
  return count;
}
