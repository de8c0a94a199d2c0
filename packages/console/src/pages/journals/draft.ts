import type {
  JournalDetail,
  JournalExport,
  JournalFormatName,
  JournalPreview,
} from '@financing-checkout/contract/reconciliation';
import { html, nothing } from 'lit';
import { addressOf, post } from '../../api/client.ts';
import { texts } from '../../locale/locale.ts';
import { Action } from '../../parts/action.ts';
import { downloadAddress } from '../../parts/download.ts';
import { elementWith, oneOf } from '../../parts/element.ts';
import { loadCall } from '../../parts/loader.ts';
import { loadedView } from '../../parts/states.ts';
import { calloutView, cardView, maybe, quiet } from '../../parts/views.ts';
import { balancesView, entriesView } from './lines.ts';

/** Number of entries shown in the preview. */
const SHOWN = 50;

/** A preview of a period's export, with the button that writes it. Fires `exported` after an export. */
class JournalDraft extends elementWith({
  period: '',
  format: oneOf<JournalFormatName>('csv'),
  detail: oneOf<JournalDetail>('summary'),
  mayExport: false,
}) {
  readonly #preview = loadCall(this, 'get /periods/:period/journal', () => ({
    period: this.period,
    query: { format: this.format, detail: this.detail, limit: String(SHOWN) },
  }));
  readonly #export = new Action(this, async () => {
    const { period, format, detail } = this;
    const path = `/periods/${encodeURIComponent(period)}/journal`;
    const done = await post<JournalExport>(path, { format, detail });
    downloadAddress(fileAddress(done.seq));
    this.dispatchEvent(new CustomEvent('exported'));
    await this.#preview.run();
    return done;
  });

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!['period', 'format', 'detail'].some((name) => changed.has(name))) return;
    this.#export.reset();
  }

  protected override render() {
    return loadedView(this.#preview, (preview) => this.#view(preview));
  }

  #view(preview: JournalPreview) {
    const { journals } = texts();
    const { period, isSealed, since, entries, count, lines, balances, refusals, files } = preview;
    const { otherDetail } = preview;
    const isReady = isSealed && refusals.length === 0 && count > 0;
    const button =
      this.mayExport && isReady
        ? html`<wa-button
            variant="brand"
            ?loading=${this.#export.isRunning}
            @click=${() => void this.#export.run()}
            ><wa-icon slot="start" name="download"></wa-icon>${journals.export}</wa-button
          >`
        : nothing;
    return cardView(
      `${journals.journal} ${period}`,
      html`${isSealed ? nothing : calloutView('warning', journals.isDraft)}
        ${maybe(since, (seq) => quiet(count === 0 ? journals.nothingNew(seq) : journals.since(seq)))}
        ${
          count === 0
            ? nothing
            : maybe(otherDetail, (seq) => calloutView('warning', journals.otherDetail(seq)))
        }
        ${count === 0 ? nothing : quiet(journals.size(count, lines))}
        ${
          refusals.length === 0
            ? nothing
            : calloutView(
                'danger',
                html`${journals.refused}
                  <ul>
                    ${refusals.map(
                      ({ message, count: times, examples }) =>
                        html`<li>
                          <span lang="en">${message}</span> ${journals.times(times, examples)}
                        </li>`,
                    )}
                  </ul>`,
                { role: 'alert' },
              )
        }
        <div role="status">
          ${maybe(this.#export.answer, ({ seq }) => html`<p class="good">${journals.done(seq)}</p>`)}
        </div>
        ${this.#export.problemText()}
        ${
          count === 0
            ? nothing
            : html`${balancesView(balances)}
                ${files.length === 0 ? nothing : quiet(journals.files(files.map(({ name, rows }) => journals.file(name, rows))))}
                <details>
                  <summary>${journals.entries}</summary>
                  ${count > entries.length ? quiet(journals.first(entries.length)) : nothing}
                  ${entriesView(entries)}
                </details>`
        }`,
      button,
    );
  }
}

/** Returns the address of an export's ZIP file. */
export function fileAddress(seq: number): string {
  return addressOf(`/journals/${seq}/file`);
}

customElements.define('journal-draft', JournalDraft);
