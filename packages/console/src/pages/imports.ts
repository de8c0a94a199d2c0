import { html, nothing } from 'lit';
import type { LedgerPreview } from '@financing-checkout/contract/reconciliation';
import { ApiError } from '../api/client.ts';
import { formats, texts } from '../locale/locale.ts';
import { paths } from '../parts/navigation.ts';
import { IMPORTS_CHANGED, shownImports } from '../parts/running-imports.ts';
import { elementWith } from '../parts/element.ts';
import { Page } from '../parts/page.ts';
import { errorView } from '../parts/states.ts';
import { calloutView, maybe, plainButton } from '../parts/views.ts';
import { columnsView } from './imports/columns.ts';
import type { Draft } from './imports/draft.ts';
import type { ImportList } from './imports/list.ts';
import './imports/list.ts';
import { notationView } from './imports/notation.ts';
import { DraftQueue, endOf, stateOf } from './imports/queue.ts';
import { isUnitMissing, missingFields } from './imports/options.ts';
import { figuresView, reportView } from './imports/report.ts';
import { sheetView } from './imports/sheet.ts';

/** At module level, so that the files are kept while the user visits another page. */
const queue = new DraftQueue();

class ImportsPage extends elementWith({ isOver: false }, Page) {
  override readonly heading = texts().shell.imports;
  readonly #seen = { results: 0, running: 0 };

  override connectedCallback(): void {
    super.connectedCallback();
    queue.onChange = () => this.#changed();
    queue.see();
    addEventListener('beforeunload', warn);
    addEventListener(IMPORTS_CHANGED, this.#importsChanged);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    queue.onChange = () => undefined;
    removeEventListener('beforeunload', warn);
    removeEventListener(IMPORTS_CHANGED, this.#importsChanged);
  }

  #changed(): void {
    const { results } = this.#seen;
    const now = queue.drafts.filter(({ result }) => result !== undefined).length;
    this.#seen.results = now;
    if (now > results) this.#reloadList();
    queue.see();
    this.requestUpdate();
  }

  /** Reloads the list once all running imports, including other people's, have ended. */
  readonly #importsChanged = () => {
    const { running } = this.#seen;
    this.#seen.running = shownImports().length;
    if (running > 0 && this.#seen.running === 0) this.#reloadList();
  };

  #reloadList(): void {
    void this.querySelector<ImportList>('console-import-list')?.reload();
  }

