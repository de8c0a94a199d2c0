import { html, nothing } from 'lit';
import type { PeriodRecord, Periods } from '@financing-checkout/contract/reconciliation';
import { journalDetails, journalFormats } from '@financing-checkout/contract/plain';
import { texts } from '../locale/locale.ts';
import { selectField } from '../parts/fields.ts';
import { loadCall } from '../parts/loader.ts';
import { filters, setFilters } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import { emptyView, loadedView } from '../parts/states.ts';
import { quiet } from '../parts/views.ts';
import './journals/chart.ts';
import './journals/draft.ts';
import { exportsView } from './journals/exports.ts';
import './journals/trace.ts';

/** Journals of accounting periods: preview and exports. */
class JournalsPage extends Page {
  override readonly heading = texts().shell.journals;
  readonly #periods = loadCall(this, 'get /periods', () => ({}));
  readonly #exports = loadCall(this, 'get /journals', () => ({}));

  protected override render() {
    const { journals } = texts();
    const { export: seq, entry, account, currency } = filters();
    return html`<h1>${this.heading}</h1>
      ${quiet(journals.intro)} ${this.may('periods') ? nothing : quiet(journals.needsRight)}
      ${
        seq === undefined
          ? nothing
          : html`<journal-trace
              .seq=${seq}
              .entry=${entry ?? ''}
              .account=${account ?? ''}
              .currency=${currency ?? ''}
            ></journal-trace>`
      }
      ${loadedView(this.#periods, (periods) => this.#draftView(periods))}
      ${loadedView(this.#exports, ({ exports }) => exportsView(exports))}
      <journal-chart></journal-chart>`;
  }

  #draftView({ periods }: Periods) {
    const { close, journals } = texts();
    const offered = periods.filter(({ state }) => state !== 'future');
    if (offered.length === 0) return emptyView(close.none, close.noneHint, 'calendar-days');
    const { period, format = '', detail = '' } = filters();
    const chosen =
      offered.find(({ id }) => id === period) ??
      offered.find(({ state }) => state === 'closed') ??
      offered[0];
    const target = journalFormats.find((name) => name === format) ?? 'csv';
    const grain = journalDetails.find((name) => name === detail) ?? 'summary';
    return html`<div class="row filters">
        ${selectField(close.period, offered.map(optionOf), chosen?.id ?? '', (id) =>
          setFilters({ period: id }),
        )}
        ${selectField(
          journals.format,
          journalFormats.map((name) => [name, journals.formats[name]] as const),
          target,
          (name) => setFilters({ format: name }),
        )}
        ${selectField(
          journals.detail,
          journalDetails.map((name) => [name, journals.details[name]] as const),
          grain,
          (name) => setFilters({ detail: name }),
        )}
      </div>
      <journal-draft
        .period=${chosen?.id ?? ''}
        .format=${target}
        .detail=${grain}
        .mayExport=${this.may('periods')}
        @exported=${() => void this.#exports.run()}
      ></journal-draft>`;
  }
}

function optionOf({ id, state }: PeriodRecord): readonly [string, string] {
  return [id, `${id} · ${texts().close.states[state]}`];
}

customElements.define('console-journals', JournalsPage);
