import {
  type DuckDBConnection,
  DuckDBListValue,
  DuckDBStructValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import type {
  CaseState,
  ExceptionCode,
  FundingAxis,
  Headline,
  ReturnsAxis,
} from '@financing-checkout/contract';

/** A row by the names of its columns; whole numbers are numbers, sums beyond 2^53 are bigints. */
export type Row = Record<string, DuckDBValue>;

/** Runs a query and returns its rows. Parameters are `$name`. */
export async function select(
  connection: DuckDBConnection,
  sql: string,
  parameters: Record<string, DuckDBValue> = {},
): Promise<Row[]> {
  const reader = await connection.runAndReadAll(sql, parameters);
  const names = reader.columnNames();
  return reader
    .getRows()
    .map((values) =>
      Object.fromEntries(names.map((name, index) => [name, numberOf(values[index] ?? null)])),
    );
}

/** Runs a query and yields its rows as they come, some thousand at a time. */
export async function* stream(
  connection: DuckDBConnection,
  sql: string,
  parameters: Record<string, DuckDBValue> = {},
): AsyncGenerator<Row[]> {
  const result = await connection.stream(sql, parameters);
  const names = result.columnNames();
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) return;
    yield chunk
      .getRows()
      .map((values) =>
        Object.fromEntries(names.map((name, index) => [name, numberOf(values[index] ?? null)])),
      );
  }
}

/** Structs of a list, as rows; null is a list of none. */
export function structsOf(value: DuckDBValue | undefined): Row[] {
  if (!(value instanceof DuckDBListValue)) return [];
  return value.items.map((item) => {
    if (!(item instanceof DuckDBStructValue)) throw new TypeError('A list has what is no struct.');
    const entries = Object.entries(item.entries);
    return Object.fromEntries(entries.map(([name, entry]) => [name, numberOf(entry)]));
  });
}

function numberOf(value: DuckDBValue): DuckDBValue {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** A value of a row that is a text. */
export function text(value: DuckDBValue | undefined): string {
  return String(value);
}

/** A value of a row that is a text, or null. */
export function optional(value: DuckDBValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A sum that is too large to be exact: one of a part of it may be exact. */
export class InexactSumError extends RangeError {
  override readonly name = 'InexactSumError';

  constructor() {
    super('A sum over orders is too large to be exact: sum up fewer of them.');
  }
}

/** A value of a row that is a whole number. @throws {InexactSumError} beyond 2^53 */
export function whole(value: DuckDBValue | undefined): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === 'bigint') throw new InexactSumError();
  return Number(value);
}

/** A sum; null where it is too large to be exact. */
export function sumOrNull(value: DuckDBValue | undefined): number | null {
  return typeof value === 'bigint' ? null : Number(value);
}

/** A word of a list of the contract: the tables hold no other. */
export interface Words {
  code: ExceptionCode;
  headline: Headline;
  state: CaseState;
  funding: FundingAxis;
  returns: ReturnsAxis;
}
export function word<Name extends keyof Words>(
  _: Name,
  value: DuckDBValue | undefined,
): Words[Name] {
  return text(value) as Words[Name];
}

/** An order in one currency: where a page ends. */
export interface OrderPlace {
  orderKey: string;
  currency: string;
}
