import type {
  LedgerImportField,
  LedgerImportRecord,
  LedgerOptions,
  LedgerPreview,
} from '@financing-checkout/contract/reconciliation';

type Errors = LedgerImportRecord['errors'];

/** Lines are looked up only in this many initial bytes, which a browser reads in an instant. */
const MAX_BYTES = 16_000_000;
/** Longer values are truncated on the page. */
const MAX_VALUE = 80;

/**
 * Reads the value of each error's first line from the file in the browser, because the API's
 * answers contain no values from a file.
 * @returns the values by error; none for a line far below
 */
export async function readValues(
  file: Blob,
  { format, columns }: Pick<LedgerPreview, 'columns' | 'format'>,
  options: LedgerOptions,
  errors: Errors,
): Promise<Map<Errors[number], string>> {
  const values = new Map<Errors[number], string>();
  const sought = errors.filter(({ field, line }) => field !== undefined && line !== undefined);
  if (sought.length === 0) return values;
  const bytes = await file.slice(0, MAX_BYTES).arrayBuffer();
  const text = new TextDecoder(options.encoding ?? 'utf-8').decode(bytes);
  if (format === 'json') {
    const elements = elementsIn(text, Math.max(...sought.map(({ line = 0 }) => line)));
    for (const error of sought) {
      const column = options.map?.[error.field as LedgerImportField];
      const element = elements.get(error.line ?? 0);
      if (column === undefined || element === undefined) continue;
      setValue(values, error, keyIn(element, column));
    }
    return values;
  }
  const lines = text.split(/\r\n|\n|\r/);
  // The last line may be truncated.
  if (file.size > MAX_BYTES) lines.pop();
  for (const error of sought) {
    const column = options.map?.[error.field as LedgerImportField];
    const from = (error.line ?? 0) - 1;
    if (column === undefined || lines[from] === undefined) continue;
    const value =
      format === 'ndjson'
        ? keyIn(lines[from], column)
        : cellsIn(lines, from, options.delimiter ?? ',')[columns.indexOf(column)];
    setValue(values, error, value);
  }
  return values;
}

/** Maximum number of workbook rows to look up. */
const MOST_ROWS = 100;

/** Returns the numbers of the workbook rows that contain the wrong values. */
export function rowsOfErrors(errors: Errors): number[] {
  const lines = errors.flatMap(({ field, line }) =>
    field === undefined || line === undefined ? [] : [line],
  );
  return [...new Set(lines)].slice(0, MOST_ROWS);
}

/** Returns the value of each error's first row, from a workbook's cells. */
export function valuesOfCells(
  { cells = [], columns }: Pick<LedgerPreview, 'cells' | 'columns'>,
  options: LedgerOptions,
  errors: Errors,
): Map<Errors[number], string> {
  const values = new Map<Errors[number], string>();
  const rows = new Map(cells.map(({ row, values: own }) => [row, own]));
  for (const error of errors) {
    const column = options.map?.[error.field as LedgerImportField];
    if (column === undefined || error.line === undefined) continue;
    setValue(values, error, rows.get(error.line)?.[columns.indexOf(column)]);
  }
  return values;
}

function setValue(values: Map<Errors[number], string>, error: Errors[number], value?: string) {
  const text = value?.trim() ?? '';
  if (text === '') return;
  values.set(error, text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text);
}

/** Returns the cells of the CSV record that begins at a line; quoted cells may contain line breaks. */
function cellsIn(lines: readonly string[], from: number, delimiter: string): string[] {
  const cells = [''];
  let isQuoted = false;
  for (let at = from; at < lines.length; at += 1) {
    for (const sign of lines[at] ?? '') {
      if (sign === '"') isQuoted = !isQuoted;
      else if (sign === delimiter && !isQuoted) cells.push('');
      else cells.push(`${cells.pop() ?? ''}${sign}`);
    }
    if (!isQuoted) break;
    cells.push(`${cells.pop() ?? ''} `);
  }
  return cells;
}

/**
 * Returns the objects of a JSON array by the numbers that errors use for them: the line on which
 * they begin, or the number after the previous element's.
 * @param last the last number to find
 */
function elementsIn(text: string, last: number): Map<number, string> {
  const elements = new Map<number, string>();
  let depth = 0;
  let line = 1;
  let number = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[\n{}[\],]|[^\s"{}[\],]+/gs)) {
    const isEnd = token === '}' || token === ']';
    if (depth === 1 && !isEnd && token !== '\n' && token !== ',') {
      number = Math.max(line, number + 1);
      if (number > last) break;
      start = index;
    }
    if (token === '{' || token === '[') depth += 1;
    if (isEnd) depth -= 1;
    if (token === '}' && depth === 1) elements.set(number, text.slice(start, index + 1));
    line += token.split('\n').length - 1;
  }
  return elements;
}

function keyIn(line: string, key: string): string | undefined {
  try {
    const value = (JSON.parse(line) as Record<string, unknown>)[key];
    return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
  } catch {
    return undefined;
  }
}
