import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { View } from './view.ts';

const cross = html`<svg viewBox="0 0 24 24" aria-hidden="true">
  <path d="M6 6l12 12M18 6L6 18" />
</svg>`;

/**
 * Renders the dialog. Other code inserts the frame into `.frame`, because a moved frame would
 * reload. Each text is set as `textContent`, which replaces nodes inserted by a page translator.
 */
export function dialogView(
  { phase, session, texts }: Pick<View, 'phase' | 'session' | 'texts'>,
  amount: string,
  announcement: string,
  close: () => void,
): TemplateResult {
  const waiting = phase === 'opening' || phase === 'loading';
  return html`
    <dialog part="dialog" aria-labelledby="title">
      <header part="header">
        <h2 part="title" id="title" tabindex="-1" .textContent=${texts.dialog}></h2>
        <span part="amount" .textContent=${amount}></span>
        <button part="close" type="button" aria-label=${texts.close} @click=${close}>
          ${cross}
        </button>
      </header>
      <div class="stage" aria-busy=${waiting}>
        <div class="frame" ?hidden=${phase === 'slow'}></div>
        <div class="skeleton" part="skeleton" aria-hidden="true" ?hidden=${!waiting}>
          <i></i><i></i><i></i><i></i><i></i><i></i><i></i>
        </div>
        <div class="slow ${phase}" ?hidden=${waiting || phase === 'shown'}>
          <p .textContent=${announcement}></p>
          <button
            part="button"
            class="button"
            type="button"
            @click=${() => session?.reload()}
            .textContent=${texts.tryAgain}
          ></button>
          <button
            part="second-button"
            class="button quiet"
            type="button"
            ?hidden=${!session?.hasNext}
            @click=${() => session?.next()}
            .textContent=${texts.elsewhere}
          ></button>
        </div>
      </div>
      <p class="unseen" role="status" .textContent=${announcement}></p>
    </dialog>
  `;
}
