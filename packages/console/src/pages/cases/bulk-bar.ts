import { html, nothing } from 'lit';
import type { CaseRecord, CaseSummary } from '@financing-checkout/contract';
import { texts } from '../../locale/locale.ts';
import { formDialog, openDialog } from '../../parts/dialog.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { paths } from '../../parts/navigation.ts';
import { headlineText } from '../../parts/values.ts';
import { plainButton, problemText, quiet } from '../../parts/views.ts';
import { isPermitted, type Verb, verbs } from './action.ts';
import { snoozeField } from './snooze.ts';
import { summaryView } from './views.ts';
import { type BulkJob, keepJob, keptJob, newJob, retryFailed, runJob } from './bulk.ts';

/**
 * The actions on the selected cases, and the progress of a bulk action. Fires `changed` when cases
 * were changed, and `cleared` when the selection is cleared.
 */
class CasesBulk extends elementWith({
  /** Name of the signed-in user. */
  person: '',
  selected: [] as readonly CaseRecord[],
  verb: optional<Verb>(),
  problem: optional<string>(),
  job: optional<BulkJob>(),
  isRunning: false,
}) {
  #pause = new AbortController();

  override connectedCallback(): void {
    super.connectedCallback();
    // A job that a reload interrupted waits for the user to continue it.
    this.job = keptJob(this.person);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#pause.abort();
  }

  #ask(verb: Verb): void {
    this.verb = verb;
    this.problem = undefined;
    void openDialog(this);
  }

  #submit(form: HTMLFormElement): void {
    const field = form.querySelector<HTMLInputElement | HTMLTextAreaElement>('[name="text"]');
    const text = field?.value.trim() ?? '';
    const { verb } = this;
    if (verb === undefined || this.isRunning) return;
    if (text === '' && verb !== 'assign') {
      this.problem = texts().cases.fields.missing;
      field?.focus();
      return;
    }
    const items = this.selected.map(({ id, code, merchantOrderId, orderKey, revision }) => ({
      id,
      revision,
      name: `${headlineText(code)} · ${merchantOrderId ?? orderKey}`,
    }));
    this.querySelector('dialog')?.close();
    this.verb = undefined;
    void this.#run(newJob(this.person, { verb, text }, items));
    this.dispatchEvent(new CustomEvent('cleared'));
  }

  async #run(job: BulkJob): Promise<void> {
    this.job = job;
    this.isRunning = true;
    this.#pause = new AbortController();
    keepJob(job);
    // The button that started the job, and had the focus, is gone.
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
      ${verbs
        .filter((verb) => verb !== 'reopen' && verb !== 'wake')
        .map((verb) =>
          plainButton(cases.verbs[verb], () => this.#ask(verb), { disabled: this.isRunning }),
        )}
      <span class="spacer"></span>
      ${plainButton(cases.clearSelection, () => this.dispatchEvent(new CustomEvent('cleared')), { icon: 'x' })}
    </div>`;
  }

  #jobView() {
    const { cases } = texts();
    const { job } = this;
    if (job === undefined) return nothing;
    const done = job.items.filter(({ state }) => state === 'done').length;
    const waiting = job.items.filter(({ state }) => state === 'waiting').length;
    const failed = job.items.filter(({ state }) => state === 'failed');
    const title = this.isRunning
      ? cases.bulk.running
      : waiting > 0
        ? cases.bulk.paused
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
      ${!this.isRunning && waiting > 0 ? html`<p>${cases.bulk.pausedText}</p>` : nothing}
      ${
        failed.length === 0
          ? nothing
          : html`<ul class="failures">
              ${failed.map(
                ({ id, name, problem }) =>
                  html`<li><a href=${paths.case(id)}>${name}</a> ${problem}</li>`,
              )}
            </ul>`
      }
      <div class="row">${this.#jobButtons(job, waiting, failed.length)}</div>
    </section>`;
  }

  #jobButtons(job: BulkJob, waiting: number, failed: number) {
    const { bulk } = texts().cases;
    const button = (text: string, look: 'accent' | 'outlined' | 'plain', onClick: () => unknown) =>
      html`<wa-button
        size="s"
        variant=${look === 'accent' ? 'brand' : 'neutral'}
        appearance=${look}
        @click=${onClick}
        >${text}</wa-button
      >`;
    if (this.isRunning) return button(bulk.pause, 'outlined', () => this.#pause.abort());
    return [
      waiting === 0 ? nothing : button(bulk.continue, 'accent', () => this.#run(job)),
      failed === 0 ? nothing : button(bulk.retry, 'outlined', () => this.#retry(job)),
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
    const isAssign = verb === 'assign';
    const isSnooze = verb === 'snooze';
    const label = isAssign ? fields.assignee : verb === 'note' ? fields.note : common.reason;
    const hint = isAssign
      ? fields.assigneeHint
      : isSnooze
        ? cases.snoozeHint
        : verb === 'note'
          ? ''
          : fields.reasonHint;
    return formDialog({
      title: cases.bulk[verb](this.selected.length),
      content: html`${
        isSnooze
          ? snoozeField('text')
          : html`<label>
              <span>${label}</span>
              ${
                isAssign
                  ? html`<input
                      name="text"
                      list="people"
                      maxlength="200"
                      autocomplete="off"
                      .value=${this.person}
                    />`
                  : html`<textarea name="text" rows="4" maxlength="4000"></textarea>`
              }
            </label>`
      }
      ${quiet(hint)} ${problemText(this.problem)} ${consequencesView(verb, this.selected)}`,
      verb: cases.verbs[verb],
      onSubmit: (form) => this.#submit(form),
      onClose: () => (this.verb = undefined),
    });
  }
}

/** Shows what an action will change: the money of its cases, and the cases that will be refused. */
function consequencesView(verb: Verb, selected: readonly CaseRecord[]) {
  const { bulk } = texts().cases;
  const refused = selected.filter((one) => !isPermitted(verb, one)).length;
  return html`${summaryView(summaryOf(selected))}
  ${refused === 0 ? nothing : quiet(bulk.refused(refused))}`;
}

/** Sums cases as the server does: absolute amounts by currency, none of an assumed currency. */
export function summaryOf(cases: readonly CaseRecord[]): CaseSummary {
  const known = cases.filter(({ currencyAssumed }) => currencyAssumed !== true);
  const amounts = [...Map.groupBy(known, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    count: own.length,
    amount: currency === '' ? null : own.reduce((total, { amount }) => total + Math.abs(amount), 0),
  }));
  return { count: cases.length, assumedCurrency: cases.length - known.length, amounts };
}

customElements.define('cases-bulk', CasesBulk);
