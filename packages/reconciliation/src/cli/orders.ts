import {
  exceptionFilters,
  exceptionsSchema,
  journalEntryOfId,
  type Operation,
  orderChargeOperations,
  orderExplanationSchema,
  orderFilters,
  orderListOperations,
  type OrderStatusRecord,
  orderStatusesSchema,
} from '@financing-checkout/contract/reconciliation';
import type { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import {
  addCommand,
  addGroup,
  addVerb,
  flag,
  printTable,
  type Register,
  shared,
  type TableColumn,
} from '@financing-checkout/kit/cli';
import type { z } from 'zod';
import { periodText } from '../queries/basis/period.ts';
import { businessDays, get } from './ask.ts';
import { printExplanation } from './explanation.ts';
import { findOrder } from './find-order.ts';
import { explainEntry } from './journals.ts';
import { limit, optionsOf, threshold } from './options.ts';
import { judge, judgeProof, queryOf, readSummary } from './outcome.ts';
import type { Shell } from './shell.ts';
import { moneyColumn, orderColumn, readRows, sayMore, show } from './tables.ts';
import { verbsOf } from './verbs.ts';

type ListedException = z.infer<typeof exceptionsSchema>['exceptions'][number];

/** Registers `order`, which lists the records of one order. */
export const registerOrder: Register<Shell> = (program, shell) => {
  const order = addGroup(
    program,
    'order',
    'list what happened to one order, by its key: order: and its number',
    `Example:
  financing-reconcile order timeline order:A-1001 --format csv --output A-1001.csv`,
  );
  const verbs = verbsOf(shell);
  const lists = { ...orderListOperations, ...orderChargeOperations };
  for (const one of Object.values<Operation>(lists)) addVerb(order, one, verbs);
};

/** Registers `orders`, `exceptions` and `explain`, which show results per order. */
export const registerOrders: Register<Shell> = (program, shell) => {
  const filters = optionsOf(orderFilters);
  const orders = {
    usage: 'orders',
    description: 'list orders with their status',
    options: { ...filters, limit, threshold, json: shared.jsonLines() },
    help: `Examples:
  financing-reconcile orders --headline CHARGEBACK_OPEN
  financing-reconcile orders --lender "Meadow Credit" --from 2026-11-01 --json | jq .headline`,
  };
  addCommand(program, orders, async (options) => {
    const query = queryOf(options, Object.keys(filters));
    let period: string | undefined;
    const { rows, more } = await readRows(options.limit, async (page) => {
      const answer = await get(shell, '/orders', orderStatusesSchema, { ...query, ...page });
      period = answer.period && periodText(answer.period);
      return { rows: answer.orders, next: answer.next };
    });
    if (period !== undefined && !options.json) shell.print(`${period}\n`);
    show(shell, options, rows, orderColumns, 'No matching order.');
    sayMore(shell, more);
    judge(await readSummary(shell), options.threshold);
  });

  const ofExceptions = optionsOf(exceptionFilters);
  const exceptions = {
    usage: 'exceptions',
    description: 'list exceptions: sums by code, then order by order',
    options: {
      ...ofExceptions,
      limit,
      threshold,
      json: shared.jsonLines(),
    },
  };
  addCommand(program, exceptions, async (options) => {
    const filter = queryOf(options, Object.keys(ofExceptions));
    const { rows, more } = await readRows(options.limit, async (page) => {
      const answer = await get(shell, '/exceptions', exceptionsSchema, { ...filter, ...page });
      return { rows: answer.exceptions, next: answer.next };
    });
    const summary = await readSummary(shell, filter);
    if (!options.json && summary.exceptions.length > 0) {
      printTable(shell, countColumns, summary.exceptions);
      shell.print('');
    }
    const nothing = Object.keys(filter).length > 0 ? 'No matching exceptions.' : 'No exceptions.';
    show(shell, options, rows, exceptionColumns(await businessDays(shell)), nothing);
    sayMore(shell, more);
    judge(summary, options.threshold);
  });

  const explain = {
    usage: 'explain <id>',
    description:
      'explain one order, found by any ID of it, a fragment or an amount: expected and paid amounts, differences and their reasons',
    options: {
      orderKey: flag(
        'the argument is an order key, such as "funding:…" for a funding without an order',
      ),
      json: shared.json(),
    },
    help: `If several orders match, they are listed.

Examples:
  financing-reconcile explain A-10042
  financing-reconcile explain LR-500104
  financing-reconcile explain 8.55
  financing-reconcile explain FC3-17                  (entry of a journal)`,
  };
  addCommand(program, explain, async ({ orderKey, json }, id: string) => {
    const entry = orderKey ? undefined : journalEntryOfId(id);
    if (entry !== undefined) {
      await explainEntry(shell, entry, json);
      return;
    }
    const key = orderKey ? id : await findOrder(shell, id, json);
    const path = `/orders/${encodeURIComponent(key)}`;
    const explanation = await get(shell, path, orderExplanationSchema);
    if (json) shell.print(JSON.stringify(explanation));
    else printExplanation(shell, explanation, await businessDays(shell));
    judgeProof(await readSummary(shell));
  });
};

const orderColumns: TableColumn<OrderStatusRecord>[] = [
  orderColumn,
  { head: 'STATUS', cell: ({ headline }) => headline },
  moneyColumn('SETTLED', ({ expected }) => expected.settle),
  moneyColumn('REFUNDED', ({ expected }) => expected.refund),
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
