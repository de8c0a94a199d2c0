import { openToRead } from '@financing-checkout/kit/files';

/** Bytes per read. */
const CHUNK = 262_144;
const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/** A file's lines, which have uniform line endings. */
export interface LineEnds {
  /** Number of lines, excluding blank ones at the end. */
  count: number;
  newline: '\n' | '\r\n';
  /** Number of the last line with a quotation mark; 0 if there is none. */
  quoted: number;
}

/**
 * Counts a file's lines. Returns undefined if a line in the middle is blank, which DuckDB would
 * skip, or if not all lines end the same way, which DuckDB rejects.
 */
export async function lineEndsOf(file: string): Promise<LineEnds | undefined> {
  const lines = new LineEndCount();
  const handle = await openToRead(file);
  try {
    const buffer = Buffer.alloc(CHUNK);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK, null);
      if (bytesRead === 0) break;
      lines.take(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
  return lines.result();
}

class LineEndCount {
  #ends = 0;
  #count = 0;
  #returns = 0;
  #returnEnds = 0;
  #quoted = 0;
  #isBlankAbove = false;
  #isBlankBetween = false;
  /** Length of the current line in bytes, and the last byte of the previous chunk. */
  #length = 0;
  #last: number | undefined;

  take(chunk: Buffer): void {
    for (let at = chunk.indexOf(CR); at >= 0; at = chunk.indexOf(CR, at + 1)) this.#returns += 1;
    const quote = chunk.lastIndexOf(QUOTE);
    let start = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, start)) {
      const isReturn = (at > 0 ? chunk[at - 1] : this.#last) === CR;
      const length = this.#length + at - start;
      this.#end(length === (isReturn ? 1 : 0));
      if (isReturn) this.#returnEnds += 1;
      if (quote >= start) this.#quoted = this.#ends;
      this.#length = 0;
      start = at + 1;
    }
    if (quote >= start) this.#quoted = this.#ends + 1;
    this.#length += chunk.length - start;
    this.#last = chunk.at(-1);
  }

  #end(isBlank: boolean): void {
    this.#ends += 1;
    if (!isBlank) {
      this.#count += 1;
      this.#isBlankBetween ||= this.#isBlankAbove;
    }
    this.#isBlankAbove = isBlank;
  }

  result(): LineEnds | undefined {
    const isOpen = this.#length > 0;
    const isUniform =
      this.#returns === this.#returnEnds && (this.#returns === 0 || this.#returns === this.#ends);
    if (!isUniform || this.#isBlankBetween || (isOpen && this.#isBlankAbove)) return undefined;
    return {
      count: this.#count + (isOpen ? 1 : 0),
      newline: this.#returns > 0 ? '\r\n' : '\n',
      quoted: this.#quoted,
    };
  }
}