  #choose(files: FileList | null | undefined): void {
    this.isOver = false;
    void queue.add([...(files ?? [])]);
  }

  protected override render() {
    const { imports } = texts();
    return html`<h1>${this.heading}</h1>
      ${this.may('imports') ? this.#importer() : calloutView('neutral', imports.notPermitted)}
      <console-import-list .mayWithdraw=${this.may('imports')}></console-import-list>`;
  }

  #importer() {
    const draft = queue.shown;
    const { file, preview, checked, result } = draft;
    if (file === undefined) {
      return html`${this.#dropView()} ${this.#queueView()} ${this.#problemView()}`;
    }
    const step = result !== undefined ? 2 : checked !== undefined ? 1 : 0;
    return html`${this.#queueView()} ${this.#fileView(step)} ${this.#workView()}
    ${this.#problemView()}
    ${
      result !== undefined
        ? this.#resultView()
        : checked !== undefined
          ? reportView(draft, checked, () => void queue.import(draft))
          : preview !== undefined
            ? html`${sheetView(draft, preview)}
              ${preview.columns.length === 0 ? nothing : this.#assignView(preview)}`
            : nothing
    }`;
  }

  #assignView(preview: LedgerPreview) {
    const draft = queue.shown;
    return html`${columnsView(draft, preview)} ${notationView(draft, preview)} ${this.#checkView()}`;
  }

  #dropView() {
    const { imports } = texts();
    return html`<p class="quiet">${imports.intro}</p>
      <label
        class="drop ${this.isOver ? 'over' : ''}"
        @dragover=${(event: DragEvent) => {
          event.preventDefault();
          this.isOver = true;
        }}
        @dragleave=${() => (this.isOver = false)}
        @drop=${(event: DragEvent) => {
          event.preventDefault();
          this.#choose(event.dataTransfer?.files);
        }}
      >
        <wa-icon name="file-up"></wa-icon>
        <strong>${imports.drop}</strong>
        <span class="pick">${imports.choose}</span>
        <small class="quiet">${imports.kinds}</small>
        <input
          class="sr"
          type="file"
          multiple
          aria-label=${imports.choose}
          @change=${({ currentTarget }: Event) =>
            this.#choose((currentTarget as HTMLInputElement).files)}
        />
      </label>`;
  }

  /** Shows all files with their states, if there is more than one. */
  #queueView() {
    const { imports } = texts();
    const { drafts, shown } = queue;
    if (drafts.length < 2) return nothing;
    return html`<section class="card" aria-label=${imports.queue}>
      <h2>${imports.queue}</h2>
      <ol class="import-queue">
        ${drafts.map(
          (draft) =>
            html`<li aria-current=${draft === shown ? 'true' : 'false'}>
              ${plainButton(html`<strong>${draft.name}</strong>`, () => queue.show(draft), {
                icon: 'file-up',
              })}
              <span class="quiet">${stateText(draft)}</span>
            </li>`,
        )}
      </ol>
    </section>`;
  }

  /** Shows the file and its current step. */
  #fileView(step: number) {
    const { imports } = texts();
    const { shown: draft } = queue;
    const { file, options } = draft;
    const steps = [imports.steps.assign, imports.steps.check, imports.steps.done];
    const preset = (imports.presets as Record<string, string>)[options.preset ?? ''];
    return html`<section class="card">
      <div class="row spread">
        <span class="file-name">
          <wa-icon name="file-up"></wa-icon><strong>${file?.name}</strong>
          <span class="quiet">${sizeOf(file?.size ?? 0)}</span>
        </span>
        <ol class="import-steps" aria-label=${imports.stepsLabel}>
          ${steps.map(
            (name, index) =>
              html`<li
                class=${index < step ? 'past' : ''}
                aria-current=${index === step ? 'step' : 'false'}
              >
                ${name}
              </li>`,
          )}
        </ol>
        ${plainButton(imports.otherFile, () => queue.remove(draft), { icon: 'x', disabled: draft.work !== undefined || draft.isWaiting })}
      </div>
      ${
        preset === undefined || step > 0
          ? nothing
          : html`<p class="recognized good">
              <wa-icon name="badge-check"></wa-icon> ${imports.recognized(preset)}
            </p>`
      }
    </section>`;
  }

  /** Shows the current step of the import. */
  #workView() {
    const { imports } = texts();
    const { shown: draft } = queue;
    const { work, share } = draft;
    if (draft.isWaiting) {
      return calloutView('neutral', html`<span id="work-text">${imports.waiting}</span>`);
    }
    if (work === undefined) return nothing;
    const isSending = (work !== 'reading' || draft.isWorkbook) && share < 1;
    const percent = formats().percent(Math.floor(share * 100) * 100);
    const sentence =
      work === 'reading'
        ? imports.reading
        : isSending
          ? imports.sending(percent)
          : work === 'checking'
            ? imports.checking
            : imports.importing;
    return html`<section class="card" aria-live="polite">
      <div class="row spread">
        <span id="work-text">${sentence}</span>
        ${plainButton(texts().common.cancel, () => draft.cancel())}
      </div>
      <progress aria-labelledby="work-text" max="1" value=${isSending ? share : nothing}></progress>
    </section>`;
  }

  #problemView() {
    const { imports } = texts();
    const { problem, otherKind, error, isUncertain } = queue.shown;
    const isBusy = error instanceof ApiError && error.code === 'import-busy';
    const sentence = isUncertain
      ? imports.uncertain
      : isBusy
        ? imports.busy
        : otherKind === undefined
          ? (optionText(error) ?? (problem && imports[problem]))
          : imports.otherKinds[otherKind];
    return html`${maybe(sentence, (text) => calloutView('warning', text, { role: 'alert' }))}
    ${
      error === undefined || isBusy || isUncertain || optionText(error) !== undefined
        ? nothing
        : errorView(error, this.#repeat())
    }`;
  }

  /** Returns a function that retries the failed step, if no button on the page does. */
  #repeat(): (() => void) | undefined {
    const { shown: draft } = queue;
    return draft.preview === undefined ? () => void draft.readBeginning() : undefined;
  }

  #checkView() {
    const { imports } = texts();
    const { shown: draft } = queue;
    const { options, preview } = draft;
    if (preview === undefined) return nothing;
    const missing = [
      ...missingFields(options).map((field) => imports.fields[field]),
      ...(isUnitMissing(preview, options) ? [imports.units] : []),
    ];
    return html`<div class="row check-bar">
      <wa-button
        variant="brand"
        ?disabled=${missing.length > 0 || draft.work !== undefined}
        ?loading=${draft.work === 'checking'}
        @click=${() => void draft.check()}
        >${imports.check}</wa-button
      >
      ${
        missing.length === 0
          ? nothing
          : html`<span class="problem" role="status"
              >${imports.missing(formats().list.format(missing))}</span
            >`
      }
    </div>`;
  }

  #resultView() {
    const { imports } = texts();
    const { shown: draft, next } = queue;
    const { result } = draft;
    if (result === undefined) return nothing;
    return html`<section class="card" role="status">
      <h2 class="good"><wa-icon name="circle-check"></wa-icon> ${imports.doneTitle}</h2>
      <p>
        ${result.added + result.replaced === 0 ? imports.nothingNew : imports.doneText(result.added)}
      </p>
      ${figuresView(result)}
      <div class="row">
        ${
          next === undefined
            ? html`<wa-button variant="brand" @click=${() => queue.clear()}
                >${imports.another}</wa-button
              >`
            : html`<wa-button variant="brand" @click=${() => queue.show(next)}
                >${imports.continueWith(next.name)}</wa-button
              >`
        }
        <wa-button appearance="outlined" href=${paths.orders}>${imports.seeOrders}</wa-button>
      </div>
    </section>`;
  }
}

