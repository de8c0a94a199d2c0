import { html, nothing, type TemplateResult } from 'lit';
import type { CaseRecord, OrderExplanation } from '@financing-checkout/contract/reconciliation';
import { pathOfOrder } from '../../api/client.ts';
import { texts } from '../../locale/locale.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { paths } from '../../parts/navigation.ts';
import { headlineText } from '../../parts/values.ts';
import { cardView, copyButton } from '../../parts/views.ts';
import { comparisonView, type Part } from '../order/comparison.ts';
import { reasonsView, suggestionsView } from '../order/exceptions.ts';
import { momentsOf } from '../order/moments.ts';
import { timelineView } from '../order/timeline.ts';
import { concernsService, messageOfCase } from './message.ts';

interface Copying {
  copy: (text: string) => unknown;
  isCopied: boolean;
}

/**
 * Explains a case: what its code means, the reasons, expected and funded amounts, and the order's
 * other open cases.
 */
export function whyView(
  one: CaseRecord,
  order: OrderExplanation | undefined,
  copying: Copying,
): TemplateResult {
  const { cases, exceptions, help } = texts();
  const { meaning, todo } = exceptions[one.code];
  const part = partOf(one, order);
  const others = (order?.cases ?? []).filter(({ id, state }) => id !== one.id && state === 'open');
  return html`${cardView(
    cases.whyTitle,
    html`<p>${meaning}</p>
      <p><strong>${help.todo}:</strong> ${todo}</p>
      ${part === undefined ? nothing : [reasonsView(part, false), suggestionsView(part)]}
      ${others.length === 0 ? nothing : othersView(others)}`,
    part === undefined
      ? nothing
      : copyButton(
          concernsService(one.code) ? cases.copyMessageToService : cases.copyMessage,
          copying.isCopied,
          () => copying.copy(messageOfCase(one, part)),
        ),
  )}
  ${part === undefined ? nothing : comparisonView(part, texts().order.comparison, one.orderKey)}`;
}

/** Shows what happened to the order. */
export function orderTimelineView(order: OrderExplanation): TemplateResult {
  const { orderKey } = order;
  const moments = momentsOf(order, { charges: [] });
  return timelineView(
    moments,
    [],
    exportLinks('order-timeline', {}, { path: `${pathOfOrder(orderKey)}/timeline` }),
  );
}

function partOf({ currency }: CaseRecord, order: OrderExplanation | undefined): Part | undefined {
  return order?.currencies.find((part) => part.currency === currency);
}

function othersView(others: readonly CaseRecord[]): TemplateResult {
  return html`<h3>${texts().cases.otherCases}</h3>
    <ul>
      ${others.map(({ code, id }) => html`<li><a href=${paths.case(id)}>${headlineText(code)}</a></li>`)}
    </ul>`;
}
