import { html } from 'lit';
import type { OrderExplanation } from '@financing-checkout/contract/reconciliation';
import { texts } from '../../locale/locale.ts';
import { explanationText } from './explanation.ts';

/** Shows the explanation as text, and the raw API response. */
export function recordsView(explanation: OrderExplanation) {
  const { order } = texts();
  return html`<div class="card">
    <details>
      <summary><h2>${order.explanation}</h2></summary>
      <div class="scroll-x" tabindex="0" role="region" aria-label=${order.explanation}>
        <pre>${explanationText(explanation)}</pre>
      </div>
    </details>
    <details>
      <summary><h2>${order.raw}</h2></summary>
      <p class="quiet small">${order.rawHint}</p>
      <div class="scroll-x raw" tabindex="0" role="region" aria-label=${order.raw}>
        <pre>${JSON.stringify(explanation, null, 2)}</pre>
      </div>
    </details>
  </div>`;
}
