import { MAX_RECORD } from '../file-record.ts';
import { unreadableWorkbook } from './limits.ts';
import type { PartReader } from './xml.ts';

/** Length of `<si/>`, the shortest text. */
const SHORTEST = 5;

/** A workbook's shared texts, stored as bytes because there may be millions. */
export class SharedTexts {
  readonly #bytes: Buffer;
  readonly #ends: Uint32Array;
  #count = 0;

  /** @param size of the part in bytes. A UTF-16 part may need up to one and a half times its size here. */
  constructor(size: number) {
    this.#bytes = Buffer.alloc(Math.ceil(size * 1.5));
    this.#ends = new Uint32Array(Math.ceil(size / SHORTEST) + 1);
  }

  add(text: string): void {
    const from = this.#ends[this.#count] ?? 0;
    this.#count += 1;
    this.#ends[this.#count] = from + this.#bytes.write(text, from);
  }

  /** Returns the text with an index, from 0; undefined if there is none. */
  get(index: number): string | undefined {
    if (index >= this.#count) return undefined;
    return this.#bytes.toString('utf8', this.#ends[index], this.#ends[index + 1]);
  }
}

/** Collects a text from its runs, except phonetic ones (ECMA-376 part 1, 18.4). */
export class TextRuns {
  text = '';

  /** Returns whether to read a text's element; undefined for any other element. */
  open(name: string, parent: string): boolean | undefined {
    const [isText, isRun] = [parent === 'si' || parent === 'is', parent === 'r'];
    if (!isText && !isRun) return undefined;
    if (name === 't' || (isText && name === 'r')) return true;
    return ['rPr', 'rPh', 'phoneticPr'].includes(name) ? false : undefined;
  }

  add(text: string): void {
    this.text += text;
    if (this.text.length > MAX_RECORD) throw unreadableWorkbook(undefined, 'a text of it');
  }

  /** Returns the text and starts the next one. */
  take(): string {
    const { text } = this;
    this.text = '';
    return unescaped(text);
  }
}

/** Returns a text of the type `ST_Xstring` (ECMA-376 part 1, 22.9.2.19). */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\da-f]{4})_/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Returns the reader of `xl/sharedStrings.xml` (ECMA-376 part 1, 18.4.9). */
export function textReader(texts: SharedTexts): PartReader {
  const runs = new TextRuns();
  return {
    open(name, parent) {
      if (parent === '' || parent === 'sst') {
        if (name === (parent === '' ? 'sst' : 'si')) return true;
        if (parent === 'sst' && name === 'extLst') return false;
        throw unreadableWorkbook(undefined, 'its list of shared texts');
      }
      const isRead = runs.open(name, parent);
      if (isRead === undefined) throw unreadableWorkbook(undefined, 'its list of shared texts');
      return isRead;
    },
    text(text, parent) {
      if (parent === 't') runs.add(text);
    },
    close(name) {
      if (name === 'si') texts.add(runs.take());
    },
  };
}
