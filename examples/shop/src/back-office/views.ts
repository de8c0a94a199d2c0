import type { Funding } from '@financing-checkout/contract/back-office';
import type { OrderStatusRecord } from '@financing-checkout/contract/reconciliation';
import { html } from 'hono/html';
import { formatMoney } from '../money.ts';
import { attention, isPayable, orderStatus } from '../orders/order.ts';
import type { Order } from '../orders/order.ts';
import { statusBadge } from '../orders/views.ts';
import type { Html, Page } from '../page/layout.ts';
import type { FundingsReport } from '../payment/companion.ts';
import { fundingsByOrder } from './fundings.ts';
import type { FundingsByOrder, FundingTotals } from './fundings.ts';
import { isWrong, statusCell, syncBar } from './reconciliation.ts';
import type { Reconciliation } from './reconciliation.ts';

export interface BackOfficeView {
  /** Newest first. */
  orders: readonly Order[];
  /** The fundings report, or why it is missing. */
  report: FundingsReport | { unavailable: string };
  reconciliation: Reconciliation;
  /** Whether a sync is running; the page then follows it. */
  isSyncing: boolean;
}

/** Renders all orders, those that need attention first, each with its status and its fundings. */
export function backOfficePage(view: BackOfficeView): Page {
  const { orders, report, reconciliation, isSyncing } = view;
  const byOrder =
    'statuses' in reconciliation
      ? Map.groupBy(reconciliation.statuses, ({ merchantOrderId }) => merchantOrderId)
      : undefined;
  const sums = fundingsByOrder(orders, 'fundings' in report ? report.fundings : []);
  const { of, rest, totals } = sums;
  const statusesOf = ({ number }: Order) =>
    byOrder === undefined ? undefined : (byOrder.get(number) ?? []);
  const rowsFor = (order: Order) =>
    rowsOf(order, 'fundings' in report ? of(order) : undefined, statusesOf(order));
  const isWork = (order: Order) =>
    attention(order).length > 0 ||
    statusesOf(order)?.some(({ headline }) => isWrong(headline)) === true;
  const work = orders.filter(isWork);
  const others = orders.filter((order) => !isWork(order));
  return {
    title: 'Back office',
    section: 'back-office',
    ...(isSyncing && { refresh: { seconds: 2, address: '/admin' } }),
    main: html`<h1>Back office</h1>
      <div data-live="report">
        ${
          'unavailable' in report
            ? html`<p class="note warning" role="status">
                ${report.unavailable} Orders are shown without their fundings; nothing else is
                affected.
              </p>`
            : ''
        }
      </div>
      ${syncBar(reconciliation, isSyncing)}
      <div data-live="work">
        ${
          work.length === 0
            ? ''
            : html`<h2>Needs you</h2>
                ${table('Orders that need you', work.flatMap(rowsFor), { isLive: false })}`
        }
      </div>
      <div data-live="totals">${totals.map(totalsOf)}</div>
      <h2 data-live="heading">${work.length === 0 ? 'Orders' : 'Other orders'}</h2>
      ${
        orders.length === 0
          ? html`<p class="muted">No orders yet.</p>`
          : table('Orders and their fundings', others.flatMap(rowsFor))
      }
      ${
        rest.length > 0
          ? html`<h2>Fundings of no order here</h2>
              <p class="muted">
                Sent by a lender for an order this page does not list, or one the service cannot
                match.
              </p>
              <div data-live="notes">${notesOf(sums, report)}</div>
              <details>
                <summary>Show ${rest.length} ${rest.length === 1 ? 'funding' : 'fundings'}</summary>
                ${table(
                  'Fundings of no order here',
                  rest.map(
                    (funding) =>
                      html`<tr>
                        <th scope="row">${funding.merchantOrderId ?? 'No order named'}</th>
                        <td></td>
                        <td></td>
                        <td></td>
                        ${fundingCells(funding)}
                      </tr>`,
                  ),
                )}
              </details>`
          : html`<div data-live="notes">${notesOf(sums, report)}</div>`
      }`,
  };
}

