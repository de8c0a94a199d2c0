import { html, nothing } from 'lit';
import type { Today, TodayKind } from '@financing-checkout/contract/reconciliation';
import { formats, texts } from '../../locale/locale.ts';
import { addressWith, filters, setFilters } from '../../parts/navigation.ts';
import { amountView } from '../../parts/values.ts';
import { icons } from './items.ts';

type Sums = Pick<Today, 'amounts' | 'assumed'>;

/** Shows a kind of work with its number and money, as a button that lists only this kind. */
export function kindView(kind: TodayKind, count: number, { amounts, assumed }: Sums) {
  const isChosen = filters().kind === kind;
  // Most ledgers never raise this question.
  if (kind === 'ledger-start' && count === 0 && !isChosen) return nothing;
  return html`<li>
    <button
      class="kind ${count === 0 ? 'none' : ''}"
      aria-pressed=${isChosen ? 'true' : 'false'}
      @click=${() => setFilters({ kind: isChosen ? undefined : kind, currency: undefined })}
    >
      <wa-icon name=${icons[kind]}></wa-icon>
      <span class="number">${formats().number(count)}</span>
      <span>${texts().today.kinds[kind]}</span>
      ${amounts[kind]?.map(
        ({ amount, currency }) => html`<span class="money">${amountView(amount, currency)}</span>`,
      )}
      ${assumedView(kind, assumed[kind])}
    </button>
  </li>`;
}

/** Shows the sums of a kind as links: each lists the items that it adds up. */
export function sumsView(kind: TodayKind, { amounts, assumed }: Sums) {
  const sums = amounts[kind] ?? [];
  if (sums.length === 0) return nothing;
  const { currency: chosen } = filters();
  return html`<p class="matching">
    ${sums.map(
      ({ amount, currency }) =>
        html`<a
          href=${addressWith({ currency: chosen === currency ? '' : currency })}
          aria-current=${chosen === currency ? 'true' : nothing}
          >${amountView(amount, currency)}</a
        > `,
    )}
    ${assumedView(kind, assumed[kind])}
  </p>`;
}

/** Shows the number of items that no sum includes, because their currency is assumed. */
function assumedView(kind: TodayKind, count = 0) {
  if (count === 0) return nothing;
  const { cases, today } = texts();
  const { assumed } = kind === 'ledger-start' ? today.ledgerStart : cases.aging;
  return html`<span class="quiet">${assumed(count)}</span>`;
}
