import { html, nothing } from 'lit';
import type {
  InputOf,
  PeriodDetail,
  PeriodRecord,
} from '@financing-checkout/contract/reconciliation';
import { ApiError, call } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { Action } from '../../parts/action.ts';
import { formDialog, openDialog } from '../../parts/dialog.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { textOf } from '../../parts/fields.ts';
import { Loader } from '../../parts/loader.ts';
import { loadedView, problemView } from '../../parts/states.ts';
import { calloutView, maybe, pairsView, problemText, quiet } from '../../parts/views.ts';
import './adjustments.ts';
import './orders.ts';
import { type AcceptableCheck, checklistView, sinceSealView } from './checklist.ts';
import { daysText, type ListedAmount, stateView } from './periods.ts';
import { approvedView, reviewView } from './review.ts';
import { sealView } from './seal.ts';
import { resultsView, statementsView } from './statements.ts';

/** A change to a period, with the route that makes it. */
const routes = {
  accept: 'acceptance',
  prepare: 'preparation',
  close: 'close',
  reopen: 'reopening',
  withdraw: 'withdrawal',
} as const;
export type Change = keyof typeof routes;
type Body<One extends Change> = InputOf<`post /periods/:period/${(typeof routes)[One]}`>['body'];

/** Refusals for which our own sentence says more than the API's detail. */
const worded: ReadonlySet<string> = new Set([
  ...['period-not-ready', 'period-changed', 'period-not-permitted', 'second-person-required'],
  'sync-busy',
]);

/** The open dialog: accept a check, approve, or reopen. */
type Asked =
  | { change: 'accept'; check: AcceptableCheck }
  | { change: 'close' }
  | { change: 'reopen' };

/**
 * A period with its checklist, statements, adjustments and seal, and the work on it. Fires
 * `requested` with each change that it requests, and `changed` afterwards.
 */
