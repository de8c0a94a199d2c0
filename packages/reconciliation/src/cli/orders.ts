import {
  exceptionCodes,
  exceptionsSchema,
  headlines,
  orderExplanationSchema,
  type OrderStatusRecord,
  orderStatusesSchema,
} from '@financing-checkout/contract';
import type { Calendar } from '@financing-checkout/contract/calendar';
import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { orderKeyOf } from '../platform/order-key.ts';
import { periodText } from '../platform/period.ts';
import { assumedNote, isAssumed } from './left-out.ts';
import { written } from '../queries/reasons.ts';
import { ask } from './api.ts';
import type { Shell } from './shell.ts';
import { type TableColumn, tableLines } from './table.ts';
import { printExplanation } from './explanation.ts';
import { businessDays } from './zone.ts';
import {
  judge,
  judgeProof,
  queryOf,
  readSummary,
  reconciling,
  rowCount,
  wholeNumber,
} from './outcome.ts';

interface Options extends Record<string, unknown> {
  json?: boolean;
  limit: number;
  threshold: number;
}

type ListedException = z.infer<typeof exceptionsSchema>['exceptions'][number];
const PAGE = 200;

/**
 * `reconcile orders
 * exceptions
 * explain`: results order by order.
 */
export function registerOrders(program: Command, shell: Shell): void {
  program
    .command('orders')
    .description('list orders with their status')
    .addOption(new Option('--headline <headline>', 'only with this headline').choices(headlines))
    .addOption(new Option('--exception <code>', 'only with this exception').choices(exceptionCodes))
    .option('--lender <name>', 'only with a funding of this lender, under any of its names')
    .option('--currency <code>', 'only in this currency')
    .option('--currency-assumed', 'only with an assumed currency')
    .option('--from <day>', 'something was settled, refunded or funded from this day on')
    .option('--to <day>', '… until this day, included; days are in RECONCILIATION_ZONE')
    .option('--limit <count>', 'maximum number of rows', rowCount, 50)
    .option('--threshold <count>', 'maximum number of open exceptions', wholeNumber, 0)
    .option('--json', 'print orders as JSON, one per line')
    .addHelpText(
      'after',
      `
Examples:
  financing-reconcile orders --headline CHARGEBACK_OPEN
  financing-reconcile orders --lender "Meadow Credit" --from 2026-11-01 --json | jq .headline`,
    )
    .action(
      reconciling(async (options: Options) => {
        const names = [
          'headline',
          'exception',
          'lender',
          'currency',
          'currencyAssumed',
          'from',
          'to',
        ];
        let period: string | undefined;
        const { rows, more } = await readPages(options.limit, async (limit, after) => {
          const query = { ...queryOf(options, names), ...after, limit: String(limit) };
          const schema = orderStatusesSchema;
          const path = '/orders';
          const page = await ask(shell, { method: 'GET', path, query, schema });
          period = page.period && periodText(page.period);
          return { rows: page.orders, next: page.next };
        });
        if (period !== undefined && !options.json) shell.print(`${period}\n`);
        show(shell, options, rows, orderColumns, 'No matching order.');
        if (more)
          shell.say(`There are more: raise --limit, or use "financing-reconcile export" for all.`);
        judge(await readSummary(shell), options.threshold);
      }),
    );

  program
    .command('exceptions')
    .description('list exceptions: sums by code, then order by order')
    .addOption(new Option('--code <code>', 'only with this exception code').choices(exceptionCodes))
    .option('--currency <code>', 'only in this currency')
    .option('--limit <count>', 'maximum number of rows', rowCount, 50)
    .option('--threshold <count>', 'maximum number of open exceptions', wholeNumber, 0)
    .option('--json', 'print exceptions as JSON, one per line')
    .action(
      reconciling(async (options: Options) => {
        const filter = queryOf(options, ['code', 'currency']);
        const { rows, more } = await readPages(options.limit, async (limit, after) => {
          const query = {
            ...filter,
            ...after,
            limit: String(limit),
          };
          const schema = exceptionsSchema;
          const path = '/exceptions';
          const page = await ask(shell, { method: 'GET', path, query, schema });
          return { rows: page.exceptions, next: page.next };
        });
        const summary = await readSummary(shell, filter);
        if (!options.json && summary.exceptions.length > 0) {
          for (const line of tableLines(countColumns, summary.exceptions)) shell.print(line);
          shell.print('');
        }
        const nothing =
          Object.keys(filter).length > 0 ? 'No matching exceptions.' : 'No exceptions.';
        show(shell, options, rows, exceptionColumns(await businessDays(shell)), nothing);
        if (more)
          shell.say('There are more: raise --limit, or use "financing-reconcile export" for all.');
        judge(summary, options.threshold);
      }),
    );

  program
    .command('explain <order>')
    .description('explain one order: expected and paid amounts, differences and their reasons')
    .option(
      '--order-key',
      'the argument is an order key, such as "funding:…" for a funding without an order',
    )
    .option('--json', 'print JSON')
    .action(
      reconciling(async (order: string, options: { orderKey?: boolean; json?: boolean }) => {
        const key = options.orderKey ? order : orderKeyOf(order);
        const explanation = await ask(shell, {
          method: 'GET',
          path: `/orders/${encodeURIComponent(key)}`,
          schema: orderExplanationSchema,
        });
        if (options.json) shell.print(JSON.stringify(explanation));
        else printExplanation(shell, explanation, await businessDays(shell));
        judgeProof(await readSummary(shell));
      }),
    );
}

