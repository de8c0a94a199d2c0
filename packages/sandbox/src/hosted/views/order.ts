import { html } from 'hono/html';
import type { Session } from '../../checkout/session.ts';
import type { Text } from '../text/index.ts';
import { formatFor } from './format.ts';
import type { Html } from './page.ts';

/** The order: its total always, its lines on demand where there is little room. */
export function orderView(text: Text, session: Session): Html {
  const { money } = formatFor(text.locale, session.currency);
  const row = (name: string, value: string) =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  return html`<aside class="order" aria-labelledby="order-title">
    <div class="order-head">
      <h2 id="order-title">${text.order.title}</h2>
      <p class="reference">${text.order.reference(session.merchantOrderId)}</p>
    </div>
    <details class="order-lines" data-open-when-wide>
      <summary>${text.order.show}</summary>
      <ul>
        ${session.lines.map(
          (line) =>
            html`<li>
              <span
                ><span class="count">${text.order.quantity(line.quantity)}</span> ${line.name}</span
              >
              <span class="figure">${money(line.amount)}</span>
            </li>`,
        )}
      </ul>
      <dl class="figures">
        ${session.discount > 0 ? row(text.order.discount, money(-session.discount)) : ''}
        ${row(text.order.shipping, session.shipping > 0 ? money(session.shipping) : text.order.free)}
        ${row(text.order.tax, money(session.tax))}
      </dl>
    </details>
    <dl class="figures total">${row(text.order.total, money(session.total))}</dl>
  </aside>`;
}
