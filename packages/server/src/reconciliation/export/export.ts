import { isoTime } from '../../clock/clock.ts';
import { merchantOrderIdOf } from '../../order-key.ts';
import { linePages } from '../answers/lines.ts';
import { orderPages, turn } from '../answers/orders.ts';
import type { AnswerStore, OrderQuery } from '../answers/store.ts';
import { caseRecord } from '../cases/record.ts';
import type { CaseQuery, CaseStore } from '../cases/store.ts';
import { type Column, csvHead, csvLine, type Decimal } from './csv.ts';
import {
  caseTable,
  exceptionTable,
  type ExportedLine,
  type ExportTable,
  lineTable,
  orderTable,
} from './tables.ts';

type OrderFilter = Omit<OrderQuery, 'after' | 'limit'>;
type CaseFilter = Omit<CaseQuery, 'after' | 'limit'>;

/** What an export is of. Of `lines`, `from` and `to` say when the line itself was. */
export type ExportRequest = Writing &
  (
    | { table: Exclude<ExportTable, 'cases'>; query: OrderFilter }
    | { table: 'cases'; query: CaseFilter }
  );

interface Writing {
  format: 'csv' | 'ndjson';
  /** Whether CSV begins with a byte order mark. */
  bom: boolean;
  /** Of amounts in CSV. */
  decimal: Decimal;
  /** IANA name; of the times in a CSV file. NDJSON has them in UTC, as the API does. */
  zone: string;
}

/** Rows at a time: few enough that between two pages a checkout has its turn. */
const PAGE_SIZE = 200;

/** An export, in pieces of text; at most a page of it is in memory. */
export async function* exportText(
  store: AnswerStore & CaseStore,
  request: ExportRequest,
  now: number,
): AsyncGenerator<string, void, void> {
  const { zone } = request;
  switch (request.table) {
    case 'orders':
      return yield* write(request, orderTable(zone), orders(store, request.query));
    case 'exceptions':
      return yield* write(request, exceptionTable(zone), exceptions(store, request.query));
    case 'cases':
      return yield* write(request, caseTable(zone), cases(store, request.query, now));
    case 'lines':
      return yield* write(request, lineTable(zone), lines(store, request.query));
  }
}

async function* write<Row>(
  { format, bom, decimal }: Writing,
  columns: readonly Column<Row>[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string, void, void> {
  if (format === 'csv') yield (bom ? '\uFEFF' : '') + csvHead(columns, decimal);
  for await (const page of pages) {
    yield format === 'csv'
      ? page.map((row) => csvLine(columns, row, decimal)).join('')
      : page.map((row) => `${JSON.stringify(row)}\n`).join('');
  }
}

function orders(store: AnswerStore, query: OrderFilter) {
  return orderPages(store, { ...query, limit: PAGE_SIZE });
}

async function* exceptions(store: AnswerStore, query: OrderFilter) {
  const code = query.exception;
  for await (const page of orderPages(store, { ...query, limit: PAGE_SIZE })) {
    yield page.flatMap(({ orderKey, currency, exceptions }) =>
      exceptions
        .filter((exception) => code === undefined || exception.code === code)
        .map((exception) => ({ ...placeOf(orderKey, currency), ...exception })),
    );
  }
}

function placeOf(orderKey: string, currency: string) {
  return { orderKey, merchantOrderId: merchantOrderIdOf(orderKey), currency };
}

async function* cases(store: CaseStore, query: CaseFilter, now: number) {
  let after = '';
  for (;;) {
    const page = await store.findCases({ ...query, after, limit: PAGE_SIZE });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page.map((row) => caseRecord(row, now));
    after = last.id;
    await turn();
  }
}

async function* lines(store: AnswerStore, query: OrderFilter): AsyncGenerator<ExportedLine[]> {
  const { from = -Infinity, to = Infinity } = query;
  const isIn = (at: number) => at >= from && at < to;
  for await (const page of linePages(store, query)) {
    // Those of a currency nobody knows are in no sum, and all the more to be looked at.
    const unknown = query.currency === undefined ? page.withoutCurrency : [];
    const listed = new Set([...page.lines, ...unknown]);
    yield [...listed].flatMap(({ orderKey, currency, ledger, fundings }) => [
      ...ledger
        .filter(({ occurredAt }) => isIn(occurredAt))
        .map((line): ExportedLine => ({
          ...placeOf(orderKey, currency),
          source: 'ledger',
          line: { ...line, occurredAt: isoTime(line.occurredAt) },
        })),
      ...fundings
        .filter(({ fundedAt }) => isIn(fundedAt))
        .map((line): ExportedLine => ({
          ...placeOf(orderKey, currency),
          source: 'funding',
          line: {
            ...line,
            fundedAt: isoTime(line.fundedAt),
            updatedAt: isoTime(line.updatedAt),
          },
        })),
    ]);
  }
}
