import { linePages } from '../answers/lines.ts';
import { orderPages, turn } from '../answers/orders.ts';
import type { AnswerStore, OrderQuery } from '../answers/store.ts';
import { caseRecord } from '../cases/record.ts';
import type { CaseQuery, CaseStore } from '../cases/store.ts';
import { type Column, csvHead, csvLine } from './csv.ts';
import {
  caseTable,
  exceptionTable,
  type ExportedLine,
  type ExportTable,
  lineTable,
  orderTable,
} from './tables.ts';

export interface ExportRequest {
  table: ExportTable;
  format: 'csv' | 'ndjson';
  /** IANA name; of the times in a CSV file. NDJSON has them in UTC, as the API does. */
  zone: string;
  orders: Omit<OrderQuery, 'after' | 'limit'>;
  cases: Omit<CaseQuery, 'after' | 'limit'>;
}

/** Rows at a time: few enough that between two pages a checkout has its turn. */
const PAGE_SIZE = 200;

/** An export, in pieces of text; at most a page of it is in memory. */
export async function* exportText(
  store: AnswerStore & CaseStore,
  request: ExportRequest,
  now: number,
): AsyncGenerator<string, void, void> {
  const { table, zone } = request;
  switch (table) {
    case 'orders':
      return yield* write(request, orderTable(zone), orders(store, request));
    case 'exceptions':
      return yield* write(request, exceptionTable(zone), exceptions(store, request));
    case 'cases':
      return yield* write(request, caseTable(zone), cases(store, request, now));
    case 'lines':
      return yield* write(request, lineTable(zone), lines(store, request));
  }
}

async function* write<Row>(
  { format }: ExportRequest,
  columns: readonly Column<Row>[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string, void, void> {
  if (format === 'csv') yield csvHead(columns);
  for await (const page of pages) {
    yield format === 'csv'
      ? page.map((row) => csvLine(columns, row)).join('')
      : page.map((row) => `${JSON.stringify(row)}\n`).join('');
  }
}

function orders(store: AnswerStore, { orders }: ExportRequest) {
  return orderPages(store, { ...orders, limit: PAGE_SIZE });
}

async function* exceptions(store: AnswerStore, { orders }: ExportRequest) {
  const code = orders.exception;
  for await (const page of orderPages(store, { ...orders, limit: PAGE_SIZE })) {
    yield page.flatMap(({ orderKey, currency, exceptions }) =>
      exceptions
        .filter((exception) => code === undefined || exception.code === code)
        .map((exception) => ({ orderKey, currency, ...exception })),
    );
  }
}

async function* cases(store: CaseStore, { cases }: ExportRequest, now: number) {
  let after = '';
  for (;;) {
    const page = await store.findCases({ ...cases, after, limit: PAGE_SIZE });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page.map((row) => caseRecord(row, now));
    after = last.id;
    await turn();
  }
}

async function* lines(
  store: AnswerStore,
  { orders }: ExportRequest,
): AsyncGenerator<ExportedLine[]> {
  for await (const page of linePages(store, orders)) {
    yield page.lines.flatMap(({ orderKey, currency, ledger, fundings }): ExportedLine[] => [
      ...ledger.map((line) => ({ orderKey, currency, source: 'ledger' as const, line })),
      ...fundings.map((line) => ({ orderKey, currency, source: 'funding' as const, line })),
    ]);
  }
}
