import { html, nothing } from 'lit';
import type { CaseSheet } from '@financing-checkout/contract/reconciliation';
import { ApiError, post } from '../../api/client.ts';
import { texts } from '../../locale/locale.ts';
import { Action } from '../../parts/action.ts';
import { openDialog } from '../../parts/dialog.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { checkField } from '../../parts/fields.ts';
import { loadingView, problemView } from '../../parts/states.ts';
import { calloutView } from '../../parts/views.ts';
import { differencesView, refusalsView, sheetCountsView } from './sheet-tables.ts';

/** Accepts any content type, because the API detects the format from the content. */
const ANY = 'application/octet-stream';

/**
 * Imports an edited case export: shows its differences in a dialog, and applies exactly those.
 * Fires `changed` when cases may have been changed.
 */
class CasesSheet extends elementWith({
  /**
   * The chosen file. It is read only once, so that the content that was compared is the content
   * that is applied.
   */
  file: optional<{ name: string; content: Blob }>(),
  /** Whether the file could not be read. */
  isUnreadable: false,
  newPersons: false,
}) {
  #sheetName = '';
  readonly #comparing = new Action(this, ({ signal }) => this.#send(signal));
  readonly #applying = new Action(
    this,
    ({ signal }, digest: string) => this.#send(signal, digest),
    { conflicts: ['case-sheet-changed'] },
  );

  /** The differences that are shown to the user. */
  get #found(): CaseSheet | undefined {
    return this.#applying.state === 'conflict' ? undefined : this.#comparing.answer;
  }

  async #choose(input: HTMLInputElement): Promise<void> {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    [this.isUnreadable, this.newPersons, this.#sheetName] = [false, false, ''];
    let bytes: ArrayBuffer;
    try {
      bytes = await file.arrayBuffer();
    } catch {
      this.isUnreadable = true;
      return;
    } finally {
      // Allows the same file to be chosen again.
      input.value = '';
    }
    this.file = { name: file.name, content: new Blob([bytes], { type: ANY }) };
    await openDialog(this);
    await this.#compare();
  }

  async #compare(): Promise<void> {
    const field = this.querySelector<HTMLInputElement>('[name="sheet"]');
    if (field !== null) this.#sheetName = field.value.trim();
    this.#applying.reset();
    await this.#comparing.run();
  }

  async #apply({ digest }: CaseSheet): Promise<void> {
    await this.#applying.run(digest);
    // A request that got no response may have taken effect, too.
    this.dispatchEvent(new CustomEvent('changed'));
  }

  #send(signal: AbortSignal, digest?: string): Promise<CaseSheet> {
    const query = { newPersons: this.newPersons || undefined, sheet: this.#sheetName, digest };
    return post<CaseSheet>('/cases/sheet', this.file?.content, { query, signal });
  }

  #closed(): void {
    this.#comparing.abort();
    this.#applying.abort();
    this.file = undefined;
  }

  protected override render() {
    const { cases, imports } = texts();
    return html`<wa-button
        size="s"
        appearance="outlined"
        title=${cases.sheet.uploadHelp}
        @click=${() => this.querySelector<HTMLInputElement>('input[type="file"]')?.click()}
        ><wa-icon slot="start" name="file-up"></wa-icon>${cases.sheet.upload}</wa-button
      >
      <input
        type="file"
        hidden
        accept=".csv,.txt,.xlsx,text/csv"
        aria-label=${cases.sheet.upload}
        @change=${({ currentTarget }: Event) =>
          void this.#choose(currentTarget as HTMLInputElement)}
      />
      <span class="problem" role="alert">${this.isUnreadable ? imports.fileGone : nothing}</span>
      ${this.#dialogView()}`;
  }

  #dialogView() {
    const { sheet } = texts().cases;
    const { file } = this;
    const found = this.#found;
    const done = this.#applying.answer;
    if (file === undefined) return nothing;
    return html`<dialog
      class="sheet-dialog"
      aria-labelledby="sheet-title"
      @cancel=${(event: Event) => this.#applying.isRunning && event.preventDefault()}
      @close=${() => this.#closed()}
    >
      <h2 id="sheet-title">${sheet.title}</h2>
      <p class="quiet file-name">${file.name}</p>
      ${this.#comparing.isRunning ? loadingView(4) : nothing} ${this.#problemView()}
      ${
        done !== undefined
          ? resultView(found, done)
          : found === undefined
            ? nothing
            : html`${sheetCountsView(found)} ${this.#personsView(found)}
              ${refusalsView(found.refusals)} ${differencesView(pendingOf(found))}
              ${pendingOf(found).length === 0 ? nothingView(found) : nothing}`
      }
      ${this.#buttonsView()}
    </dialog>`;
  }

  #problemView() {
    const { sheet } = texts().cases;
    const { file } = this;
    const error = this.#applying.error ?? this.#comparing.error;
    if (error === undefined) return nothing;
    const isSheetAsked =
      error instanceof ApiError && error.status === 400 && /\.xlsx$/i.test(file?.name ?? '');
    return [
      calloutView('danger', problemView(error), { role: 'alert' }),
      isSheetAsked
        ? html`<label>
            <span>${sheet.sheetName}</span>
            <input name="sheet" autocomplete="off" .value=${this.#sheetName} />
          </label>`
        : nothing,
    ];
  }

  /** Offers to assign cases to people whom reconciliation does not know. */
  #personsView({ refusals }: CaseSheet) {
    const isAsked = refusals.some(({ refusal }) => refusal === 'person-unknown');
    if (!isAsked && !this.newPersons) return nothing;
    return checkField(
      texts().cases.sheet.newPersons,
      this.newPersons,
      (isSet) => {
        this.newPersons = isSet;
        void this.#compare();
      },
      { disabled: this.#comparing.isRunning || this.#applying.isRunning },
    );
  }

  #buttonsView() {
    const { cases, common } = texts();
    const found = this.#found;
    const { isRunning: isApplying, answer: done } = this.#applying;
    const hasFailed = (this.#applying.error ?? this.#comparing.error) !== undefined;
    const pending = found === undefined ? [] : pendingOf(found);
    const isAsked = done === undefined && found !== undefined && pending.length > 0;
    return html`<div class="row end">
      <wa-button
        appearance=${isAsked ? 'plain' : 'outlined'}
        ?disabled=${isApplying}
        @click=${() => this.querySelector('dialog')?.close()}
        >${isAsked ? common.cancel : common.close}</wa-button
      >
      ${
        found === undefined && hasFailed
          ? html`<wa-button variant="brand" @click=${() => void this.#compare()}
              >${cases.sheet.compareAgain}</wa-button
            >`
          : nothing
      }
      ${
        isAsked
          ? html`<wa-button
              variant="brand"
              ?loading=${isApplying}
              @click=${() => void this.#apply(found)}
              >${cases.sheet.apply(pending.length)}</wa-button
            >`
          : nothing
      }
    </div>`;
  }
}

const pendingOf = ({ differences }: CaseSheet) => differences.filter(({ applied }) => !applied);

function nothingView({ differences }: CaseSheet) {
  const { sheet } = texts().cases;
  return html`<p><strong>${differences.length === 0 ? sheet.none : sheet.allApplied}</strong></p>`;
}

/** Shows the applied differences and the refused rows. */
function resultView(found: CaseSheet | undefined, done: CaseSheet) {
  const { sheet } = texts().cases;
  const pending = new Set(
    found === undefined ? [] : pendingOf(found).map(({ field, line }) => `${line} ${field}`),
  );
  const applied = done.differences.filter(({ field, line }) => pending.has(`${line} ${field}`));
  const count = new Set(applied.map(({ caseId }) => caseId)).size;
  return html`<p class="good" role="status">
      <wa-icon name="circle-check"></wa-icon>
      <strong>${sheet.done(applied.length, count)}</strong>
    </p>
    ${refusalsView(done.refusals)}`;
}

customElements.define('cases-sheet', CasesSheet);
