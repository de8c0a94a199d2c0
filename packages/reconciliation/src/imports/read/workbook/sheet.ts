import { LedgerImportError } from '../../import-error.ts';
import { MAX_RECORD, tooLong } from '../file-record.ts';
import {
  cellText,
  columnLetters,
  type DecimalSeparator,
  placeOf,
  type StoredCell,
  wholeNumber,
} from './cell.ts';
import { MAX_COLUMNS, MAX_MERGED, MAX_ROWS, unpacksTooLarge } from './limits.ts';
import type { MergedAreas } from './merged-areas.ts';
import type { WorkbookParts } from './parts.ts';
import { TextRuns } from './shared-texts.ts';
import type { CellMark, SheetRow } from './sheet-row.ts';
import { attribute, type Attributes, isTrue, type PartReader } from './xml.ts';

export interface SheetContext {
  name: string;
  parts: Pick<WorkbookParts, 'is1904' | 'isDate' | 'isUncomputed' | 'texts'>;
  decimal: DecimalSeparator;
  /** Merged areas. The sheet lists them after its rows. */
  merged: MergedAreas;
}

const noMarks: ReadonlyMap<number, CellMark> = new Map();

/** Returns whether a row has a value, or a formula that may yield one. */
function isFilled({ marks, values }: Pick<SheetRow, 'marks' | 'values'>): boolean {
  return values.length > 0 || [...marks.values()].some(({ kind }) => kind === 'uncomputed');
}

/**
 * Reads the rows of a worksheet (ECMA-376 part 1, 18.3.1). Refuses content that violates the
 * standard.
 */
export class SheetReader implements PartReader {
  readonly #context: SheetContext;
  readonly #hiddenColumns: { from: number; until: number }[] = [];
  readonly #areas: string[] = [];
  readonly #runs = new TextRuns();
  #rows: SheetRow[] = [];
  #hasData = false;
  #hasFilter = false;
  #row:
    | { line: number; values: string[]; isHidden: boolean; marks: Map<number, CellMark> }
    | undefined;
  #line = 0;
  #column = 0;
  #cell: StoredCell = { type: 'n', style: undefined, value: undefined, inline: undefined };
  #hasFormula = false;
  #length = 0;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  /** Returns the rows read since the last call. */
  take(): SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  /** Whether the sheet has a filter; known at the end of the sheet. */
  get hasFilter(): boolean {
    return this.#hasFilter;
  }

  /** References of merged areas, such as `A2:A4`; known at the end of the sheet. */
  get areas(): readonly string[] {
    return this.#areas;
  }

  /** Numbers of hidden columns, from 1; known before the first row. */
  get hiddenColumns(): readonly { from: number; until: number }[] {
    return this.#hiddenColumns;
  }

  open(name: string, parent: string, attributes: Attributes): boolean {
    switch (parent) {
      case '':
        if (name !== 'worksheet') throw this.#fault();
        return true;
      case 'worksheet':
        return this.#openPart(name);
      case 'cols':
        if (name === 'col') this.#addColumn(attributes);
        return false;
      case 'mergeCells':
        if (name === 'mergeCell') this.#addArea(attributes);
        return false;
      case 'sheetData':
        if (name !== 'row') throw this.#fault();
        this.#openRow(attributes);
        return true;
      case 'row':
        if (name === 'extLst') return false;
        if (name !== 'c') throw this.#fault();
        this.#openCell(attributes);
        return true;
      case 'c':
        return this.#openValue(name);
      default: {
        const isRead = this.#runs.open(name, parent);
        if (isRead === undefined) throw this.#fault();
        return isRead;
      }
    }
  }

