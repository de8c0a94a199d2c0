import { html, nothing } from 'lit';
import type { MigrationLine } from '@financing-checkout/contract';
import { ApiError, send } from '../../api/client.ts';
import { linesOf } from '../../api/lines.ts';
import { texts } from '../../locale/locale.ts';
import { saveFile } from '../../parts/download.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { filters } from '../../parts/navigation.ts';
import { errorView } from '../../parts/states.ts';
import { calloutView, quiet } from '../../parts/views.ts';
import { lastFullMonth, periodOf } from './period.ts';
import { type Comparison, comparisonView } from './migration-view.ts';
import { MoneyTab, periodView } from './tab.ts';

/** Maximum number of orders and of unreadable records on the page. The file contains all. */
const LISTED = 100;
/** Number of lines between two updates of the page. */
const UPDATE_EVERY = 50;

/** Compares the service's report with its records operations, read as a stream. */
class MoneyMigration extends elementWith(
  {
    comparison: optional<Comparison>(),
    failure: optional<unknown>(),
    isRunning: false,
  },
  MoneyTab,
) {
  /** All lines, as text for the download. */
  #pieces: string[] = [];
  #request = new AbortController();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#request.abort();
  }

  async #start(event?: SubmitEvent): Promise<void> {
    event?.preventDefault();
    if (this.isRunning) return;
    this.isRunning = true;
    this.failure = undefined;
    this.#pieces = [];
    this.#request = new AbortController();
    const { signal } = this.#request;
    const comparison: Comparison = { lines: 0, orders: [], unreadable: [], summary: undefined };
    this.comparison = comparison;
    try {
      const query = { ...lastFullMonth(), ...periodOf(filters()) };
      const { body } = await send('/migration', { query, signal });
      for await (const line of linesOf<MigrationLine>(body ?? new ReadableStream())) {
        this.#pieces.push(`${JSON.stringify(line)}\n`);
        comparison.lines += 1;
        if (line.kind === 'summary') comparison.summary = line;
        else if (line.kind === 'order' && comparison.orders.length < LISTED) {
          comparison.orders.push(line);
        } else if (line.kind === 'unreadable' && comparison.unreadable.length < LISTED) {
          comparison.unreadable.push(line);
        }
        if (comparison.lines % UPDATE_EVERY === 0) this.requestUpdate();
      }
    } catch (error) {
      // A truncated response ends within a line or without a summary, which the page reports.
      if (!signal.aborted && error instanceof ApiError) this.failure = error;
    }
    this.isRunning = false;
    if (signal.aborted) this.comparison = undefined;
  }

  #save(): void {
    const { from, to } = this.comparison?.summary ?? { from: '', to: '' };
    saveFile(
      `migration-${from}-${to}.ndjson`,
      new Blob(this.#pieces, { type: 'application/x-ndjson' }),
    );
  }

  protected override render() {
    const { migration } = texts().money;
    const { comparison } = this;
    return html`${quiet(migration.intro)}
      <form class="filters" @submit=${(event: SubmitEvent) => void this.#start(event)}>
        ${periodView()}
        ${
          this.isRunning
            ? html`<wa-button appearance="outlined" @click=${() => this.#request.abort()}
                >${migration.stop}</wa-button
              >`
            : html`<wa-button type="submit" variant="brand">${migration.start}</wa-button>`
        }
      </form>
      <p role="status">
        ${
          this.isRunning
            ? html`<wa-spinner></wa-spinner> ${migration.reading(comparison?.lines ?? 0)}`
            : nothing
        }
      </p>
      ${this.failure === undefined ? this.#resultView() : errorView(this.failure, () => void this.#start())}`;
  }

  #resultView() {
    const { migration } = texts().money;
    const { comparison } = this;
    if (comparison === undefined || this.isRunning) return nothing;
    if (comparison.summary === undefined) {
      return calloutView('warning', migration.truncated, { role: 'alert' });
    }
    return comparisonView(comparison, comparison.summary, () => this.#save());
  }
}

customElements.define('money-migration', MoneyMigration);