/**
 * Returns what to do about a refusal that names an API option, because the option has another name
 * on this page.
 */
function optionText(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.detail?.includes('`') !== true) return undefined;
  const { imports } = texts();
  return error.detail.includes('`encoding`') ? imports.encodingWrong : imports.otherError;
}

/** Describes the work on a file, or what it is waiting for. */
function stateText(draft: Draft): string {
  const { imports, shell } = texts();
  const { checked, isFailed, otherKind, problem, result } = draft;
  if (result !== undefined) return imports.doneText(result.added);
  const state = stateOf(draft) ?? (isFailed ? endOf(draft) : undefined);
  if (state !== undefined) return shell.importStates[state.state];
  if (otherKind !== undefined || problem === 'empty') return imports.unusable;
  return checked === undefined ? imports.toAssign : imports.toImport;
}

/** Asks for confirmation before the user leaves the page during an import. */
function warn(event: BeforeUnloadEvent): void {
  const isImporting = queue.drafts.some(({ isWaiting, work }) => isWaiting || work === 'importing');
  if (isImporting) event.preventDefault();
}

function sizeOf(bytes: number): string {
  const unit = bytes >= 1_000_000 ? 'megabyte' : bytes >= 1_000 ? 'kilobyte' : 'byte';
  const value = bytes / (unit === 'megabyte' ? 1_000_000 : unit === 'kilobyte' ? 1_000 : 1);
  return new Intl.NumberFormat(formats().locale, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  }).format(value);
}

customElements.define('console-imports', ImportsPage);
