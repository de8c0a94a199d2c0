import { placeOf } from './cell.ts';
import { MAX_COLUMNS, unreadableWorkbook } from './limits.ts';
import type { CellMark } from './sheet-row.ts';

interface Area {
  /** The first and the last row and column, from 1. */
  top: number;
  bottom: number;
  left: number;
  right: number;
  /** Text of the area's first cell, once read. */
  text: string;
}

/** A sheet's merged areas, each of which a person sees as one cell. */
export class MergedAreas {
  readonly #areas: Area[];
  #next = 0;
  #open: Area[] = [];

  /** @param references such as `A2:A4`; a sheet with overlapping areas is invalid */
  constructor(references: readonly string[] = []) {
    this.#areas = references.map(areaOf).toSorted((one, other) => one.top - other.top);
  }

  /**
   * Marks the cells of a row whose displayed text differs: all cells of an area show its first
   * cell. Must be called in row order.
   */
  cover({
    line,
    marks,
    values,
  }: {
    line: number;
    values: readonly string[];
    marks: Map<number, CellMark>;
  }): void {
    for (let area = this.#areas[this.#next]; area && area.top <= line;) {
      this.#open.push(area);
      this.#next += 1;
      area = this.#areas[this.#next];
    }
    if (this.#open.length === 0) return;
    this.#open = this.#open.filter(({ bottom }) => bottom >= line);
    const width = this.#open.reduce((sum, { left, right }) => sum + right - left + 1, 0);
    // Overlapping areas would cost time in each row, and no program displays them.
    if (width > MAX_COLUMNS) throw unreadableWorkbook(undefined, 'its list of merged cells');
    for (const area of this.#open) {
      const { left, right, top } = area;
      if (line === top) area.text = values[left - 1] ?? '';
      // Cells to the right of a row's last value are empty, and are displayed as such.
      const last = Math.max(left, Math.min(right, values.length));
      for (let column = left; column <= last; column += 1) {
        if (line === top && column === left) continue;
        const shown = column === left ? area.text : '';
        if ((values[column - 1] ?? '') !== shown) {
          marks.set(column - 1, { kind: 'merged', shown, from: top });
        }
      }
    }
  }
}

function areaOf(reference: string): Area {
  const [first = '', last = first] = reference.split(':');
  const [from, until] = [placeOf(first), placeOf(last)];
  if (!from || !until || until.row < from.row || until.column < from.column) {
    throw unreadableWorkbook(undefined, 'its list of merged cells');
  }
  return { top: from.row, bottom: until.row, left: from.column, right: until.column, text: '' };
}
