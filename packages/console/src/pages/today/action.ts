import { LitElement, html, nothing } from 'lit';
import type { TodayItem } from '@financing-checkout/contract';
import { ApiError, newKey, post } from '../../api/client.ts';
import type { Session } from '../../api/session.ts';
import { texts } from '../../locale/locale.ts';
import { problemView } from '../../parts/states.ts';
import { isUnclear } from '../order/pending-move.ts';

type Outcome = 'done' | 'not-done';

/**
 * What a person can do with an item where it is listed: send a message again, or report the outcome
 * of an unclear operation. Fires `done`.
 */
class TodayAction extends LitElement {
  static override properties = {
    item: { attribute: false },
    session: { attribute: false },
    isBusy: { state: true },
    problem: { state: true },
    outcome: { state: true },
  };
  declare item: TodayItem;
  declare session: Session;
  declare isBusy: boolean;
  declare problem: unknown;
  declare outcome: Outcome | undefined;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  async #run(path: string, body: object): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    this.problem = undefined;
    const name = `financing-console-action:${encodeURIComponent(this.session.name)}:${path}`;
    try {
      await post(path, body, { key: keyOf(name, JSON.stringify(body)) });
      // The same action after this one is another action.
      sessionStorage.removeItem(name);
      this.querySelector('dialog')?.close();
      this.dispatchEvent(new CustomEvent('done'));
    } catch (error) {
      if (error instanceof ApiError && !isUnclear(error)) sessionStorage.removeItem(name);
      this.problem = problemView(error);
    } finally {
      this.isBusy = false;
    }
  }

  #resend(path: string) {
    const { today: words } = texts();
    return html`<wa-button
        size="s"
        appearance="outlined"
        ?loading=${this.isBusy}
        @click=${() => void this.#run(path, {})}
        >${words.resend}</wa-button
      >
      ${
        this.problem === undefined
          ? nothing
          : html`<p class="problem" role="alert">${this.problem}</p>`
      }`;
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const { today: words } = texts();
    const note = textOf(data, 'note');
    const outcome = data.get('outcome');
    if (outcome !== 'done' && outcome !== 'not-done') this.problem = words.outcomeMissing;
    else if (note === '') this.problem = words.noteMissing;
    else void this.#run(`/charge-operations/${this.item.id}/resolution`, { outcome, note });
  }

  #resolve() {
    const { today: words, common } = texts();
    const open = () => {
      this.problem = undefined;
      this.querySelector('dialog')?.showModal();
    };
    return html`<wa-button size="s" appearance="outlined" @click=${open}>${words.report}</wa-button>
      <dialog class="form" aria-labelledby="resolve-${this.item.id}">
        <form @submit=${(event: SubmitEvent) => this.#submit(event)} novalidate>
          <h2 id="resolve-${this.item.id}">${words.reportTitle}</h2>
          <p class="quiet">${words.reportHint}</p>
          <fieldset>
            <legend class="sr">${words.reportTitle}</legend>
            <label class="choice"
              ><input type="radio" name="outcome" value="done" /> ${words.done}</label
            >
            <label class="choice"
              ><input type="radio" name="outcome" value="not-done" /> ${words.notDone}</label
            >
          </fieldset>
          <label><span>${words.note}</span><textarea name="note" rows="3"></textarea></label>
          <p class="problem" role="alert">${this.problem ?? nothing}</p>
          <div class="row">
            <wa-button type="submit" variant="brand" ?loading=${this.isBusy}
              >${words.report}</wa-button
            >
            <wa-button appearance="plain" @click=${() => this.querySelector('dialog')?.close()}
              >${common.cancel}</wa-button
            >
          </div>
        </form>
      </dialog>`;
  }

  protected override render() {
    const { item, session } = this;
    if (item.kind === 'unclear-operation' && session.canMoveMoney) return this.#resolve();
    if (item.kind === 'dead-webhook' && session.canMoveMoney) {
      return this.#resend(`/webhooks/${item.id}/replay`);
    }
    if (item.kind === 'dead-alert' && session.scopes.includes('cases')) {
      return this.#resend(`/alerts/${item.id}/replay`);
    }
    return nothing;
  }
}

/** Returns the key of an action: the same for the same body until it is removed, also after a reload. */
function keyOf(name: string, body: string): string {
  const stored = sessionStorage.getItem(name);
  if (stored !== null) {
    const last = JSON.parse(stored) as { key: string; body: string };
    if (last.body === body) return last.key;
  }
  const key = newKey();
  sessionStorage.setItem(name, JSON.stringify({ key, body }));
  return key;
}

function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

customElements.define('today-action', TodayAction);
