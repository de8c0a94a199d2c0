import {
  gapsText,
  type SearchHit,
  searchSchema,
} from '@financing-checkout/contract/reconciliation';
import { CommandFailure, printTable, type TableColumn } from '@financing-checkout/kit/cli';
import { orderKeyOf } from '../platform/order-key.ts';
import { written } from '../queries/basis/reasons.ts';
import { get } from './ask.ts';
import type { Shell } from './shell.ts';

/**
 * Returns the key of the order that a search text refers to: its ID, another ID such as a charge,
 * transaction or case ID, a fragment of an ID, or an amount. Without a match, the text is taken as
 * an order ID.
 * @throws {CommandFailure} after listing the matches, if they belong to several orders
 */
export async function findOrder(shell: Shell, asked: string, json = false): Promise<string> {
  const { gaps, hits } = await findAll(shell, asked);
  const exact = hits.filter((hit) => hit.exact);
  const order = exact.find(({ kind }) => kind === 'order');
  if (order?.orderKey !== undefined) return order.orderKey;
  const candidates = exact.length > 0 ? exact : hits;
  const [first] = candidates;
  if (first === undefined) {
    if (gaps !== undefined) shell.say(gaps);
    return orderKeyOf(asked);
  }
  if (
    first.orderKey !== undefined &&
    candidates.every(({ orderKey }) => orderKey === first.orderKey)
  ) {
    shell.say(
      `${kinds[first.kind]} ${valueOf(first)} belongs to order ${first.merchantOrderId ?? first.orderKey}.`,
    );
    return first.orderKey;
  }
  if (json) for (const hit of candidates) shell.print(JSON.stringify(hit));
  else printTable(shell, columns, candidates);
  const advice = 'Repeat the command with one of the orders in the list.';
  throw new CommandFailure(
    ['No single order has this text.', advice, gaps].filter(Boolean).join(' '),
  );
}

/** Returns the search results, including the kinds of IDs that take long to search. */
async function findAll(
  shell: Shell,
  q: string,
): Promise<{ hits: SearchHit[]; gaps: string | undefined }> {
  const { groups, notSearched, unsearched } = await get(shell, '/search', searchSchema, { q });
  const all = [...groups];
  for (const kind of unsearched) {
    const more = await get(shell, '/search', searchSchema, { q, fragments: kind });
    all.push(...more.groups);
  }
  // The other kinds of IDs were searched since.
  const gaps = gapsText(notSearched?.filter(({ gap }) => gap !== 'fragments'));
  return { hits: all.flatMap(({ hits }) => hits), gaps };
}

const kinds: Readonly<Record<SearchHit['kind'], string>> = {
  order: 'Order',
  case: 'Case',
  reference: 'Reference',
  charge: 'Charge',
  transaction: 'Transaction',
  application: 'Application',
  amount: 'Amount',
  lender: 'Lender',
  person: 'Person',
  import: 'Import',
};

function valueOf({ kind, value, amount = 0, currency = '', of, code }: SearchHit): string {
  if (kind !== 'amount') return value;
  return `${written(amount, currency)} (${code ?? of})`;
}

const columns: TableColumn<SearchHit>[] = [
  { head: 'KIND', cell: ({ kind }) => kinds[kind] },
  { head: 'MATCH', cell: valueOf },
  { head: 'ORDER', cell: ({ orderKey, merchantOrderId }) => merchantOrderId ?? orderKey ?? '' },
  { head: 'TIME', cell: ({ at }) => at ?? '' },
];
