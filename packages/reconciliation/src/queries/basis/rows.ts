import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBMaterializedResult,
  DuckDBValue,
} from '../../platform/duckdb.ts';
import type {
  CaseState,
  ExceptionCode,
  FundingAxis,
  Headline,
  ReturnsAxis,
} from '@financing-checkout/contract/reconciliation';

/** A row by column name; integers are numbers, sums beyond 2^53 are bigints. */
export type Row = Record<string, DuckDBValue>;

/**
 * Runs a query and returns its rows in chunks. Parameters are `$name`. Each asynchronous call of
 * DuckDB's API waits for a thread, which a long statement may occupy: `runAndReadAll` makes five,
 * and this function makes two, or one without parameters.
 */
export async function chunksOf(
  connection: DuckDBConnection,
  sql: string,
  parameters: Record<string, DuckDBValue> = {},
): Promise<{ names: string[]; chunks: DuckDBDataChunk[] }> {
  const result = await run(connection, sql, parameters);
  const chunks = Array.from({ length: result.chunkCount }, (_, index) => result.getChunk(index));
  return { names: result.columnNames(), chunks };
}

async function run(
  connection: DuckDBConnection,
  sql: string,
  parameters: Record<string, DuckDBValue>,
): Promise<DuckDBMaterializedResult> {
  if (Object.keys(parameters).length === 0) return connection.run(sql);
  const prepared = await connection.prepare(sql);
  try {
    prepared.bind(parameters);
    return await prepared.run();
  } finally {
    prepared.destroySync();
  }
}

/** Runs a query and returns its rows. Parameters are `$name`. */
export async function select(
  connection: DuckDBConnection,
  sql: string,
  parameters: Record<string, DuckDBValue> = {},
): Promise<Row[]> {
  const { names, chunks } = await chunksOf(connection, sql, parameters);
  return chunks
    .flatMap((chunk) => chunk.getRows())
    .map((values) =>
      Object.fromEntries(names.map((name, index) => [name, numberOf(values[index] ?? null)])),
    );
}

/** Maximum number of rows to convert to objects before other requests run. */
const ROWS_IN_A_TURN = 256;

/** Streams the rows of a query. Other requests are served between two pages. */
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
    const rows = chunk.getRows();
    for (let start = 0; start < rows.length; start += ROWS_IN_A_TURN) {
      await nextTurn();
      yield rows
        .slice(start, start + ROWS_IN_A_TURN)
        .map((values) =>
          Object.fromEntries(names.map((name, index) => [name, numberOf(values[index] ?? null)])),
        );
    }
  }
}

function numberOf(value: DuckDBValue): DuckDBValue {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Returns a text value of a row. */
export function text(value: DuckDBValue | undefined): string {
  return String(value);
}

/** Returns a text or null value of a row. */
export function optional(value: DuckDBValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A sum that is too large to be exact; a filtered sum may be exact. */
export class InexactSumError extends RangeError {
  override readonly name = 'InexactSumError';

  constructor() {
    super('A sum over orders is too large to be exact: filter the orders.');
  }
}

/** Returns an integer value of a row. @throws {InexactSumError} beyond 2^53 */
export function whole(value: DuckDBValue | undefined): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === 'bigint') throw new InexactSumError();
  return Number(value);
}

/** Returns a sum; null if it is too large to be exact. */
export function sumOrNull(value: DuckDBValue | undefined): number | null {
  return typeof value === 'bigint' ? null : Number(value);
}

/** Returns a value of a contract enumeration; the tables contain no others. */
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

/**
 * Adds to a sum over many orders. Beyond 2^53 it would be rounded and silently lose cents, so it
 * becomes null; the counts next to it remain valid.
 */
export function added(sum: number | null, amount: number): number | null {
  const next = sum === null ? NaN : sum + amount;
  return Number.isSafeInteger(next) ? next : null;
}
