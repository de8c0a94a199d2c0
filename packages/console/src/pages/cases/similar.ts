import { html, nothing, type TemplateResult } from 'lit';
import type { CaseRecord, SimilarCases } from '@financing-checkout/contract/reconciliation';
import { texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { amountView } from '../../parts/values.ts';
import { cardView } from '../../parts/views.ts';
import { caseStateView } from './filters.ts';

/** Shows how cases with the same code and lender are handled, with a link to all of them. */
export function similarView(
  code: string,
  { cases: list, count, lender }: SimilarCases,
): TemplateResult {
  const { cases } = texts();
  const query = new URLSearchParams({ state: 'all', code });
  if (lender !== undefined) query.set('lender', lender);
  return cardView(
    cases.similar.title,
    html`<p class="quiet">${cases.similar.of(lender)}</p>
      <ul class="similar">
        ${list.map(caseItem)}
      </ul>
      <a href="${paths.cases}?${query.toString()}">${cases.similar.all(count)}</a>`,
  );
}

/** Shows a case in a short list: its order, its amount, and how it is handled. */
export function caseItem(one: CaseRecord): TemplateResult {
  const { amount, currency, currencyAssumed, id, merchantOrderId, orderKey, reason } = one;
  return html`<li>
    <a class="id" href=${paths.case(id)}>${merchantOrderId ?? orderKey}</a>
    ${amountView(amount, currency, currencyAssumed)} ${caseStateView(one)}
    ${reason === undefined ? nothing : html`<blockquote>${reason}</blockquote>`}
  </li>`;
}
