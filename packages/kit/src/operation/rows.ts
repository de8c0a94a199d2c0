/** The part of a table's declaration that is needed to flatten an answer. */
export interface FlatTable<Kind extends string = string> {
  rows: string;
  columns: Readonly<Record<string, Kind | readonly [field: string, kind: Kind]>>;
  shown?: readonly string[] | undefined;
  empty: string;
}

/** Sums beyond 2^53 are strings. Undefined for an empty cell. */
export type FlatValue = string | number | undefined;
export type FlatRow = Readonly<Record<string, FlatValue>>;

/** Returns the rows of an answer: a value for each column of its table. */
export function flatRows(table: FlatTable, answer: unknown): FlatRow[] {
  const columns = Object.entries(table.columns).map(([name, column]) => {
    const [field, kind] = typeof column === 'string' ? [camelCase(name), column] : column;
    return { name, fields: field.split('|'), kind };
  });
  const fields = new Set(columns.flatMap((column) => column.fields));
  return rowsOf(table, answer).map((row) =>
    Object.fromEntries(
      columns.map(({ name, fields: [field = '', other = ''], kind }) => {
        const value = valueAt(row, field) ?? valueAt(row, other) ?? valueAt(answer, field);
        if (kind === 'yesNo') return [name, yesNo(value)];
        if (kind === 'percent') return [name, percent(value)];
        return [name, cellOf(value, (part) => !fields.has(`${field}.${part}`))];
      }),
    ),
  );
}

/** Returns the rows of an answer before they are flattened. */
export function rowsOf(table: Pick<FlatTable, 'rows'>, answer: unknown): unknown[] {
  const rows = valueAt(answer, table.rows);
  return Array.isArray(rows) ? rows : [];
}

export function columnsOf<Kind extends string>({
  columns,
}: FlatTable<Kind>): { name: string; kind: Kind }[] {
  return Object.entries(columns).map(([name, column]) => ({
    name,
    kind: typeof column === 'string' ? column : column[1],
  }));
}

/** Returns a value as a cell. For a record, only the parts without their own column. */
function cellOf(value: unknown, isWanted: (part: string) => boolean): FlatValue {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (Array.isArray(value)) return value.join(' ');
  if (typeof value !== 'object') {
    throw new TypeError('A column has neither text, a number, a list nor a record.');
  }
  return detailText(Object.fromEntries(Object.entries(value).filter(([part]) => isWanted(part))));
}

/** Returns the details of an event as one string: "reason: paid by check, note: see mail". */
export function detailText(detail: Readonly<Record<string, unknown>>): string {
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

/** Returns basis points as a percentage. */
const percent = (value: unknown) =>
  typeof value === 'number' ? Math.round(value * 100) / 10_000 : undefined;

const yesNo = (is: unknown) => (is === true ? 'yes' : 'no');

const camelCase = (name: string) =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (part, field) =>
        typeof part === 'object' && part !== null
          ? (part as Readonly<Record<string, unknown>>)[field]
          : undefined,
      value,
    );
}
