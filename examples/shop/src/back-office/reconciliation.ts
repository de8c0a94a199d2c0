import type { FundingSync, OrderStatusRecord } from '@financing-checkout/contract/reconciliation';
import { html } from 'hono/html';
import type { Html } from '../page/layout.ts';

/** An answer from reconciliation, or why there is none. */
export type Reconciliation =
  | { statuses: readonly OrderStatusRecord[]; last: FundingSync | undefined }
  | { unavailable: string };

/** Headlines that need no action, and those that resolve with time. Someone must look at all others. */
const good = new Set([
  'FUNDED',
  'NOTHING_DUE',
  'REFUNDED',
  'PARTIALLY_REFUNDED',
  'CHARGEBACK_REVERSED',
]);
const pending = new Set(['AWAITING_FUNDING', 'PARTIALLY_FUNDED']);

/** Returns whether someone must look at an order with this headline. */
export function isWrong(headline: string): boolean {
  return !good.has(headline) && !pending.has(headline);
}

const words: Record<string, string> = {
  FUNDED: 'Funded',
  AWAITING_FUNDING: 'On its way',
  PARTIALLY_FUNDED: 'Partly funded',
  NOTHING_DUE: 'Nothing due',
  NOT_IN_LEDGER: 'Not in the ledger',
  MDR_VARIANCE: 'Discount differs',
  MDR_NOT_RETURNED: 'Discount not returned',
};

/** Renders an order's status with its reasons, for a table cell; undefined means unknown. */
export function statusCell(statuses: readonly OrderStatusRecord[] | undefined): Html {
  if (statuses === undefined) return html`<td class="muted">Not known now</td>`;
  if (statuses.length === 0) return html`<td class="muted">Nothing settled yet</td>`;
  return html`<td class="reconciled">
    ${statuses.map(({ headline, reasons }) => {
      const kind = good.has(headline) ? 'paid' : isWrong(headline) ? 'wrong' : 'in-review';
      return html`<span class="badge ${kind}">${words[headline] ?? inWords(headline)}</span>
        ${reasons.map((reason) => html`<span class="reason">${reason}</span>`)}`;
    })}
  </td>`;
}

/**
 * Renders the time of the last sync, and the button that starts one.
 * @param isSyncing whether a sync is running; the page then follows it
 */
export function syncBar(reconciliation: Reconciliation, isSyncing: boolean): Html {
  if ('unavailable' in reconciliation) {
    return html`<p class="note warning" role="status">
      ${reconciliation.unavailable} Whether lenders have paid is not shown.
    </p>`;
  }
  const { last } = reconciliation;
  const running = last?.state === 'running';
  return html`<form
    class="sync"
    method="post"
    action="/admin/sync"
    ${isSyncing ? html`data-under-way` : ''}
  >
    <div>
      <p role="status" data-live="state">${stateOf(last)}</p>
      <p data-live="progress">
        ${running ? html`${last.days.done} of ${last.days.planned} days.` : ''}
      </p>
    </div>
    <span data-live="button">
      <button ${running ? html`disabled` : ''}>Read fundings now</button>
    </span>
  </form>`;
}

function stateOf(last: FundingSync | undefined): Html {
  if (last === undefined) return html`Fundings have not been read yet.`;
  const { endedAt, quarantined, records, reason, state } = last;
  if (state === 'running') return html`<span class="waiting">Reading fundings</span>`;
  const when = endedAt?.slice(0, 16).replace('T', ' ') ?? '';
  return state === 'complete'
    ? html`${records} ${records === 1 ? 'funding' : 'fundings'} read to the end, ${when} UTC.
      ${
        quarantined > 0
          ? html`<span class="error">
              ${quarantined} of them could not be read and ${quarantined === 1 ? 'is' : 'are'} in no
              status: “financing-reconcile status” says why.
            </span>`
          : ''
      }`
    : html`<span class="error">
        Fundings were not read to the end (${reason ?? state}): what is missing may only not be read
        yet.
      </span>`;
}

/** Formats a headline as words, such as "Missing at lender". */
function inWords(headline: string): string {
  const text = headline.toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