/** Renders the fundings that are listed but not included in any sum. */
function notesOf(
  { leftOut, assumedCurrency }: FundingsByOrder,
  report: BackOfficeView['report'],
): Html {
  const unreadable = 'fundings' in report ? report.unreadable : 0;
  return html`${
    leftOut > 0
      ? html`<p class="note">
          ${leftOut} of a kind this page does not know: listed, and in no sum.
        </p>`
      : ''
  }
  ${
    assumedCurrency > 0
      ? html`<p class="note">
          ${assumedCurrency} ${assumedCurrency === 1 ? 'funding' : 'fundings'} of an order that the
          companion does not know, or that is in several currencies: listed with a question mark,
          and in no sum.
        </p>`
      : ''
  }
  ${
    unreadable > 0
      ? html`<p class="note warning">
          ${unreadable} ${unreadable === 1 ? 'funding' : 'fundings'} of the report could not be
          read: not listed, and in no sum.
        </p>`
      : ''
  }`;
}

function totalsOf({ currency, gross, discount, net }: FundingTotals): Html {
  return html`<dl class="tiles" aria-label="Funded in ${currency}">
    <div>
      <dt>Funded, gross</dt>
      <dd>${formatMoney(gross, currency)}</dd>
    </div>
    <div>
      <dt>Discount (MDR)</dt>
      <dd>${formatMoney(discount, currency)}</dd>
    </div>
    <div>
      <dt>Net received</dt>
      <dd>${formatMoney(net, currency)}</dd>
    </div>
  </dl>`;
}

/**
 * @param isLive whether the page replaces its rows; a table inside a live part is replaced along
 * with it
 */
function table(caption: string, rows: Html[], { isLive = true } = {}): Html {
  return html`<div class="table" role="region" aria-label="${caption}" tabindex="0">
    <table ${isLive ? html`data-live="${caption}"` : ''}>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">Order</th>
          <th scope="col">Status</th>
          <th scope="col" class="amount">Total</th>
          <th scope="col">Reconciled</th>
          <th scope="col">Funding</th>
          <th scope="col" class="amount">Gross</th>
          <th scope="col" class="amount">Discount</th>
          <th scope="col" class="amount">Net</th>
          <th scope="col">Funded (UTC)</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** @param fundings undefined if unknown, like `statuses`, as opposed to an empty list */
function rowsOf(
  order: Order,
  fundings: readonly Funding[] | undefined,
  statuses: readonly OrderStatusRecord[] | undefined,
): Html[] {
  const notes = attention(order);
  const [first, ...more] = fundings ?? [];
  const { totalAmount, currency } = order.contents;
  return [
    html`<tr>
      <th scope="row">
        ${order.number} <span class="muted">${formatTime(order.createdAt)} UTC</span>
        ${notes.map((note) => html`<span class="error">${note}</span>`)}
        ${
          isPayable(order)
            ? html`<a href="/admin/orders/${order.id}/link"
                >Send a link<span class="unseen"> for ${order.number}</span></a
              >`
            : ''
        }
      </th>
      <td>${statusBadge(orderStatus(order))}</td>
      <td class="amount">${formatMoney(totalAmount, currency)}</td>
      ${statusCell(statuses)}
      ${
        first
          ? fundingCells(first)
          : html`<td colspan="5" class="muted">
              ${fundings === undefined ? 'Not known now' : 'Nothing funded'}
            </td>`
      }
    </tr>`,
    ...more.map(
      (funding) =>
        html`<tr>
          <th scope="row"><span class="unseen">${order.number}, further funding</span></th>
          <td></td>
          <td></td>
          <td></td>
          ${fundingCells(funding)}
        </tr>`,
    ),
  ];
}

function fundingCells(funding: Funding): Html {
  const good = funding.status === 'RECONCILED';
  const mark = funding.currencyAssumed === true ? '?' : '';
  const amount = ({ value, currency }: Funding['netAmount']) => formatMoney(value, currency) + mark;
  return html`<td class="funding">
      <span class="badge ${good ? 'paid' : 'in-review'}">${breakable(funding.status)}</span>
      <span class="muted funding-of">${funding.transactionType}, ${funding.lenderName}</span>
    </td>
    <td class="amount">${amount(funding.transactionAmount)}</td>
    <td class="amount">${amount(funding.discountAmount)}</td>
    <td class="amount">${amount(funding.netAmount)}</td>
    <td>${formatTime(funding.fundedAt).slice(0, 10)}</td>`;
}

/** Renders a status unchanged, but allows a line break after each word. */
function breakable(status: string): Html[] {
  return status.split('_').map((word, at) => (at === 0 ? html`${word}` : html`_<wbr />${word}`));
}

/** Formats a date as "2026-11-20 14:05" in UTC; returns any other text unchanged. */
function formatTime(iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}
