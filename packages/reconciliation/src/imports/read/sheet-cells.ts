import type { Reading } from './options.ts';
import { amountColumns, fieldNamed, type LedgerField } from './columns.ts';
import type { FileRecord } from './file-record.ts';
import type { LeftOut } from './left-out.ts';
import type { LineError } from '../import-error.ts';
import { LineProblem } from './line-problem.ts';
import type { CellMark } from './workbook/sheet-row.ts';

const UNCOMPUTED =
  'is a formula without a computed value: open the workbook in a spreadsheet, save it, and import it again';

/** A sheet's row with its texts, displayed or stored, as the user chose. */
export interface SeenRow {
  record: FileRecord;
  /** Questions for the user. */
  asked: LeftOut[];
  /** Whether a merged cell covers a column that is read. A blank cell then means nothing. */
  isMerged: boolean;
  /** Errors for formulas without a known value. */
  errors: Omit<LineError, 'line'>[];
}

/** Reads the cells of a row whose displayed values may differ from the stored ones. */
export function seenRow(file: FileRecord, reading: Reading): SeenRow {
  const seen: SeenRow = { record: file, asked: [], errors: [], isMerged: false };
  const { row, sheet } = file;
  if (!sheet || !row || sheet.marks.size === 0) return seen;
  const cells = [...row.cells];
  const record = { ...file.record };
  const amounts = amountColumns(reading.mapping);
  const read = columnsRead(reading);
  for (const [at, mark] of sheet.marks) {
    const column = row.header[at] ?? '';
    // A merged cell that begins above the rows belongs to the header row.
    if (!read.has(column) || (mark.from ?? Infinity) <= sheet.header) continue;
    const { kind } = mark;
    seen.isMerged ||= kind === 'merged';
    if (kind === 'uncomputed' || (kind === 'stale' && reading.cells === 'shown')) {
      const field = fieldOf(column, reading);
      seen.errors.push({ field, code: 'formula-uncomputed', message: `${column} ${UNCOMPUTED}` });
    } else if (kind !== 'zero' && reading.cells === undefined) {
      seen.asked.push({ reason: kind, word: column });
    } else if (kind !== 'zero' && reading.cells === 'shown') {
      // An amount counts once, in the first row of a merged cell.
      const text = kind === 'merged' && amounts.includes(column) ? '' : mark.shown;
      cells[at] = text;
      record[column] = text;
    }
  }
  return { ...seen, record: { ...file, record, row: { ...row, cells } } };
}

/**
 * Adds advice that fits the cell. Skipping the row would lose its amount if the value is only
 * displayed, or not computed yet.
 */
export function withAdvice(
  problem: LineProblem,
  { row, sheet }: FileRecord,
  reading: Reading,
): LineProblem {
  const { code, field } = problem;
  if (code !== 'missing' && code !== 'amount-zero') return problem;
  const column = reading.mapping[field];
  const mark =
    column === undefined ? undefined : sheet?.marks.get(row?.header.indexOf(column) ?? -1);
  return (mark && adviceOf(mark, field, reading)) ?? problem;
}

function adviceOf(
  { kind }: CellMark,
  field: LedgerField,
  { cells, mapping }: Reading,
): LineProblem | undefined {
  const problem = (code: string, message: string) => new LineProblem(field, code, message);
  if (kind === 'zero') {
    const message =
      'is 0 by a formula that may not be computed: open the workbook in a spreadsheet, save it, and import it again. If it is 0 there, set `skip-rows-without` to amount to leave out such rows';
    return problem('formula-zero', message);
  }
  if (kind === 'hidden-column') {
    const message =
      'is missing: the sheet hides its column. Show the column, or set `cells` to stored';
    return problem('cell-hidden', message);
  }
  if (kind !== 'merged') return undefined;
  if (cells === 'stored') {
    const message =
      'is missing: its cell is part of a merged one. Set `cells` to shown to read its text in each of its rows';
    return problem('cell-merged', message);
  }
  if (!amountColumns(mapping).includes(mapping[field] ?? '')) return undefined;
  const message =
    'is missing: its cell is part of a merged one, whose amount counts in the first row. Set `skip-rows-without` to amount to leave out the other rows';
  return problem('amount-merged', message);
}

/** Returns the columns that determine what a row means. */
function columnsRead({ mapping, only, skipRowsWithout = [] }: Reading): Set<string> {
  const lacking = skipRowsWithout.filter((name) => fieldNamed(name) === undefined);
  const mapped = Object.values(mapping).filter((name) => name !== undefined);
  return new Set([...mapped, ...Object.keys(only ?? {}), ...lacking]);
}

function fieldOf(column: string, { mapping }: Reading): LedgerField | undefined {
  const [found] = Object.entries(mapping).find(([, name]) => name === column) ?? [];
  return found === undefined ? undefined : fieldNamed(found);
}
