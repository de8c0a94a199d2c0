import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { Told, View } from './view.ts';

/** Draws what is in the page itself: the button, and after an attempt the notice of how it ended. */
export function placeView(
  { phase, resumable, texts }: View,
  told: Told | undefined,
  announcement: string,
  disabled: boolean,
  on: { act: () => void; second: () => void },
): TemplateResult {
  // With a window open already there may be no words for it yet.
  const busy = phase === 'leaving' || (phase === 'away' && !told);
  // The shop's own label is for starting only; going on from an outcome has a word of its own.
  const own = !busy && (!told?.action || told.action === 'label');
  const label = busy ? texts.working : texts[told?.action ?? (resumable ? 'resume' : 'label')];
  // Busy, the button is not disabled: the focus comes back to it before there is anything to tell.
  return html`
    <section part="outcome" class=${told?.name ?? ''} ?hidden=${!told}>
      ${told?.picture}
      <div>
        <h3 part="outcome-title" tabindex="-1" .textContent=${told?.title}></h3>
        <p part="outcome-text" .textContent=${told?.text}></p>
      </div>
    </section>
    <button
      part="button"
      class="button"
      id="start"
      type="button"
      ?disabled=${disabled && !busy}
      ?hidden=${told && !told.action}
      aria-disabled=${busy}
      @click=${on.act}
    >
      <slot
        name=${own ? (resumable ? 'resume-label' : 'label') : 'none'}
        .textContent=${label}
      ></slot>
    </button>
    <button
      part="second-button"
      class="button quiet"
      type="button"
      ?hidden=${!told?.second}
      @click=${on.second}
      .textContent=${told?.second}
    ></button>
    <div part="other-methods" ?hidden=${!told?.others}><slot name="other-methods"></slot></div>
    <p class="unseen" role="status" .textContent=${announcement}></p>
  `;
}
