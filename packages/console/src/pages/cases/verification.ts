import { html, LitElement, nothing } from 'lit';
import type { TrailDifference, TrailVerification } from '@financing-checkout/contract';
import { get } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { errorView, loadingView } from '../../parts/states.ts';

type Chain = Pick<TrailVerification, 'valid' | 'events' | 'head' | 'broken'>;

const anchorPattern = /^\d{1,15}(?::\d{1,15})?:[0-9a-f]{64}$/;

/** Verifies the trails on request, and compares them with an earlier head. */
class Verify extends LitElement {
  static override properties = {
    answer: { state: true },
    anchor: { state: true },
    problem: { state: true },
    failure: { state: true },
    isBusy: { state: true },
    copied: { state: true },
  };
  declare answer: TrailVerification | undefined;
  /** The head with which the answer was compared. */
  declare anchor: string;
  declare problem: string | undefined;
  declare failure: unknown;
  declare isBusy: boolean;
  declare copied: string | undefined;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  async #verify(event?: SubmitEvent): Promise<void> {
    event?.preventDefault();
    if (this.isBusy) return;
    const input = this.querySelector('input');
    const anchor = input?.value.trim().toLowerCase() ?? '';
    const isWrong = anchor !== '' && !anchorPattern.test(anchor);
    this.problem = isWrong ? texts().cases.actions.anchorInvalid : undefined;
    if (isWrong) {
      input?.focus();
      return;
    }
    this.isBusy = true;
    this.failure = undefined;
    try {
      this.answer = await get<TrailVerification>('/trail/verification', { anchor });
      this.anchor = anchor;
    } catch (error) {
      this.answer = undefined;
      this.failure = error;
    } finally {
      this.isBusy = false;
    }
  }

  async #copy(head: string): Promise<void> {
    await navigator.clipboard.writeText(head);
    this.copied = head;
  }

  protected override render() {
    const { actions } = texts().cases;
    return html`<section class="card verification" aria-labelledby="verify-title">
      <h2 id="verify-title">${actions.verify}</h2>
      <p class="quiet">${actions.verifyText}</p>
      <form novalidate @submit=${(event: SubmitEvent) => void this.#verify(event)}>
        <label class="entry">
          <span>${actions.anchor}</span>
          <input
            class="id"
            autocomplete="off"
            spellcheck="false"
            aria-describedby="anchor-hint anchor-problem"
            aria-invalid=${this.problem === undefined ? 'false' : 'true'}
          />
        </label>
        <wa-button type="submit" variant="brand" ?loading=${this.isBusy}
          ><wa-icon slot="start" name="shield-check"></wa-icon>${actions.verifyNow}</wa-button
        >
      </form>
      <p class="quiet small" id="anchor-hint">${actions.anchorHint}</p>
      <p class="problem" id="anchor-problem" role="alert">${this.problem ?? nothing}</p>
      <div role="status">${this.#resultView()}</div>
    </section>`;
  }

  #resultView() {
    const { actions } = texts().cases;
    const { answer } = this;
    if (this.failure !== undefined) return errorView(this.failure, () => void this.#verify());
    if (answer === undefined) return this.isBusy ? loadingView(2) : nothing;
    return html`<div class="chains">
      ${this.#chainView(actions.chain.cases, answer)}
      ${this.#chainView(actions.chain.actions, answer.actions)} ${comparisonView(answer)}
      ${this.#headView(answer.trail)}
    </div>`;
  }

  /** Shows the head of both trails to copy, or that it is not the one that was entered. */
  #headView({ anchor, valid }: TrailVerification['trail']) {
    const { actions } = texts().cases;
    if (anchor === undefined) {
      // A broken chain states its reason itself.
      const { answer } = this;
      if (valid || answer?.broken !== undefined || answer?.actions.broken !== undefined) {
        return nothing;
      }
      return html`<div class="chain broken">
        <h3><wa-icon name="circle-x"></wa-icon> ${actions.replaced}</h3>
        <p>${actions.replacedHint}</p>
      </div>`;
    }
    return html`<div class="chain valid">
      <h3><wa-icon name="shield-check"></wa-icon> ${actions.head}</h3>
      <p>${this.anchor === '' ? nothing : actions.anchored} ${actions.headHint}</p>
      <div class="row head">
        <code>${anchor}</code>
        <button
          class="plain"
          aria-label="${texts().common.copy}: ${actions.head}"
          @click=${() => void this.#copy(anchor)}
        >
          <wa-icon name="copy"></wa-icon>
          ${this.copied === anchor ? texts().common.copied : texts().common.copy}
        </button>
      </div>
    </div>`;
  }

  #chainView(title: string, chain: Chain) {
    const { actions } = texts().cases;
    const { valid, events, head, broken } = chain;
    const reasons: Readonly<Record<string, string>> = actions.reasons;
    return html`<div class="chain ${valid ? 'valid' : 'broken'}">
      <h3>
        <wa-icon name=${valid ? 'circle-check' : 'circle-x'}></wa-icon> ${title}:
        ${valid ? actions.valid : actions.broken(broken?.seq ?? head.seq)}
      </h3>
      <p>
        ${actions.events(events)}.
        ${
          broken === undefined
            ? nothing
            : html`${reasons[broken.reason] ?? broken.reason}
              ${
                broken.caseId === undefined
                  ? nothing
                  : html`<a class="id" href=${paths.case(broken.caseId)}>${broken.caseId}</a>`
              }`
        }
      </p>
      ${
        valid
          ? nothing
          : html`<p class="small quiet">
              ${formats().number(head.seq)} · <code>${head.hash}</code>
            </p>`
      }
    </div>`;
  }
}

/** Shows what the trail or the companion has alone. */
function comparisonView({ companion, notCompared }: TrailVerification) {
  const { compared } = texts().cases.actions;
  if (companion === undefined) {
    return html`<div class="chain">
      <h3><wa-icon name="circle-alert"></wa-icon> ${compared.title}: ${compared.missing}</h3>
      <p>${compared.missingHint} ${notCompared}</p>
    </div>`;
  }
  const { operations, withoutEntry, withoutOperation } = companion;
  const count = withoutEntry.length + withoutOperation.length;
  return html`<div class="chain ${count === 0 ? 'valid' : 'broken'}">
    <h3>
      <wa-icon name=${count === 0 ? 'circle-check' : 'circle-x'}></wa-icon> ${compared.title}:
      ${count === 0 ? compared.same : compared.differs(count)}
    </h3>
    <p>${compared.operations(operations)}.</p>
    ${differencesView(compared.withoutEntry, withoutEntry)}
    ${differencesView(compared.withoutOperation, withoutOperation)}
  </div>`;
}

function differencesView(title: string, differences: readonly TrailDifference[]) {
  if (differences.length === 0) return nothing;
  return html`<p>${title}</p>
    <ul>
      ${differences.map(
        ({ kind, chargeId, operationId, amount, currency, at, actor }) =>
          html`<li>
            ${texts().cases.actions.kinds[kind]}
            ${
              amount === undefined || currency === undefined
                ? nothing
                : html`<strong>${formats().amount(amount, currency)}</strong>`
            }
            · <span class="id">${chargeId}</span> · <span class="id">${operationId}</span> ·
            ${formats().moment(at)} ${actor === undefined ? nothing : html`· ${actor}`}
          </li>`,
      )}
    </ul>`;
}

customElements.define('trail-verification', Verify);
