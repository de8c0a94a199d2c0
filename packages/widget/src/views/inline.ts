import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { Notice, View } from './view.ts';

type InlineView = Pick<View, 'resumable' | 'offersPhone' | 'texts'>;

/** The notice actions with which a shopper starts again. */
const starts: readonly unknown[] = ['label', 'startAgain', 'tryAgain'];

/** Renders the part that is in the page: the button, and the notice after an attempt. */
export function inlineView(
  { resumable, offersPhone, texts }: InlineView,
  notice: Notice | undefined,
  announcement: string,
  disabled: boolean,
  act: () => void,
  actSecond: () => void,
): TemplateResult {
  // An announcement without a notice asks the shopper to wait.
  const busy = announcement !== '' && !notice;
  // The shop's own label applies only to a first start. After an outcome, the button has its own texts.
  const own = !busy && (!notice?.action || notice.action === 'label');
  const label = busy ? texts.working : texts[notice?.action ?? (resumable ? 'resume' : 'label')];
  const onPhone =
    offersPhone && (!notice || starts.includes(notice.action)) ? texts.phone : undefined;
  const second = notice?.second ?? onPhone;
  // A busy button is not disabled, because the focus returns to it before a notice appears.
  return html`
    <section part="outcome" class=${notice?.name ?? ''} ?hidden=${!notice}>
      ${notice?.picture}
      <div>
        <h3 part="outcome-title" tabindex="-1" .textContent=${notice?.title}></h3>
        <p part="outcome-text" .textContent=${notice?.text}></p>
        ${notice?.body}
      </div>
    </section>
    <button
      part="button"
      class="button"
      id="start"
      type="button"
      ?disabled=${disabled && !busy}
      ?hidden=${notice && !notice.action}
      aria-disabled=${busy}
      @click=${act}
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
      ?disabled=${disabled && Boolean(onPhone)}
      ?hidden=${!second}
      @click=${actSecond}
      .textContent=${second}
    ></button>
    <div part="other-methods" ?hidden=${!notice?.others}><slot name="other-methods"></slot></div>
    <p class="unseen" role="status" .textContent=${announcement}></p>
  `;
}