  text(text: string, parent: string): void {
    if (parent === 't') this.#runs.add(text);
    else if (parent === 'v') {
      this.#cell.value = (this.#cell.value ?? '') + text;
      if (this.#cell.value.length > MAX_RECORD) throw this.#fault();
    }
  }

  close(name: string, parent: string): void {
    if (parent === 'sheetData' && name === 'row') this.#closeRow();
    else if (parent === 'row' && name === 'c') this.#closeCell();
    else if (parent === 'c' && name === 'is') this.#cell.inline = this.#runs.take();
  }

  #openPart(name: string): boolean {
    if (name === 'autoFilter') this.#hasFilter = true;
    if (name !== 'sheetData') return name === 'cols' || name === 'mergeCells';
    if (this.#hasData) throw this.#fault();
    this.#hasData = true;
    return true;
  }

  #addColumn(attributes: Attributes): void {
    const from = wholeNumber(attribute(attributes, 'min') ?? '');
    const until = wholeNumber(attribute(attributes, 'max') ?? '');
    if (from === undefined || until === undefined || until > MAX_COLUMNS || from < 1) {
      throw this.#fault();
    }
    if (this.#hiddenColumns.length > MAX_COLUMNS) throw this.#fault();
    const isHidden =
      isTrue(attribute(attributes, 'hidden')) || Number(attribute(attributes, 'width') ?? 1) === 0;
    if (isHidden) this.#hiddenColumns.push({ from, until });
  }

  #addArea(attributes: Attributes): void {
    if (this.#areas.length === MAX_MERGED) throw unpacksTooLarge();
    this.#areas.push(attribute(attributes, 'ref') ?? '');
  }

  #openRow(attributes: Attributes): void {
    const stated = attribute(attributes, 'r');
    const line = stated === undefined ? this.#line + 1 : wholeNumber(stated);
    if (line === undefined || line <= this.#line || line > MAX_ROWS) throw this.#fault();
    this.#line = line;
    this.#column = 0;
    this.#length = 0;
    const isHidden =
      isTrue(attribute(attributes, 'hidden')) || Number(attribute(attributes, 'ht') ?? 1) === 0;
    this.#row = { line, values: [], isHidden, marks: new Map() };
  }

  #openCell(attributes: Attributes): void {
    const stated = attribute(attributes, 'r');
    const place =
      stated === undefined ? { row: this.#line, column: this.#column + 1 } : placeOf(stated);
    const isNext =
      place?.row === this.#line && place.column > this.#column && place.column <= MAX_COLUMNS;
    this.#column = isNext ? place.column : this.#column + 1;
    if (!isNext) throw this.#cellFault();
    this.#cell = {
      type: attribute(attributes, 't') ?? 'n',
      style: attribute(attributes, 's'),
      value: undefined,
      inline: undefined,
    };
    this.#hasFormula = false;
  }

  #openValue(name: string): boolean {
    const isFirst = { v: this.#cell.value, is: this.#cell.inline }[name] === undefined;
    if (name === 'extLst') return false;
    if (name === 'f' && !this.#hasFormula) {
      this.#hasFormula = true;
      return false;
    }
    if (!isFirst || (name !== 'v' && name !== 'is')) throw this.#cellFault();
    if (name === 'v') this.#cell.value = '';
    return true;
  }

  #closeCell(): void {
    const { decimal, parts } = this.#context;
    const text = cellText(this.#cell, parts, decimal);
    if (text === undefined || this.#row === undefined) throw this.#cellFault();
    const at = this.#column - 1;
    const mark = this.#hasFormula ? this.#formulaMark(text) : undefined;
    if (mark) this.#row.marks.set(at, mark);
    if (text.trim() === '') return;
    this.#length += text.length;
    if (this.#length > MAX_RECORD) throw tooLong(this.#line);
    const { values } = this.#row;
    // Formatted blank cells far to the right of a table do not count as values.
    while (values.length < at) values.push('');
    values.push(text);
  }

  #formulaMark(text: string): CellMark | undefined {
    // A formula may yield an empty text, which is stored as one.
    const { type, value } = this.#cell;
    if (type !== 'str' && (value ?? '').trim() === '') return { kind: 'uncomputed', shown: '' };
    if (this.#context.parts.isUncomputed) return { kind: 'stale', shown: text };
    return type === 'n' && Number(value) === 0 ? { kind: 'zero', shown: text } : undefined;
  }

  #closeRow(): void {
    const row = this.#row;
    if (row === undefined) return;
    this.#row = undefined;
    this.#context.merged.cover(row);
    for (const { from, until } of this.#hiddenColumns) {
      for (let at = from - 1; at < Math.min(until, row.values.length); at += 1) {
        if (row.values[at] !== '') row.marks.set(at, { kind: 'hidden-column', shown: '' });
      }
    }
    if (isFilled(row)) this.#rows.push(row.marks.size === 0 ? { ...row, marks: noMarks } : row);
  }

  #fault(
    place = this.#line > 0 ? `row ${this.#line} of the sheet` : 'the sheet',
  ): LedgerImportError {
    return new LedgerImportError(
      `The sheet "${this.#context.name.slice(0, 31)}" cannot be read: ${place} is not as the standard of .xlsx says. Open it in Excel, save it as .xlsx again, or save the sheet as CSV UTF-8.`,
    );
  }

  #cellFault(): LedgerImportError {
    return this.#fault(`the cell ${columnLetters(this.#column)}${this.#line}`);
  }
}
