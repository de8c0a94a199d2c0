import { html, nothing } from 'lit';
import type { SealVerification } from '@financing-checkout/contract/reconciliation';
import { call } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { Action } from '../../parts/action.ts';
import { LightElement } from '../../parts/element.ts';
import { loadingView } from '../../parts/states.ts';
import { chainView, quiet } from '../../parts/views.ts';
import './hash.ts';

/** Verifies all seals on demand. */
class CloseSeals extends LightElement {
  readonly #verification = new Action(this, () => call('get /periods/verification', {}));

  protected override render() {
    const { close } = texts();
    return html`<section class="card" aria-label=${close.verify}>
      <h2>${close.verify}</h2>
      ${quiet(close.verifyText)}
      <wa-button
        appearance="outlined"
        ?loading=${this.#verification.isRunning}
        @click=${() => void this.#verification.run()}
        ><wa-icon slot="start" name="shield-check"></wa-icon>${close.verifyNow}</wa-button
      >
      <div role="status">${this.#resultView()}</div>
    </section>`;
  }

  #resultView() {
    const { close } = texts();
    const { answer, isRunning } = this.#verification;
    if (answer === undefined) return isRunning ? loadingView(2) : this.#verification.errorView();
    const { isIntact, seals, trail } = answer;
    if (seals.length === 0 && isIntact) {
      return html`<p class="verified">${close.noSeals}</p>`;
    }
    return html`<p class="verified">
        <strong class=${isIntact ? 'good' : 'bad'}
          >${isIntact ? close.verified : close.altered}</strong
        >
        ${trail === undefined ? nothing : close.trailAltered}
      </p>
      <div class="chains">${seals.map(sealView)}</div>`;
  }
}

function sealView({
  seq,
  period,
  hash,
  checked,
  bytes,
  problems,
}: SealVerification['seals'][number]) {
  const { close } = texts();
  const name = `${close.sealNumber(seq)}, ${period}`;
  const isIntact = problems.length === 0;
  const size = close.bytes(formats().number(Math.ceil(bytes / 1_000)));
  return chainView(
    isIntact ? 'valid' : 'broken',
    isIntact ? close.intact(name) : close.problemsOf(name, problems.length),
    html`${
        isIntact
          ? nothing
          : html`<ul>
              ${problems.map(({ code, subject = '' }) => html`<li>${close.sealProblems[code](subject)}</li>`)}
            </ul>`
      }
      <p>${close.recomputed(checked, size)}</p>
      <close-hash .hash=${hash} .label=${close.copyHash(name)}></close-hash>`,
  );
}

customElements.define('close-seals', CloseSeals);
