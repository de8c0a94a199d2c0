import { html, nothing } from 'lit';
import type { TodayItem } from '@financing-checkout/contract';
import { ApiError, newKey, post } from '../../api/client.ts';
import type { Session } from '../../api/session.ts';
import { texts } from '../../locale/locale.ts';
import { formDialog } from '../../parts/dialog.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { textOf } from '../../parts/fields.ts';
import { problemView } from '../../parts/states.ts';
import { problemText, quiet } from '../../parts/views.ts';
import { isUnclear } from '../order/pending-move.ts';

/**
 * The action that a user can take on an item directly in the list: resend a message, or report the
 * outcome of an unclear operation. Fires `done`.
 */
class TodayAction extends elementWith({
  item: {} as TodayItem,
  session: {} as Session,
  isBusy: false,
  problem: optional<unknown>(),
}) {
  async #run(path: string, body: object): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    this.problem = undefined;
    const name = `financing-console-action:${encodeURIComponent(this.session.name)}:${path}`;
    try {
      await post(path, body, { key: keyOf(name, JSON.stringify(body)) });
      // Repeating the same action later counts as a new action.
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
    return html`<wa-button
        size="s"
        appearance="outlined"
        ?loading=${this.isBusy}
        @click=${() => void this.#run(path, {})}
        >${texts().common.resend}</wa-button
      >
      ${problemText(this.problem)}`;
  }

  #submit(form: HTMLFormElement): void {
    const data = new FormData(form);
    const { today: words } = texts();
    const [outcome, note] = [textOf(data, 'outcome'), textOf(data, 'note')];
    if (outcome === '') this.problem = words.outcomeMissing;
    else if (note === '') this.problem = words.noteMissing;
    else void this.#run(`/charge-operations/${this.item.id}/resolution`, { outcome, note });
  }

  #resolve() {
    const { today: words } = texts();
    const open = () => {
      this.problem = undefined;
      this.querySelector('dialog')?.showModal();
    };
    const answer = (value: 'done' | 'not-done', text: string) =>
      html`<label class="check"
        ><input type="radio" name="outcome" value=${value} /> <span>${text}</span></label
      >`;
    const content = html`${quiet(words.reportHint)}
      <fieldset>
        <legend class="sr">${words.reportTitle}</legend>
        ${answer('done', words.done)} ${answer('not-done', words.notDone)}
      </fieldset>
      <label><span>${words.note}</span><textarea name="note" rows="3"></textarea></label>
      ${problemText(this.problem)}`;
    return html`<wa-button size="s" appearance="outlined" @click=${open}>${words.report}</wa-button>
      ${formDialog({
        title: words.reportTitle,
        content,
        verb: words.report,
        isBusy: this.isBusy,
        onSubmit: (form) => this.#submit(form),
      })}`;
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

/** Returns the key of an action: the same for the same body, even after a reload, until removed. */
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

customElements.define('today-action', TodayAction);
