import { html, nothing, type TemplateResult } from 'lit';
import type {
  ExceptionCode,
  Headline,
  TrailEntry,
} from '@financing-checkout/contract/reconciliation';
import { formats, texts } from '../locale/locale.ts';
import { paths } from './navigation.ts';
import type { Column } from './table.ts';
import { badgeView, maybe } from './views.ts';

/**
 * Shows an amount, right-aligned by CSS.
 * @param minor integer minor units; a string beyond 2^53; null: a sum too large to be exact
 */
export function amountView(
  minor: number | string | null,
  currency: string,
  assumed?: boolean,
): TemplateResult {
  const { common } = texts();
  const text = formats().amount(minor, currency);
  return html`<span class="amount ${Number(minor) < 0 ? 'negative' : ''}"
    >${text}${assumed ? html`<abbr title=${common.assumedHelp}>?<span class="sr">${common.assumed}</span></abbr>` : nothing}</span
  >`;
}

/** Returns the label of an exception or status. */
export function headlineText(code: string): string {
  const { exceptions, words } = texts();
  if (code in exceptions) return exceptions[code as ExceptionCode].name;
  return (words.headlines as Record<string, string>)[code] ?? code;
}

/** Returns the label of a kind of entries of the trail. */
export function entryKindText(kind: TrailEntry['kind']): string {
  const { caseKinds, kinds } = texts().cases.actions;
  const words: Readonly<Record<string, string>> = { ...kinds, ...caseKinds };
  return words[kind] ?? kind;
}

const calm = new Set<Headline>(['FUNDED', 'NOTHING_DUE', 'REFUNDED', 'CHARGEBACK_REVERSED']);
const underway = new Set<Headline>([
  'AWAITING_FUNDING',
  'BEFORE_LEDGER',
  'PARTIALLY_FUNDED',
  'PARTIALLY_REFUNDED',
  'CHARGED_BACK',
  'PARTIALLY_CHARGED_BACK',
]);

/** Shows an order's headline: green if nothing needs to be done, red if something does. */
export function headlineView(code: Headline): TemplateResult {
  const variant = calm.has(code) ? 'success' : underway.has(code) ? 'neutral' : 'danger';
  return badgeView(variant, headlineText(code));
}

/** Shows a link to an order. A funding without an order has only an order key. */
export function orderLink(orderKey: string, merchantOrderId: string | undefined): TemplateResult {
  return html`<a class="id" href=${paths.order(orderKey)}>${merchantOrderId ?? orderKey}</a>`;
}

/** Returns the column that names a row's order, with a link to it. */
export const orderColumn = <
  Row extends { orderKey: string; merchantOrderId?: string | undefined },
>(): Column<Row> => ({
  head: texts().common.order,
  isName: true,
  cell: ({ orderKey, merchantOrderId }) => orderLink(orderKey, merchantOrderId),
});

/** Returns a column of amounts in the row's currency. */
export const amountColumn = <Row extends { currency: string; currencyAssumed?: boolean }>(
  head: unknown,
  minorOf: (row: Row) => number | undefined,
  more?: Partial<Column<Row>>,
): Column<Row> => ({
  head,
  class: 'end',
  cell: (row) =>
    maybe(minorOf(row), (minor) => amountView(minor, row.currency, row.currencyAssumed)),
  ...more,
});

/** Returns an environment's name, which the server itself may have chosen. */
export function environmentText(environment: string): string {
  const names: Readonly<Record<string, string>> = texts().shell.environment;
  return names[environment] ?? environment;
}
