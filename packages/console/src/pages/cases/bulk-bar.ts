import { html, nothing } from 'lit';
import type {
  CaseRecord,
  CaseSummary,
  CaseVerb,
} from '@financing-checkout/contract/reconciliation';
import { caseVerbNames } from '@financing-checkout/contract/plain';
import { formats, texts } from '../../locale/locale.ts';
import { formDialog, openDialog } from '../../parts/dialog.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { selectField } from '../../parts/fields.ts';
import { paths } from '../../parts/navigation.ts';
import { keyHint, keyShortcut } from '../../parts/shortcuts.ts';
import { plainButton, problemText, quiet } from '../../parts/views.ts';
import type { CaseAction } from './action.ts';
import { caseName, isCountedWithOthers, isMain, isMergeable, ownStakeOf } from './merge.ts';
import { snoozeField } from './snooze.ts';
import { summaryView } from './views.ts';
import {
  type BulkJob,
  keepJob,
  keptJob,
  mayRetry,
  newJob,
  retryFailed,
  runJob,
  undoOfJob,
} from './bulk.ts';

/**
 * Actions on the selected cases, and a bulk action's progress. Fires `changed` when cases were
 * changed, and `cleared` when the selection is cleared.
 */
class CasesBulk extends elementWith({
  /** Name of the signed-in user. */
  person: '',
  selected: [] as readonly CaseRecord[],
  /** ID of the case into which the others are merged. */
  main: '',
  verb: optional<CaseVerb>(),
  problem: optional<string>(),
  job: optional<BulkJob>(),
  isRunning: false,
}) {
  #pause = new AbortController();

  override connectedCallback(): void {
    super.connectedCallback();
    // A job interrupted by a reload waits for the user to continue it.
    this.job = keptJob(this.person);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#pause.abort();
  }

  #ask(verb: CaseVerb): void {
    this.verb = verb;
    this.problem = undefined;
    this.main = this.selected.find(isMain)?.id ?? '';
    void openDialog(this);
  }

  #submit(form: HTMLFormElement): void {
    const field = form.querySelector<HTMLInputElement | HTMLTextAreaElement>('[name="text"]');
    const { verb } = this;
    if (verb === undefined || this.isRunning) return;
    const written = field?.value.trim() ?? '';
    const isOptional = verb === 'assign' || verb === 'merge' || verb === 'split';
    if (written === '' && !isOptional) {
      this.problem = texts().cases.fields.missing;
      field?.focus();
      return;
    }
    const items = this.#affected(verb).map((one) => ({
      id: one.id,
      revision: one.revision,
      name: caseName(one),
      main: verb === 'merge' ? this.main : one.mergedInto,
    }));
    const action = actionOf(verb, written, this.main);
    this.querySelector('dialog')?.close();
    this.verb = undefined;
    void this.#run(newJob(this.person, action, items));
    this.dispatchEvent(new CustomEvent('cleared'));
  }

  /** Returns the selected cases that an action changes. A merge does not change the main case. */
  #affected(verb: CaseVerb): readonly CaseRecord[] {
    return verb === 'merge' ? this.selected.filter(({ id }) => id !== this.main) : this.selected;
  }

  async #run(job: BulkJob): Promise<void> {
    this.job = job;
    this.isRunning = true;
    this.#pause = new AbortController();
    keepJob(job);
    // The button that started the job and had the focus is gone.
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('.bulk-job')?.focus());
    await runJob(
      job,
      () => {
        keepJob(job);
        this.requestUpdate();
      },
      { signal: this.#pause.signal },
    );
    this.isRunning = false;
    if (job.items.every(({ state }) => state === 'done')) keepJob(undefined);
    this.dispatchEvent(new CustomEvent('changed'));
  }

  /** Ends the running job after the request that is on its way. */
  stop(): void {
    if (!this.isRunning) return;
    this.#pause.abort();
    this.requestUpdate();
  }

  /** Undoes what the last job has done. */
  undo(): void {
    const undo = this.#undoable();
    if (undo !== undefined) void this.#run(undo);
  }

  #undoable(): BulkJob | undefined {
    return this.isRunning || this.job === undefined ? undefined : undoOfJob(this.job);
  }

  #discard(): void {
    keepJob(undefined);
    this.job = undefined;
  }

  protected override render() {
    return [this.#barView(), this.#jobView(), this.#dialogView()];
  }

  #barView() {
    const { cases } = texts();
    if (this.selected.length === 0) return nothing;
    return html`<div
      class="bulk-bar"
      role="group"
      aria-label=${cases.selected(this.selected.length)}
    >
      <strong role="status">${cases.selected(this.selected.length)}</strong>
      ${caseVerbNames
        .filter((verb) => verb !== 'reopen' && verb !== 'wake')
        .filter((verb) => verb !== 'merge' || this.#canMerge())
        .filter((verb) => verb !== 'split' || this.selected.some((one) => one.can.includes(verb)))
        .map((verb) =>
          plainButton(cases.verbs[verb], () => this.#ask(verb), { disabled: this.isRunning }),
        )}
      <span class="spacer"></span>
      ${plainButton(cases.clearSelection, () => this.dispatchEvent(new CustomEvent('cleared')), { icon: 'x' })}
    </div>`;
  }

  #canMerge(): boolean {
    return this.selected.length > 1 && this.selected.some(isMain);
  }

  #jobView() {
    const { cases } = texts();
    const { job } = this;
    if (job === undefined) return nothing;
    const done = job.items.filter(({ state }) => state === 'done').length;
    const waiting = job.items.filter(({ state }) => state === 'waiting').length;
    const failed = job.items.filter(({ state }) => state === 'failed');
    const isPaused = !this.isRunning && waiting > 0;
    const title = this.isRunning
      ? this.#pause.signal.aborted
        ? cases.bulk.stopping
        : cases.bulk.running
      : isPaused
        ? job.isSent === true
          ? cases.bulk.paused
          : cases.bulk.stopped
        : failed.length > 0
          ? cases.bulk.failed(failed.length)
          : cases.bulk.complete;
    return html`<section
      class="card bulk-job"
      tabindex="-1"
      aria-label=${cases.bulk[job.action.verb](job.items.length)}
    >
      <div class="row spread">
        <div>
          <strong>${title}</strong>
          <span class="quiet">${cases.bulk[job.action.verb](job.items.length)}</span>
        </div>
        <span role="status">${cases.bulk.progress(done, job.items.length)}</span>
      </div>
      <progress max=${job.items.length} value=${done} aria-label=${title}></progress>
      ${isPaused ? html`<p>${job.isSent === true ? cases.bulk.pausedText : cases.bulk.stoppedText(waiting)}</p>` : nothing}
      ${
        failed.length === 0
          ? nothing
          : html`<ul class="failures">
                ${failed.map(
                  ({ id, name, problem }) =>
                    html`<li><a href=${paths.case(id)}>${name}</a> ${problem}</li>`,
                )}
              </ul>
              ${failed.some(({ isChanged }) => isChanged) ? quiet(cases.bulk.changed, true) : nothing}`
      }
      <div class="row">${this.#jobButtons(job, waiting)}</div>
    </section>`;
  }

  #jobButtons(job: BulkJob, waiting: number) {
    const { bulk } = texts().cases;
    const button = (text: string, look: 'accent' | 'outlined' | 'plain', onClick: () => unknown) =>
      html`<wa-button
        size="s"
        variant=${look === 'accent' ? 'brand' : 'neutral'}
        appearance=${look}
        @click=${onClick}
        >${text}</wa-button
      >`;
    if (this.isRunning) {
      return html`<wa-button
        size="s"
        appearance="outlined"
        aria-keyshortcuts="Escape"
        ?disabled=${this.#pause.signal.aborted}
        @click=${() => this.stop()}
        >${bulk.stop} ${keyHint('escape')}</wa-button
      >`;
    }
    return [
      this.#undoable() === undefined
        ? nothing
        : plainButton(html`${texts().cases.undo} ${keyHint('u')}`, () => this.undo(), {
            icon: 'rotate-ccw',
            keys: keyShortcut('u'),
          }),
      waiting === 0 ? nothing : button(bulk.continue, 'accent', () => this.#run(job)),
      mayRetry(job) ? button(bulk.retry, 'outlined', () => this.#retry(job)) : nothing,
      button(texts().common.close, 'plain', () => this.#discard()),
    ];
  }

  #retry(job: BulkJob): void {
    retryFailed(job);
    void this.#run(job);
  }

  #dialogView() {
    const { verb } = this;
    if (verb === undefined) return nothing;
    const { cases, common } = texts();
    const { fields } = cases;
    const isNote = verb === 'note' || verb === 'merge' || verb === 'split';
    const label = verb === 'assign' ? fields.assignee : isNote ? fields.note : common.reason;
    const affected = this.#affected(verb);
    return formDialog({
      title: cases.bulk[verb](affected.length),
      content: html`${verb === 'merge' ? this.#mainView() : nothing}
      ${verb === 'snooze' ? snoozeField('text') : this.#textView(verb, label)}
      ${quiet(hintOf(verb))} ${problemText(this.problem)} ${summaryView(summaryOf(this.selected))}
      ${refusedView(this.#refused(verb, affected))}`,
      verb: cases.verbs[verb],
      onSubmit: (form) => this.#submit(form),
      onClose: () => (this.verb = undefined),
    });
  }

  /** Lets the user choose the case into which the others are merged. */
  #mainView() {
    const mains = this.selected.filter(isMain).map((one): [string, string] => {
      const amount = formats().amount(one.amount, one.currency);
      return [one.id, `${caseName(one)} · ${amount}`];
    });
    return selectField(texts().cases.mergeInto, mains, this.main, (id) => (this.main = id));
  }

  #textView(verb: CaseVerb, label: string) {
    return html`<label>
      <span>${label}</span>
      ${
        verb === 'assign'
          ? html`<input
              name="text"
              list="people"
              maxlength="200"
              autocomplete="off"
              .value=${this.person}
            />`
          : html`<textarea name="text" rows="4" maxlength="4000"></textarea>`
      }
    </label>`;
  }

  #refused(verb: CaseVerb, affected: readonly CaseRecord[]): number {
    const main = this.selected.find(({ id }) => id === this.main);
    const isDone = (one: CaseRecord) =>
      verb === 'merge' && main !== undefined ? isMergeable(one, main) : one.can.includes(verb);
    return affected.filter((one) => !isDone(one)).length;
  }
}

