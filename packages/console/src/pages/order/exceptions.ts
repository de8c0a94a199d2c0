import { html, nothing, type TemplateResult } from 'lit';
import type { CaseRecord, OrderExplanation } from '@financing-checkout/contract/reconciliation';
import { formats, texts } from '../../locale/locale.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { paths } from '../../parts/navigation.ts';
import { amountView, headlineText, orderLink } from '../../parts/values.ts';
import { badgeView, cardView, maybe, quiet } from '../../parts/views.ts';
import type { Part } from './comparison.ts';
import { reasonsOf } from './explanation.ts';

/** Shows an order's exceptions with their rules, cases, and possibly related orders. */
export function exceptionsView({ cases, currencies, orderKey }: OrderExplanation): TemplateResult {
  const { order } = texts();
  const found = currencies.flatMap((part) =>
    (part.status?.exceptions ?? []).map((exception) => ({ exception, part })),
  );
  const closed = cases.filter(
    (one) =>
      !found.some(
        ({ exception, part }) => exception.code === one.code && part.currency === one.currency,
      ),
  );
  const calm = html`<p class="calm">
    <wa-icon name="circle-check"></wa-icon> ${order.noExceptions}
  </p>`;
  return cardView(
    order.exceptions,
    html`${
        found.length === 0
          ? calm
          : html`<ul class="parted">
              ${found.map(({ exception, part }) => exceptionView(exception, part, cases))}
            </ul>`
      }
      ${currencies.map((part) => reasonsView(part, currencies.length > 1))}
      ${currencies.map((part) => suggestionsView(part))}
      <ul class="order-cases">
        ${closed.map((one) => html`<li>${caseView(one)} ${headlineText(one.code)}</li>`)}
      </ul>`,
    found.length === 0 ? nothing : exportLinks('exceptions', { orderKey }),
  );
}

type Exception = NonNullable<Part['status']>['exceptions'][number];

function exceptionView(
  { code, amount, since }: Exception,
  { currency, currencyAssumed }: Part,
  cases: readonly CaseRecord[],
) {
  const { common, exceptions, help, order } = texts();
  const { meaning, todo } = exceptions[code];
  const own = cases.filter((one) => one.code === code && one.currency === currency);
  return html`<li>
    <div class="row spread">
      <h3>${headlineText(code)}</h3>
      <strong>${amountView(amount, currency, currencyAssumed)}</strong>
    </div>
    <p class="quiet small"><code>${code}</code> · ${common.since(formats().day(since))}</p>
    <p>${meaning}</p>
    <p><strong>${help.todo}:</strong> ${todo}</p>
    ${own.length === 0 ? quiet(order.noCase, true) : nothing}
    ${own.map((one) => html`<p>${caseView(one)}</p>`)}
  </li>`;
}

function caseView({ id, state, assignee, reason }: CaseRecord) {
  const { order, words } = texts();
  return html`<a class="case-link" href=${paths.case(id)}>${order.toCase}</a>
    ${badgeView(state === 'open' ? 'warning' : 'neutral', words.caseStates[state])}
    ${[assignee, reason].map((one) => maybe(one, (text) => html`<span class="quiet"> ${text}</span>`))}`;
}

export function reasonsView(part: Part, hasMore: boolean) {
  const { order } = texts();
  const { lang, sentences } = reasonsOf(part);
  if (sentences.length === 0) return nothing;
  return html`<h3>${order.statusReasons}${hasMore ? ` (${part.currency || '?'})` : ''}</h3>
    <ul lang=${lang}>
      ${sentences.map((reason) => html`<li>${reason}</li>`)}
    </ul>`;
}

export function suggestionsView({ suggestions, currency, currencyAssumed }: Part) {
  const { order } = texts();
  if (suggestions.length === 0) return nothing;
  return html`<h3>${order.suggestions}</h3>
    ${quiet(order.suggestionsHint, true)}
    <ul class="order-suggestions">
      ${suggestions.map(
        ({ orderKey, merchantOrderId, open, daysApart }) =>
          html`<li>
            ${orderLink(orderKey, merchantOrderId)}
            <span class="quiet">${order.suggestionDays(daysApart)}</span>
            <span class="end">${amountView(open, currency, currencyAssumed)}</span>
          </li>`,
      )}
    </ul>`;
}
