import { html, nothing } from 'lit';
import type { MigrationLine } from '@financing-checkout/contract/reconciliation';
import { ApiError, send } from '../../api/client.ts';
import { linesOf } from '../../api/lines.ts';
import { texts } from '../../locale/locale.ts';
import { Action } from '../../parts/action.ts';
import { saveFile } from '../../parts/download.ts';
import { filters } from '../../parts/navigation.ts';
import { calloutView, quiet } from '../../parts/views.ts';
import { lastFullMonth, periodOf } from './period.ts';
import { type Comparison, comparisonView } from './migration-view.ts';
import { MoneyTab, periodView } from './tab.ts';

/** Maximum number of orders and of unreadable records on the page. The file contains all of them. */
const LISTED = 100;
/** Number of lines between two updates of the page. */
const UPDATE_EVERY = 50;

/** Compares the service's report with its records operations, read as a stream. */
class MoneyMigration extends MoneyTab {
  /** All lines, as text for the download. */
  #pieces: string[] = [];
  /** Number of lines read so far. */
  #read = 0;
  readonly #comparing = new Action(this, async ({ signal }) => {
    this.#pieces = [];
    this.#read = 0;
    const comparison: Comparison = { lines: 0, orders: [], unreadable: [], summary: undefined };
    const query = { ...lastFullMonth(), ...periodOf(filters()) };
    const { body } = await send('/migration', { query, signal });
    try {
      for await (const line of linesOf<MigrationLine>(body ?? new ReadableStream())) {
        this.#pieces.push(`${JSON.stringify(line)}\n`);
        comparison.lines += 1;
        if (line.kind === 'summary') comparison.summary = line;
        else if (line.kind === 'order' && comparison.orders.length < LISTED) {
          comparison.orders.push(line);
        } else if (line.kind === 'unreadable' && comparison.unreadable.length < LISTED) {
          comparison.unreadable.push(line);
        }
        this.#read = comparison.lines;
        if (comparison.lines % UPDATE_EVERY === 0) this.requestUpdate();
      }
    } catch (error) {
      // A truncated response ends within a line or without a summary; the page reports that.
      if (error instanceof ApiError) throw error;
    }
    return comparison;
  });

  #start(event: SubmitEvent): void {
    event.preventDefault();
    void this.#comparing.run();
  }

  #save(): void {
    const { from, to } = this.#comparing.answer?.summary ?? { from: '', to: '' };
    saveFile(
      `migration-${from}-${to}.ndjson`,
      new Blob(this.#pieces, { type: 'application/x-ndjson' }),
    );
  }

  protected override render() {
    const { migration } = texts().money;
    const { isRunning } = this.#comparing;
    return html`${quiet(migration.intro)}
      <form class="filters" @submit=${(event: SubmitEvent) => this.#start(event)}>
        ${periodView()}
        ${
          isRunning
            ? html`<wa-button appearance="outlined" @click=${() => this.#comparing.abort()}
                >${migration.stop}</wa-button
              >`
            : html`<wa-button type="submit" variant="brand">${migration.start}</wa-button>`
        }
      </form>
      <p role="status">
        ${isRunning ? html`<wa-spinner></wa-spinner> ${migration.reading(this.#read)}` : nothing}
      </p>
      ${this.#resultView()}`;
  }

  #resultView() {
    const { migration } = texts().money;
    const comparison = this.#comparing.answer;
    if (comparison === undefined) return this.#comparing.errorView();
    if (comparison.summary === undefined) {
      return calloutView('warning', migration.truncated, { role: 'alert' });
    }
    return comparisonView(comparison, comparison.summary, () => this.#save());
  }
}

customElements.define('money-migration', MoneyMigration);
