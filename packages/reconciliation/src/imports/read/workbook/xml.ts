import { type SaxesAttributeNS, SaxesParser } from 'saxes';
import { LedgerImportError } from '../../import-error.ts';
import { decoderOf, encodingOf } from '../encoding.ts';
import { unreadableWorkbook } from './limits.ts';

/** Namespaces of SpreadsheetML: ECMA-376 part 1, transitional and strict. */
const spreadsheet = new Set([
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
]);
/** Maximum length of a tag or text, in characters, because the parser holds it in memory. */
const MAX_PIECE = 1_048_576;
const MAX_DEPTH = 256;

export type Attributes = Readonly<Record<string, SaxesAttributeNS>>;

/** Receives a part's elements. Elements of other namespaces have empty names. */
export interface PartReader {
  /**
   * Receives a start tag.
   * @param parent name of the parent element, empty for the root
   * @returns false to skip the element with its content
   * @throws {LedgerImportError} for an element that the standard does not allow here
   */
  open(name: string, parent: string, attributes: Attributes): boolean;
  /** Receives a text, which may be only a piece of its element's text. */
  text?(text: string, parent: string): void;
  close?(name: string, parent: string): void;
}

/**
 * Reads a part of a workbook, which must be well-formed XML without a document type declaration
 * (ECMA-376 part 2, 6.2.5). After each chunk, yields the reader, which has received the chunk's
 * elements.
 * @param place name of the part for messages
 * @throws {LedgerImportError}
 */
export async function* readPart<Reader extends PartReader>(
  bytes: AsyncIterable<Uint8Array>,
  reader: Reader,
  place: string,
): AsyncGenerator<Reader> {
  const parser = new SaxesParser({ xmlns: true });
  const names: string[] = [];
  /** Number of open elements that are being skipped. */
  let left = 0;
  let seen = 0;
  const takeText = (text: string) => {
    seen = parser.position;
    if (left === 0) reader.text?.(text, names.at(-1) ?? '');
  };
  parser.on('text', takeText);
  parser.on('cdata', takeText);
  parser.on('doctype', () => {
    throw unreadableWorkbook(undefined, place);
  });
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    // The decoder uses the byte order mark, so a part must not declare any other encoding.
    if (!/^utf-?(?:8|16)$/i.test(encoding)) throw unreadableWorkbook(undefined, place);
  });
  parser.on('opentag', ({ attributes, local, uri }) => {
    seen = parser.position;
    if (
      left > 0 ||
      !reader.open(spreadsheet.has(uri) ? local : '', names.at(-1) ?? '', attributes)
    ) {
      left += 1;
    } else names.push(local);
    if (names.length + left > MAX_DEPTH) throw unreadableWorkbook(undefined, place);
  });
  parser.on('closetag', ({ local }) => {
    seen = parser.position;
    if (left > 0) {
      left -= 1;
      return;
    }
    names.pop();
    reader.close?.(local, names.at(-1) ?? '');
  });
  try {
    let decoder: ReturnType<typeof decoderOf> | undefined;
    for await (const piece of bytes) {
      decoder ??= decoderOf(encodingOf(piece));
      parser.write(decoder.decode(piece, { stream: true }));
      if (parser.position - seen > MAX_PIECE) throw unreadableWorkbook(undefined, place);
      yield reader;
    }
    parser.write(decoder?.decode() ?? '').close();
    yield reader;
  } catch (error) {
    throw error instanceof LedgerImportError ? error : unreadableWorkbook(error, place);
  }
}

/** Reads a part to its end. */
export async function readWholePart<Reader extends PartReader>(
  bytes: AsyncIterable<Uint8Array>,
  reader: Reader,
  place: string,
): Promise<Reader> {
  const parsed = readPart(bytes, reader, place);
  while ((await parsed.next()).done !== true);
  return reader;
}

/** Returns the value of an attribute without a namespace. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  return attributes[name]?.value;
}

export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
