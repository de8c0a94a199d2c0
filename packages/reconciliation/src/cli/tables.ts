import { printTable, type TableColumn } from '@financing-checkout/kit/cli';
import { written } from '../queries/basis/reasons.ts';
import { assumedNote, isAssumed } from './left-out.ts';
import type { Shell } from './shell.ts';

const PAGE = 200;

/** Fetches pages until there are enough rows, because a page may be short. */
export async function readRows<Row>(
  limit: number,
  read: (page: {
    limit: string;
    after: string | undefined;
  }) => Promise<{ rows: Row[]; next?: string | undefined }>,
): Promise<{ rows: Row[]; more: boolean }> {
  const rows: Row[] = [];
  let after: string | undefined;
  do {
    const left = Math.max(1, Math.min(PAGE, limit - rows.length));
    const page = await read({ limit: String(left), after });
    rows.push(...page.rows);
    after = page.next;
  } while (after !== undefined && rows.length < limit);
  return { rows, more: after !== undefined };
}

/** Prints a note if a list is longer than the printed rows. */
export function sayMore(shell: Shell, more: boolean): void {
  if (more)
    shell.say('There are more: raise --limit, or use "financing-reconcile export" for all.');
}

/** Prints rows as a table or as JSON. */
export function show<Row extends object>(
  shell: Shell,
  { json }: { json?: boolean | undefined },
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  nothing: string,
): void {
  if (json) for (const row of rows) shell.print(JSON.stringify(row));
  else if (rows.length === 0) shell.say(nothing);
  else {
    printTable(shell, columns, rows);
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