/** Fetches pages until there are enough rows; a page may be short. */
export async function readPages<Row>(
  limit: number,
  read: (
    limit: number,
    after: { after?: string },
  ) => Promise<{ rows: Row[]; next?: string | undefined }>,
): Promise<{ rows: Row[]; more: boolean }> {
  const rows: Row[] = [];
  let next: string | undefined;
  do {
    const left = Math.max(1, Math.min(PAGE, limit - rows.length));
    const page = await read(left, next === undefined ? {} : { after: next });
    rows.push(...page.rows);
    next = page.next;
  } while (next !== undefined && rows.length < limit);
  return { rows, more: next !== undefined };
}

/** Prints rows as a table or as JSON. */
export function show<Row extends object>(
  shell: Shell,
  { json }: { json?: boolean },
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  nothing: string,
): void {
  if (json) for (const row of rows) shell.print(JSON.stringify(row));
  else if (rows.length === 0) shell.say(nothing);
  else {
    for (const line of tableLines(columns, rows)) shell.print(line);
    if (rows.some(isAssumed)) shell.print(assumedNote);
  }
}

interface OfOrder {
  merchantOrderId?: string | undefined;
  orderKey: string;
}
export const orderColumn = {
  head: 'ORDER',
  cell: ({ merchantOrderId, orderKey }: OfOrder) => merchantOrderId ?? orderKey,
};
export function moneyColumn<
  Row extends { currency: string; currencyAssumed?: boolean | undefined },
>(head: string, amount: (row: Row) => number | null): TableColumn<Row> {
  return {
    head,
    cell: (row) => sumText(amount(row), row.currency, row.currencyAssumed),
    align: 'right',
  };
}
export function sumText(sum: number | null, currency: string, isAssumed = false): string {
  if (sum !== null) return written(sum, currency, isAssumed);
  return currency === '' ? 'currency not known' : `too large to be exact ${currency}`;
}

const orderColumns: TableColumn<OrderStatusRecord>[] = [
  orderColumn,
  { head: 'STATUS', cell: ({ headline }) => headline },
  moneyColumn('EXPECTED', ({ expected }) => expected.settle - expected.refund),
  moneyColumn(
    'FUNDED',
    ({ funded }) => funded.settle - funded.refund - funded.chargeback + funded.reversal,
  ),
  moneyColumn('AWAITING', ({ awaiting }) => awaiting),
  {
    head: 'ALSO',
    cell: ({ exceptions, headline }) =>
      exceptions
        .map(({ code }) => code)
        .filter((code) => code !== headline)
        .join(' '),
  },
];

const countColumns: TableColumn<Awaited<ReturnType<typeof readSummary>>['exceptions'][number]>[] = [
  { head: 'EXCEPTION', cell: ({ code }) => code },
  { head: 'OPEN', cell: ({ open }) => String(open), align: 'right' },
  { head: 'ALL', cell: ({ count }) => String(count), align: 'right' },
  moneyColumn('AMOUNT', ({ amount }) => amount),
  {
    head: 'NOT IN AMOUNT',
    cell: ({ assumed, ignored }) =>
      [assumed > 0 ? `${assumed} assumed` : '', ignored > 0 ? `${ignored} ignored` : '']
        .filter(Boolean)
        .join(', '),
  },
];

const exceptionColumns = (days: Calendar): TableColumn<ListedException>[] => [
  orderColumn,
  { head: 'EXCEPTION', cell: ({ code }) => code },
  moneyColumn('AMOUNT', ({ amount }) => amount),
  { head: `SINCE (${days.zone})`, cell: ({ since }) => days.dayOf(Date.parse(since)) },
  { head: 'CASE', cell: (row) => (row.case ? `${row.case.id} ${row.case.state}` : '') },
];
