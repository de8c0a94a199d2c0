import { html, nothing, svg } from 'lit';
import type { TemplateResult } from 'lit';
import { formatMoney } from '../texts/money.ts';
import { noticeOf } from './view.ts';
import type { Notice, View } from './view.ts';

/** A picture says the same as the title, so it is hidden from assistive technology. */
const pictures = {
  tick: svg`<path d="M7 12.5l3.5 3.5L17 9"/>`,
  clock: svg`<path d="M12 7v5l3.5 2"/>`,
  word: svg`<path d="M12 11v6M12 7.5v.01"/>`,
};

function pictureOf(name: Notice['name']): TemplateResult {
  const inner =
    name === 'approved'
      ? pictures.tick
      : ['pending', 'confirming', 'checking', 'expired', 'stale'].includes(name)
        ? pictures.clock
        : pictures.word;
  return html`<svg viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="10" />
    ${inner}
  </svg>`;
}

/** What a notice says, with the amount filled in. */
export function textOf(name: Notice['name'], { amount, texts }: View): string {
  // Where no answer told the amount, the sentence that needs it is left out.
  const text = texts[name];
  if (!text.includes('{amount}')) return text;
  return amount ? text.replaceAll('{amount}', () => formatMoney(amount, texts.lang)) : '';
}

function labelOf(action: Notice['action'], view: View): string {
  const { phase, resumable, texts } = view;
  if (phase === 'leaving') return texts.working;
  return texts[action ?? (resumable ? 'resume' : 'label')];
}

/** What stands in the page itself: the button, and after an attempt how it ended. */
export function placeView(
  view: View,
  announcement: string,
  disabled: boolean,
  act: () => void,
): TemplateResult {
  const { phase, resumable, texts } = view;
  const notice = noticeOf(view);
  const busy = phase === 'leaving';
  // The shop's own label is for starting only; going on from an outcome has a word of its own.
  const own = !busy && (!notice?.action || notice.action === 'label');
  const label = labelOf(notice?.action, view);
  return html`
    <section part="outcome" class=${notice?.name ?? ''} ?hidden=${!notice}>
      ${notice ? pictureOf(notice.name) : nothing}
      <div>
        <h3 part="outcome-title" tabindex="-1">${notice && texts[`${notice.name}Title`]}</h3>
        <p part="outcome-text">${notice && textOf(notice.name, view)}</p>
      </div>
    </section>
    <button
      part="button"
      class="button"
      id="start"
      type="button"
      ?disabled=${disabled}
      ?hidden=${notice && !notice.action}
      aria-disabled=${busy}
      @click=${act}
    >
      <slot name=${own ? (resumable ? 'resume-label' : 'label') : 'none'}>${label}</slot>
    </button>
    <div part="other-methods" ?hidden=${!notice?.others}><slot name="other-methods"></slot></div>
    <p class="unseen" role="status">${announcement}</p>
  `;
}
