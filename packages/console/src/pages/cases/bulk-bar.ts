import { html, LitElement, nothing } from 'lit';
import type { CaseRecord } from '@financing-checkout/contract';
import { texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { headlineText } from '../../parts/values.ts';
import { type Verb, verbs } from './action.ts';
import { type BulkJob, keepJob, keptJob, newJob, retryFailed, runJob } from './bulk.ts';

/**
 * The actions on the selected cases, and the progress of one action on many. Fires `changed` when
 * cases were changed, and `cleared` when the selection ends.
 */
class CasesBulk extends LitElement {
  static override properties = {
    person: {},
    selected: { attribute: false },
    verb: { state: true },
    problem: { state: true },
    job: { state: true },
    isRunning: { state: true },
  };
  /** Name of the session. */
  declare person: string;
  declare selected: readonly CaseRecord[];
  declare verb: Verb | undefined;
  declare problem: string | undefined;
  declare job: BulkJob | undefined;
  declare isRunning: boolean;
  #pause = new AbortController();

  constructor() {
    super();
    this.selected = [];
    this.isRunning = false;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // What a reload has interrupted waits for the person.
    this.job = keptJob(this.person);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#pause.abort();
  }

  #ask(verb: Verb): void {
    this.verb = verb;
    this.problem = undefined;
    void this.updateComplete.then(() => {
      const dialog = this.querySelector('dialog');
      if (dialog?.open === false) dialog.showModal();
    });
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    const field = this.querySelector<HTMLInputElement | HTMLTextAreaElement>('[name="text"]');
    const text = field?.value.trim() ?? '';
    const { verb } = this;
    if (verb === undefined || this.isRunning) return;
    if (text === '' && verb !== 'assign') {
      this.problem = texts().cases.fields.missing;
      field?.focus();
      return;
    }
    const items = this.selected.map(({ id, code, merchantOrderId, orderKey }) => ({
      id,
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
    // The button that began it is gone.
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
        .filter((verb) => verb !== 'reopen')
        .map(
          (verb) =>
            html`<button class="plain" ?disabled=${this.isRunning} @click=${() => this.#ask(verb)}>
              ${cases.verbs[verb]}
            </button>`,
        )}
      <button class="plain end" @click=${() => this.dispatchEvent(new CustomEvent('cleared'))}>
        <wa-icon name="x"></wa-icon> ${cases.clearSelection}
      </button>
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
      <div class="row">
        ${
          this.isRunning
            ? html`<wa-button size="s" appearance="outlined" @click=${() => this.#pause.abort()}
                >${cases.bulk.pause}</wa-button
              >`
            : html`${
                  waiting === 0
                    ? nothing
                    : html`<wa-button size="s" variant="brand" @click=${() => void this.#run(job)}
                        >${cases.bulk.continue}</wa-button
                      >`
                }
                ${
                  failed.length === 0
                    ? nothing
                    : html`<wa-button
                        size="s"
                        appearance="outlined"
                        @click=${() => this.#retry(job)}
                        >${cases.bulk.retry}</wa-button
                      >`
                }
                <wa-button size="s" appearance="plain" @click=${() => this.#discard()}
                  >${cases.bulk.discard}</wa-button
                >`
        }
      </div>
    </section>`;
  }

  #retry(job: BulkJob): void {
    retryFailed(job);
    void this.#run(job);
  }

  #dialogView() {
    const { cases, common } = texts();
    const { verb } = this;
    if (verb === undefined) return nothing;
    const { fields } = cases;
    const isAssign = verb === 'assign';
    const label = isAssign ? fields.assignee : verb === 'note' ? fields.note : fields.reason;
    const hint = isAssign ? fields.assigneeHint : verb === 'note' ? '' : fields.reasonHint;
    const title = cases.bulk[verb](this.selected.length);
    return html`<dialog aria-label=${title} @close=${() => (this.verb = undefined)}>
      <form @submit=${(event: SubmitEvent) => this.#submit(event)} novalidate>
        <h2>${title}</h2>
        <label class="entry">
          <span>${label}</span>
          ${
            isAssign
              ? html`<input name="text" maxlength="200" autocomplete="off" .value=${this.person} />`
              : html`<textarea name="text" rows="4" maxlength="4000"></textarea>`
          }
        </label>
        <p class="quiet">${hint}</p>
        <p class="problem" role="alert">${this.problem ?? nothing}</p>
        <div class="row end">
          <wa-button appearance="plain" @click=${() => this.querySelector('dialog')?.close()}
            >${common.cancel}</wa-button
          >
          <wa-button type="submit" variant="brand">${cases.verbs[verb]}</wa-button>
        </div>
      </form>
    </dialog>`;
  }
}

customElements.define('cases-bulk', CasesBulk);
