import { html, nothing } from 'lit';
import type { Today, TodayKind } from '@financing-checkout/contract/reconciliation';
import { formats, texts } from '../../locale/locale.ts';
import { addressWith, filters, setFilters } from '../../parts/navigation.ts';
import { amountView } from '../../parts/values.ts';
import { cardView, pairsView, quiet } from '../../parts/views.ts';
import { icons } from './items.ts';

type Sums = Pick<Today, 'amounts' | 'assumed'>;

/** Shows a kind of work with its count, as a button that lists only this kind. */
export function kindView(kind: TodayKind, count: number) {
  const isChosen = filters().kind === kind;
  if (count === 0 && !isChosen) return nothing;
  return html`<li>
    <button
      class="pill"
      aria-pressed=${isChosen ? 'true' : 'false'}
      @click=${() => setFilters({ kind: isChosen ? undefined : kind, currency: undefined })}
    >
      <wa-icon name=${icons[kind]}></wa-icon> ${texts().today.kinds[kind]}
      <span>${formats().number(count)}</span>
    </button>
  </li>`;
}

/** Lists the kinds without work in one line. */
export function noneView(kinds: readonly (readonly [TodayKind, number])[]) {
  const { today } = texts();
  // Most ledgers never raise the question of their start, and a line without alarms would reassure too much.
  const none = kinds.flatMap(([kind, count]) =>
    count === 0 && kind !== 'ledger-start' && kind !== 'alarm' ? [today.kinds[kind]] : [],
  );
  return none.length === 0 ? nothing : quiet(today.none(formats().list.format(none)), true);
}

/** Shows the money for all kinds, below the work. */
export function sumsOfKinds(kinds: readonly (readonly [TodayKind, number])[], sums: Sums) {
  const shown = kinds.filter(([kind]) => (sums.amounts[kind]?.length ?? 0) > 0);
  if (shown.length === 0) return nothing;
  return cardView(
    texts().today.money,
    pairsView(
      'figures',
      shown.map(([kind]) => [
        texts().today.kinds[kind],
        html`${sums.amounts[kind]?.map(
          ({ amount, currency }) => html`<div>${amountView(amount, currency)}</div>`,
        )}
        ${assumedView(kind, sums.assumed[kind])}`,
      ]),
    ),
  );
}

/** Shows a kind's sums as links, each of which lists the items that it includes. */
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

/** Shows the number of items that no sum includes because their currency is assumed. */
function assumedView(kind: TodayKind, count = 0) {
  if (count === 0) return nothing;
  const { cases, today } = texts();
  const { assumed } = kind === 'ledger-start' ? today.ledgerStart : cases.aging;
  return html`<span class="quiet">${assumed(count)}</span>`;
}