/**
 * Returns the action that a dialog requests. @param main ID of the case into which others are
 * merged
 */
function actionOf(verb: CaseVerb, text: string, main: string): CaseAction {
  if (verb !== 'merge' && verb !== 'split') return { verb, text };
  return { verb, text: verb === 'merge' ? main : '', note: text === '' ? undefined : text };
}

function hintOf(verb: CaseVerb): string {
  const { bulk, fields, snoozeHint } = texts().cases;
  if (verb === 'assign') return fields.assigneeHint;
  if (verb === 'snooze') return snoozeHint;
  if (verb === 'merge') return bulk.mergeHint;
  return verb === 'note' || verb === 'split' ? '' : fields.reasonHint;
}

/** Shows the number of cases that an action will not change. */
function refusedView(refused: number) {
  return refused === 0 ? nothing : quiet(texts().cases.bulk.refused(refused));
}

/**
 * Sums up cases as the server does: the money at stake by currency, including that of merged cases
 * and excluding assumed currencies.
 */
export function summaryOf(cases: readonly CaseRecord[]): CaseSummary {
  const ids = new Set(cases.map(({ id }) => id));
  const known = cases.filter(({ currencyAssumed }) => currencyAssumed !== true);
  const stakeOf = (one: CaseRecord): number =>
    one.mergedInto !== undefined && ids.has(one.mergedInto)
      ? 0
      : (one.together?.amount ?? ownStakeOf(one));
  const amounts = [...Map.groupBy(known, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    count: own.length,
    amount: currency === '' ? null : own.reduce((total, one) => total + stakeOf(one), 0),
  }));
  const countedWithOthers = cases.filter(isCountedWithOthers).length;
  const assumedCurrency = cases.length - known.length;
  return { count: cases.length, assumedCurrency, countedWithOthers, amounts };
}

customElements.define('cases-bulk', CasesBulk);

declare global {
  interface HTMLElementTagNameMap {
    'cases-bulk': CasesBulk;
  }
}