class ClosePeriod extends elementWith({
  record: {} as PeriodRecord,
  /** Whether this is the period that may be reopened. */
  isLastClosed: false,
  /** The running step of the close. */
  step: optional<string>(),
  mayClose: false,
  /** The amount whose orders are listed. */
  listed: optional<ListedAmount>(),
  /** Name of the user. */
  person: '',
  asked: optional<Asked>(),
}) {
  readonly #detail = new Loader(this, {
    // A change to the period's entry in the list reloads the period.
    args: () => [this.record.id, JSON.stringify(this.record)] as const,
    task: ([period], { signal }) => call('get /periods/:period', { period, signal }),
  });

  readonly #change = new Action(this, async (_request, change: Change, body: Body<Change>) => {
    try {
      await call(`post /periods/:period/${routes[change]}`, { period: this.record.id, body });
    } finally {
      await this.#detail.run();
    }
  });

  get #running(): Change | undefined {
    return this.#change.isRunning ? this.#change.args?.[0] : undefined;
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    const before = changed.get('record') as PeriodRecord | undefined;
    if (before?.id === undefined || before.id === this.record.id) return;
    this.#change.reset();
    this.asked = undefined;
  }

  #ask(asked: Asked): void {
    this.asked = asked;
    this.#change.reset();
    void openDialog(this);
  }

  async #send<One extends Change>(change: One, body: Body<One>): Promise<void> {
    if (this.#change.isRunning) return;
    this.querySelector('dialog')?.close();
    this.dispatchEvent(new CustomEvent<Change>('requested', { detail: change }));
    await this.#change.run(change, body);
    this.dispatchEvent(new CustomEvent('changed'));
    await this.updateComplete;
    // The button that had the focus may be gone, and until the next frame a field in the closed
    // dialog has the focus.
    const { activeElement } = document;
    const isFocused = this.contains(activeElement) && activeElement?.checkVisibility() === true;
    if (!isFocused) this.querySelector('h2')?.focus();
  }

  #submit(form: HTMLFormElement, { decided, period, statementsHash }: PeriodDetail): void {
    const { asked } = this;
    if (asked === undefined) return;
    if (asked.change === 'close') {
      void this.#send('close', { statements: statementsHash, decided });
      return;
    }
    if (asked.change === 'reopen' && period.reopening !== undefined) {
      void this.#send('reopen', { request: period.reopening.request });
      return;
    }
    const reason = textOf(new FormData(form), 'reason');
    if (reason === '') {
      this.#change.refuse(texts().close.dialogs.reasonMissing);
      form.querySelector('textarea')?.focus();
      return;
    }
    if (asked.change === 'reopen') {
      void this.#send('reopen', { reason });
      return;
    }
    const { check, digest } = asked.check;
    void this.#send('accept', { check, digest, reason });
  }

  protected override render() {
    return loadedView(this.#detail, (detail) => this.#view(detail));
  }

  #view(detail: PeriodDetail) {
    const { period, checks, review } = detail;
    const isSealed = period.state === 'closed';
    const isIdle = this.#running === undefined && this.step === undefined;
    const accept =
      this.mayClose && isIdle && period.state !== 'future' && !isSealed
        ? (check: AcceptableCheck) => this.#ask({ change: 'accept', check })
        : undefined;
    return html`${this.#headView(detail)}
    ${checks.length === 0 ? nothing : checklistView({ checks, days: period, isSealed, accept })}
    ${maybe(review, (found) => reviewView(detail, found))} ${statementsView(detail)}
    ${
      this.listed === undefined
        ? nothing
        : html`<close-orders .period=${period.id} .listed=${this.listed}></close-orders>`
    }
    ${
      detail.adjustments.length === 0
        ? nothing
        : html`<close-adjustments .detail=${detail}></close-adjustments>`
    }
    ${maybe(period.seal, (seal) => sealView(period, seal))} ${sinceSealView(detail)}
    ${maybe(this.asked, (asked) => this.#dialogView(asked, detail))}`;
  }

  #headView(detail: PeriodDetail) {
    const { close } = texts();
    const { period } = detail;
    const { id, state, prepared, reopening } = period;
    const { moment } = formats();
    return html`<section class="card" aria-label=${`${close.period} ${id}`}>
      <div class="row spread">
        <h2 tabindex="-1">${id} <span class="quiet">· ${daysText(period)}</span></h2>
        ${stateView(state)}
      </div>
      ${quiet(close.stateHints[state])}
      ${
        state === 'closed'
          ? nothing
          : maybe(
              prepared,
              ({ by, at, lapsesAt }) =>
                html`${pairsView('facts', [[close.prepared, close.byAt(by, moment(at))]])}
                ${quiet(close.lapses(moment(lapsesAt)))}`,
            )
      }
      ${
        state === 'closed'
          ? maybe(reopening, ({ by, at, lapsesAt, reason }) =>
              calloutView(
                'warning',
                html`${close.askedToReopen(by, moment(at))} ${close.lapses(moment(lapsesAt))}
                  <blockquote>${reason}</blockquote>`,
              ),
            )
          : nothing
      }
      ${this.mayClose ? this.#buttonsView(detail) : nothing}
      <div role="status">${this.#outcomeView(period)}</div>
      ${problemText(maybe(this.#change.error, refusalView))}
    </section>`;
  }

  #outcomeView({ id, state }: PeriodRecord) {
    const { close } = texts();
    if (this.#running === 'close' || this.step !== undefined) {
      return html`<p>
          <strong>${close.closing(id)}</strong> ${maybe(this.step, (step) => close.steps[step])}
        </p>
        <progress aria-label=${close.closing(id)}></progress>`;
    }
    const [done] = this.#change.args ?? [];
    if (done === undefined || this.#change.state !== 'done') return nothing;
    const isOpenAgain = done === 'reopen' && state !== 'closed';
    return html`<p class="good">${close.done[isOpenAgain ? 'reopened' : done]}</p>`;
  }

  #buttonsView({ period, checks, statementsHash }: PeriodDetail) {
    const { close } = texts();
    const { state, prepared, reopening } = period;
    const isBusy = this.#running !== undefined || this.step !== undefined;
    if (state === 'future') return nothing;
    if (state === 'closed') {
      if (!this.isLastClosed) return nothing;
      return html`<div class="row close-actions">
        <wa-button
          appearance="outlined"
          ?disabled=${isBusy}
          ?loading=${this.#running === 'reopen'}
          @click=${() => this.#ask({ change: 'reopen' })}
          ><wa-icon slot="start" name="rotate-ccw"></wa-icon
          >${reopening === undefined ? close.reopen : close.confirmReopening}</wa-button
        >
        ${reopening === undefined ? nothing : this.#withdrawView('reopening', isBusy)}
        ${reopening?.by === this.person ? html`<span class="quiet">${close.askedByYou}</span>` : nothing}
      </div>`;
    }
    const blocked = checks.filter((one) => one.state === 'blocked').length;
    const isInReview = state === 'in-review';
    return html`<div class="row close-actions">
        ${
          isInReview
            ? html`<wa-button
                variant="brand"
                ?disabled=${isBusy || blocked > 0}
                ?loading=${this.#running === 'close'}
                @click=${() => this.#ask({ change: 'close' })}
                ><wa-icon slot="start" name="lock"></wa-icon>${close.approve}</wa-button
              >`
            : nothing
        }
        <wa-button
          variant=${isInReview ? 'neutral' : 'brand'}
          appearance=${isInReview ? 'outlined' : 'accent'}
          ?disabled=${isBusy || blocked > 0}
          ?loading=${this.#running === 'prepare'}
          @click=${() => void this.#send('prepare', { statements: statementsHash })}
          >${isInReview ? close.prepareAgain : close.prepare}</wa-button
        >
        ${isInReview ? this.#withdrawView('preparation', isBusy) : nothing}
      </div>
      ${blocked > 0 ? quiet(close.blocked(blocked)) : nothing}
      ${isInReview && prepared?.by === this.person ? quiet(close.preparedByYou) : nothing}`;
  }

  #withdrawView(of: 'preparation' | 'reopening', isBusy: boolean) {
    return html`<wa-button
      appearance="plain"
      ?disabled=${isBusy}
      ?loading=${this.#running === 'withdraw'}
      @click=${() => void this.#send('withdraw', { of })}
      >${texts().close.withdraw}</wa-button
    >`;
  }

  #dialogView(asked: Asked, detail: PeriodDetail) {
    const { close } = texts();
    const { dialogs } = close;
    const { id, reopening } = detail.period;
    const onClose = () => (this.asked = undefined);
    const onSubmit = (form: HTMLFormElement) => this.#submit(form, detail);
    if (asked.change === 'accept') {
      return formDialog({
        title: dialogs.accept(close.checks[asked.check.check].name),
        content: html`<p>${dialogs.acceptHint}</p>
          ${this.#reasonField()}`,
        verb: close.accept,
        onSubmit,
        onClose,
      });
    }
    if (asked.change === 'close') {
      return formDialog({
        title: dialogs.close(id),
        content: html`<p>${dialogs.closeHint}</p>
          ${resultsView(detail)} ${approvedView(detail)}`,
        verb: close.approve,
        onSubmit,
        onClose,
      });
    }
    return formDialog({
      title: dialogs.reopen(id),
      content:
        reopening === undefined
          ? html`<p>${dialogs.reopenHint}</p>
              ${this.#reasonField()}`
          : html`<p>${close.askedToReopen(reopening.by, formats().moment(reopening.at))}</p>
              <blockquote>${reopening.reason}</blockquote>
              <p>${dialogs.confirmHint}</p>`,
      verb: reopening === undefined ? close.reopen : close.confirmReopening,
      variant: 'danger',
      onSubmit,
      onClose,
    });
  }

  #reasonField() {
    return html`<label>
        <span>${texts().common.reason}</span>
        <textarea
          name="reason"
          rows="3"
          maxlength="2000"
          aria-describedby="reason-missing"
          aria-invalid=${this.#change.missing === undefined ? 'false' : 'true'}
        ></textarea>
      </label>
      ${problemText(this.#change.missing, 'reason-missing')}`;
  }
}

/** Shows why a request was refused, in the user's language. */
function refusalView(error: unknown) {
  const isWorded = error instanceof ApiError && worded.has(error.code);
  if (!isWorded) return problemView(error);
  const problems: Readonly<Record<string, string>> = texts().problems;
  return problems[error.code];
}

customElements.define('close-period', ClosePeriod);
