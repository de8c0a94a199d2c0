import { html, nothing } from 'lit';
import type { AlarmKind, TodayItem } from '@financing-checkout/contract/reconciliation';
import { post } from '../../api/client.ts';
import type { Session } from '../../api/session.ts';
import { texts } from '../../locale/locale.ts';
import { Action } from '../../parts/action.ts';
import { formDialog } from '../../parts/dialog.ts';
import { elementWith } from '../../parts/element.ts';
import { textOf } from '../../parts/fields.ts';
import { quiet } from '../../parts/views.ts';

interface Choice {
  title: string;
  hint: string;
  /** The text for each outcome. */
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
}) {
  readonly #action = new Action(
    this,
    async ({ key }, path: string, body: object) => {
      await post(path, body, { key });
      this.querySelector('dialog')?.close();
      this.dispatchEvent(new CustomEvent('done'));
    },
    {
      storedAs: (path) =>
        `financing-console-action:${encodeURIComponent(this.session.name)}:${path}`,
    },
  );

  #resend(path: string) {
    return html`<wa-button
        size="s"
        appearance="outlined"
        ?loading=${this.#action.isRunning}
        @click=${() => void this.#action.run(path, {})}
        >${texts().common.resend}</wa-button
      >
      ${this.#action.problemText()}`;
  }

  #submit(form: HTMLFormElement): void {
    const data = new FormData(form);
    const { today: words } = texts();
    const [outcome, note] = [textOf(data, 'outcome'), textOf(data, 'note')];
    if (outcome === '') this.#action.refuse(words.outcomeMissing);
    else if (note === '') this.#action.refuse(words.noteMissing);
    else void this.#action.run(`/charge-operations/${this.item.id}/resolution`, { outcome, note });
  }

  #answer(form: HTMLFormElement): void {
    const data = new FormData(form);
    const [answer, reason] = [textOf(data, 'outcome'), textOf(data, 'note')];
    const { currency, lender } = this.item;
    if (answer === '') this.#action.refuse(texts().today.ledgerStart.answerMissing);
    else {
      const body = { currency, lender, answer, ...(reason === '' ? {} : { reason }) };
      void this.#action.run('/ledger-starts', body);
    }
  }

  #acknowledge() {
    const { alarm: words } = texts().today;
    return this.#choice({
      title: words.title,
      hint: `${texts().alarms[this.item.code as AlarmKind].remedy} ${words.hint}`,
      outcomes: {},
      note: words.reason,
      verb: words.acknowledge,
      onSubmit: (form) => {
        const reason = textOf(new FormData(form), 'note');
        if (reason === '') this.#action.refuse(words.reasonMissing);
        else void this.#action.run(`/alarms/${this.item.id}/acknowledgement`, { reason });
      },
    });
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
      this.#action.reset();
      this.querySelector('dialog')?.showModal();
    };
    const content = html`${quiet(hint)}
      ${
        Object.keys(outcomes).length === 0
          ? nothing
          : html`<fieldset>
              <legend class="sr">${title}</legend>
              ${Object.entries(outcomes).map(
                ([value, text]) =>
                  html`<label class="check"
                    ><input type="radio" name="outcome" value=${value} />
                    <span>${text}</span></label
                  >`,
              )}
            </fieldset>`
      }
      <label><span>${note}</span><textarea name="note" rows="3"></textarea></label>
      ${this.#action.problemText()}`;
    return html`<wa-button size="s" appearance="outlined" @click=${open}>${verb}</wa-button>
      ${formDialog({ title, content, verb, isBusy: this.#action.isRunning, onSubmit })}`;
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
    if (item.kind === 'alarm' && session.scopes.includes('cases')) return this.#acknowledge();
    if (item.kind === 'ledger-start' && session.scopes.includes('cases')) {
      return this.#answerStart();
    }
    return nothing;
  }
}

customElements.define('today-action', TodayAction);
