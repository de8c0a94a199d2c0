import { LedgerImportError } from '../../import-error.ts';
import { Archive } from './archive.ts';
import { columnLetters, type DecimalSeparator } from './cell.ts';
import { unreadableWorkbook } from './limits.ts';
import { MergedAreas } from './merged-areas.ts';
import { readParts, type Sheet, type WorkbookParts } from './parts.ts';
import { SheetReader } from './sheet.ts';
import type { CellKind, SheetRow } from './sheet-row.ts';
import { readPart, readWholePart } from './xml.ts';

/** Maximum number of sheets to list in a message and to check for content. */
const MAX_LISTED = 20;

/** A sheet that has rows. */
interface Worksheet extends Sheet {
  part: string;
}

/** Parts of a workbook that are hidden or displayed with another value. */
interface Unseen {
  kind: Exclude<CellKind, 'zero'> | 'hidden-sheet' | 'other-sheet' | 'hidden-row' | 'filtered-row';
  /** Number of such sheets, columns or rows. */
  count: number;
  /** The first few sheet names, row numbers or column letters. */
  places: string[];
}

class UnseenList {
  readonly all: Unseen[] = [];

  add(kind: Unseen['kind'], place: string, count = 1): void {
    let found = this.all.find((one) => one.kind === kind);
    if (found === undefined) this.all.push((found = { kind, count: 0, places: [] }));
    found.count += count;
    if (found.places.length < MAX_LISTED) found.places.push(place);
  }
}

/** An .xlsx file. It is opened when first read. */
export class Workbook {
  readonly #file: string;
  #opened: Promise<{ archive: Archive; parts: WorkbookParts }> | undefined;
  #filled: Promise<Worksheet[]> | undefined;
  readonly #merged = new Map<string, Promise<readonly string[]>>();

  constructor(file: string) {
    this.#file = file;
  }

  async close(): Promise<void> {
    await (await this.#opened?.catch(() => undefined))?.archive.close();
  }

  /**
   * Returns the sheets with content, including hidden ones. Sheets beyond the 20th are assumed to
   * have content.
   * @throws {LedgerImportError} for a workbook that cannot be read
   */
  sheets(): Promise<Worksheet[]> {
    this.#filled ??= this.#filledSheets();
    return this.#filled;
  }

  async #filledSheets(): Promise<Worksheet[]> {
    const worksheets = (await this.#open()).parts.sheets.filter(isWorksheet);
    const filled: Worksheet[] = [];
    for (const [at, sheet] of worksheets.entries()) {
      if (at >= MAX_LISTED || (await this.#hasContent(sheet))) filled.push(sheet);
    }
    return filled;
  }

  /**
   * Yields the rows of a sheet that have content. Formulas yield their stored value; links to other
   * files are not followed.
   * @param asked name of the sheet, or its number from 1 @default the only one with content
   * @param decimal decimal separator of numbers
   * @throws {LedgerImportError} for a workbook that cannot be read
   */
  async *rows(
    asked: string | undefined,
    decimal: DecimalSeparator = 'point',
  ): AsyncGenerator<SheetRow> {
    const sheet = await this.#sheetOf(asked);
    yield* this.#read(sheet, await this.#mergedOf(sheet), decimal);
  }

  /**
   * Returns the parts of the workbook that are hidden or displayed with another value.
   * @param asked the sheet to read to its end @default none
   * @throws {LedgerImportError} for a workbook that cannot be read
   */
  async unseen(asked: string | undefined): Promise<Unseen[]> {
    const found = new UnseenList();
    for (const sheet of await this.sheets()) {
      if (sheet.isHidden) found.add('hidden-sheet', sheet.name);
    }
    for (const sheet of (await this.#open()).parts.sheets) {
      if (!isWorksheet(sheet)) found.add('other-sheet', sheet.name);
    }
    if (asked !== undefined) await this.#addUnseen(found, await this.#sheetOf(asked));
    return found.all;
  }

  async #addUnseen(found: UnseenList, sheet: Worksheet): Promise<void> {
    const reader = await this.#readerOf(sheet, await this.#mergedOf(sheet), 'point');
    const hidden = new UnseenList();
    for await (const { isHidden, line, marks } of this.#parsed(sheet, reader)) {
      if (isHidden) hidden.add('hidden-row', String(line));
      for (const kind of new Set(Array.from(marks.values(), ({ kind }) => kind))) {
        // Hidden columns are listed below, and a formula may have the value 0.
        if (kind !== 'hidden-column' && kind !== 'zero') found.add(kind, String(line));
      }
    }
    for (const { from, until } of reader.hiddenColumns) {
      const [first, last] = [columnLetters(from), columnLetters(until)];
      found.add('hidden-column', first === last ? first : `${first}:${last}`, until - from + 1);
    }
    for (const { count, places } of hidden.all) {
      found.all.push({ kind: reader.hasFilter ? 'filtered-row' : 'hidden-row', count, places });
    }
  }

  async *#read(
    sheet: Worksheet,
    merged: MergedAreas,
    decimal: DecimalSeparator,
  ): AsyncGenerator<SheetRow> {
    yield* this.#parsed(sheet, await this.#readerOf(sheet, merged, decimal));
  }

  async #readerOf(
    { name }: Worksheet,
    merged: MergedAreas,
    decimal: DecimalSeparator,
  ): Promise<SheetReader> {
    const { parts } = await this.#open();
    return new SheetReader({ name, parts, decimal, merged });
  }

  async *#parsed(sheet: Worksheet, reader: SheetReader): AsyncGenerator<SheetRow> {
    const { archive } = await this.#open();
    const place = placeOf(sheet);
    for await (const read of readPart(archive.read(sheet.part), reader, place)) {
      yield* read.take();
    }
  }

