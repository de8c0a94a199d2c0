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

interface Choice {
  title: string;
  hint: string;
  /** Text of each outcome. */
  outcomes: Readonly<Record<string, string>>;
  /** Label of the note. */
  note: string;
  verb: string;
  onSubmit: (form: HTMLFormElement) => void;
}

/**
 * The action that a user can take on an item directly in the list: resend a message, report the
 * outcome of an unclear operation, or answer whether fundings are missing from the ledger. Fires
 * `done`.
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

  #answer(form: HTMLFormElement): void {
    const data = new FormData(form);
    const [answer, reason] = [textOf(data, 'outcome'), textOf(data, 'note')];
    const { currency, lender } = this.item;
    if (answer === '') this.problem = texts().today.ledgerStart.answerMissing;
    else {
      const body = { currency, lender, answer, ...(reason === '' ? {} : { reason }) };
      void this.#run('/ledger-starts', body);
    }
  }

  #resolve() {
    const { today: words } = texts();
    return this.#choice({
      title: words.reportTitle,
      hint: words.reportHint,
      outcomes: { done: words.done, 'not-done': words.notDone },
      note: words.note,
      verb: words.report,
      onSubmit: (form) => this.#submit(form),
    });
  }

  #answerStart() {
    const { ledgerStart: words } = texts().today;
    return this.#choice({
      title: words.question,
      hint: words.hint,
      outcomes: { elsewhere: words.elsewhere, missing: words.missing },
      note: words.reason,
      verb: words.answer,
      onSubmit: (form) => this.#answer(form),
    });
  }

  /** Shows a button that opens a dialog with a choice of outcomes and a note. */
  #choice({ title, hint, outcomes, note, verb, onSubmit }: Choice) {
    const open = () => {
      this.problem = undefined;
      this.querySelector('dialog')?.showModal();
    };
    const content = html`${quiet(hint)}
      <fieldset>
        <legend class="sr">${title}</legend>
        ${Object.entries(outcomes).map(
          ([value, text]) =>
            html`<label class="check"
              ><input type="radio" name="outcome" value=${value} /> <span>${text}</span></label
            >`,
        )}
      </fieldset>
      <label><span>${note}</span><textarea name="note" rows="3"></textarea></label>
      ${problemText(this.problem)}`;
    return html`<wa-button size="s" appearance="outlined" @click=${open}>${verb}</wa-button>
      ${formDialog({ title, content, verb, isBusy: this.isBusy, onSubmit })}`;
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
    if (item.kind === 'ledger-start' && session.scopes.includes('cases')) {
      return this.#answerStart();
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
