import { html, nothing } from 'lit';
import type {
  TrailDifference,
  TrailVerification,
} from '@financing-checkout/contract/reconciliation';
import { get } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { Action } from '../../parts/action.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { paths } from '../../parts/navigation.ts';
import { loadingView } from '../../parts/states.ts';
import { chainView, maybe, plainButton, problemText, quiet } from '../../parts/views.ts';

const anchorPattern = /^\d{1,15}:[0-9a-f]{64}$/;

/** Verifies the audit trail on demand, and compares it with an earlier head. */
class Verify extends elementWith({
  copied: optional<string>(),
}) {
  /** Verifies the trail, and compares it with an earlier head if one is given. */
  readonly #verification = new Action(this, (_request, anchor: string) =>
    get<TrailVerification>('/trail/verification', { anchor }),
  );

  #verify(event: SubmitEvent): void {
    event.preventDefault();
    const input = this.querySelector('input');
    const anchor = input?.value.trim().toLowerCase() ?? '';
    if (anchor === '' || anchorPattern.test(anchor)) {
      void this.#verification.run(anchor);
      return;
    }
    this.#verification.refuse(texts().cases.actions.anchorInvalid);
    input?.focus();
  }

  async #copy(head: string): Promise<void> {
    await navigator.clipboard.writeText(head);
    this.copied = head;
  }

  protected override render() {
    const { actions } = texts().cases;
    const { isRunning, missing } = this.#verification;
    return html`<section class="card verification" aria-labelledby="verify-title">
      <h2 id="verify-title">${actions.verify}</h2>
      <p class="quiet">${actions.verifyText}</p>
      <form novalidate @submit=${(event: SubmitEvent) => this.#verify(event)}>
        <label>
          <span>${actions.anchor}</span>
          <input
            class="id"
            autocomplete="off"
            spellcheck="false"
            aria-describedby="anchor-hint anchor-problem"
            aria-invalid=${missing === undefined ? 'false' : 'true'}
          />
        </label>
        <wa-button type="submit" variant="brand" ?loading=${isRunning}
          ><wa-icon slot="start" name="shield-check"></wa-icon>${actions.verifyNow}</wa-button
        >
      </form>
      <p class="quiet small" id="anchor-hint">${actions.anchorHint}</p>
      ${problemText(missing, 'anchor-problem')}
      <div role="status">${this.#resultView()}</div>
    </section>`;
  }

  #resultView() {
    const { answer, isRunning } = this.#verification;
    if (answer === undefined) return isRunning ? loadingView(2) : this.#verification.errorView();
    return html`<div class="chains">
      ${trailView(answer)} ${comparisonView(answer)} ${this.#headView(answer)}
    </div>`;
  }

  /** Shows a valid trail's head for copying. */
  #headView({ anchor }: TrailVerification) {
    if (anchor === undefined) return nothing;
    const { actions } = texts().cases;
    const { common } = texts();
    const copy = this.copied === anchor ? common.copied : common.copy;
    const hints = { icon: 'copy', label: `${common.copy}: ${actions.head}` };
    return chainView(
      'valid',
      actions.head,
      html`<p>
          ${this.#verification.args?.[0] === '' ? nothing : actions.anchored} ${actions.headHint}
        </p>
        <div class="row head">
          <code>${anchor}</code> ${plainButton(copy, () => this.#copy(anchor), hints)}
        </div>`,
    );
  }
}

function trailView({ broken, events, head }: TrailVerification) {
  const { actions } = texts().cases;
  const reasons: Readonly<Record<string, string>> = actions.reasons;
  const why =
    broken &&
    html`${reasons[broken.reason] ?? broken.reason}
    ${maybe(broken.subject, (id) =>
      id.startsWith('case_')
        ? html`<a class="id" href=${paths.case(id)}>${id}</a>`
        : html`<span class="id">${id}</span>`,
    )}`;
  const place = html`${formats().number(head.seq)} · <code>${head.hash}</code>`;
  return chainView(
    broken === undefined ? 'valid' : 'broken',
    `${actions.trail}: ${broken === undefined ? actions.valid : actions.broken(broken.seq)}`,
    html`<p>${actions.events(events)}. ${why}</p>
      ${broken === undefined ? nothing : quiet(place, true)}`,
  );
}

/** Shows what only the trail or only the companion has. */
function comparisonView({ companion, notCompared }: TrailVerification) {
  const { actions, sheet } = texts().cases;
  const { compared } = actions;
  if (companion === undefined) {
    const hint = html`<p>${compared.missingHint} ${notCompared}</p>`;
    return chainView('missing', `${compared.title}: ${compared.missing}`, hint);
  }
  const { operations, withoutEntry, withoutOperation } = companion;
  const count = withoutEntry.length + withoutOperation.length;
  const verdict = count === 0 ? compared.same : sheet.differences(count);
  return chainView(
    count === 0 ? 'valid' : 'broken',
    `${compared.title}: ${verdict}`,
    html`<p>${compared.operations(operations)}.</p>
      ${differencesView(compared.withoutEntry, withoutEntry)}
      ${differencesView(compared.withoutOperation, withoutOperation)}`,
  );
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