  /** Reads a sheet's merged areas, which are stored after its rows. */
  async #mergedOf(sheet: Worksheet): Promise<MergedAreas> {
    const { part } = sheet;
    const found = this.#merged.get(part) ?? this.#areasOf(sheet);
    this.#merged.set(part, found);
    return new MergedAreas(await found);
  }

  async #areasOf(sheet: Worksheet): Promise<readonly string[]> {
    const { archive } = await this.#open();
    if (!(await mayBeMerged(archive.read(sheet.part)))) return [];
    const reader = await this.#readerOf(sheet, new MergedAreas(), 'point');
    await readWholePart(archive.read(sheet.part), reader, placeOf(sheet));
    return reader.areas;
  }

  #open(): Promise<{ archive: Archive; parts: WorkbookParts }> {
    this.#opened ??= opened(this.#file);
    return this.#opened;
  }

  async #hasContent(sheet: Worksheet): Promise<boolean> {
    for await (const { line } of this.#read(sheet, new MergedAreas(), 'point')) return line > 0;
    return false;
  }

  async #sheetOf(asked: string | undefined): Promise<Worksheet> {
    const { sheets } = (await this.#open()).parts;
    const worksheets = sheets.filter(isWorksheet);
    if (asked !== undefined) {
      const found = sheets.find(({ name }) => name === asked) ?? sheets[Number(asked) - 1];
      if (found && isWorksheet(found)) return found;
      const reason = found
        ? 'This sheet of the workbook has no rows'
        : 'The workbook has no such sheet';
      throw new LedgerImportError(`${reason}: set \`sheet\` to one of ${listOf(worksheets)}.`);
    }
    const filled = worksheets.length > 1 ? await this.sheets() : worksheets;
    const [only, ...others] = filled.length > 0 ? filled : worksheets.slice(0, 1);
    if (only === undefined) throw unreadableWorkbook();
    if (others.length === 0 && !only.isHidden) return only;
    throw new LedgerImportError(
      `The workbook has ${others.length > 0 ? 'several sheets' : 'a hidden sheet alone'}: set \`sheet\` to one of ${listOf(filled)}.`,
    );
  }
}

function isWorksheet(sheet: Sheet): sheet is Worksheet {
  return sheet.part !== undefined;
}

async function opened(file: string): Promise<{ archive: Archive; parts: WorkbookParts }> {
  const archive = await Archive.open(file);
  try {
    const parts = await readParts(archive);
    if (!parts.sheets.some(isWorksheet)) throw unreadableWorkbook();
    return { archive, parts };
  } catch (error) {
    await archive.close();
    throw error;
  }
}

/**
 * Returns whether a part may contain merged cells, judging by the bytes of the element's name. In
 * UTF-16, each byte is followed by a zero byte.
 */
async function mayBeMerged(bytes: AsyncIterable<Uint8Array>): Promise<boolean> {
  const word = 'mergeCell';
  let before = Buffer.alloc(0);
  for await (const piece of bytes) {
    const here = Buffer.concat([before, piece]);
    if (here.includes(word) || here.includes(0)) return true;
    before = Buffer.from(here.subarray(1 - word.length));
  }
  return false;
}

function placeOf({ name }: Worksheet): string {
  return `its sheet "${name.slice(0, 31)}"`;
}

function listOf(sheets: readonly Sheet[]): string {
  return sheets
    .slice(0, MAX_LISTED)
    .map(({ isHidden, name }) => `"${name.slice(0, 31)}"${isHidden ? ' (hidden)' : ''}`)
    .join(', ');
}
