/** The flat rows of an answer, by the structure of its declaration. */
export interface FlatTable<Kind extends string = string> {
  rows: string;
  columns: Readonly<Record<string, Kind | readonly [field: string, kind: Kind]>>;
  shown?: readonly string[] | undefined;
  empty: string;
}

/** Sums beyond 2^53 are strings. Undefined: an empty cell. */
export type FlatValue = string | number | undefined;
export type FlatRow = Readonly<Record<string, FlatValue>>;

/** Returns the rows of an answer: a value for each column of its table. */
export function flatRows(table: FlatTable, answer: unknown): FlatRow[] {
  return rowsOf(table, answer).map((row) =>
    Object.fromEntries(
      Object.entries(table.columns).map(([name, column]) => {
        const [field, kind] =
          typeof column === 'string' ? ([camelCase(name), column] as const) : column;
        const value = valueAt(row, field) ?? valueAt(answer, field);
        return [name, kind === 'yesNo' ? yesNo(value) : cellOf(value)];
      }),
    ),
  );
}

/** Returns the rows of an answer as they are. */
export function rowsOf(table: Pick<FlatTable, 'rows'>, answer: unknown): unknown[] {
  const rows = valueAt(answer, table.rows);
  return Array.isArray(rows) ? rows : [];
}

/** Returns the columns of a table with their kinds. */
export function columnsOf<Kind extends string>({
  columns,
}: FlatTable<Kind>): { name: string; kind: Kind }[] {
  return Object.entries(columns).map(([name, column]) => ({
    name,
    kind: typeof column === 'string' ? column : column[1],
  }));
}

function cellOf(value: unknown): FlatValue {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError('A column has neither text nor a number.');
}

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
