import { html, nothing } from 'lit';
import type { Coverage } from '@financing-checkout/contract/reconciliation';
import { tables } from '@financing-checkout/contract/plain';
import { formats, texts } from '../locale/locale.ts';
import { declaredColumns } from '../parts/declared.ts';
import { exportLinks } from '../parts/export-links.ts';
import { Page } from '../parts/page.ts';
import { loadAnswer } from '../parts/loader.ts';
import { emptyView, loadedView } from '../parts/states.ts';
import { tableView } from '../parts/table.ts';
import { cardView, pairsView, quiet } from '../parts/views.ts';
import './sync/alerts.ts';
import { stateBadge } from './sync/calendar.ts';
import type { SyncHistory } from './sync/history.ts';
import './sync/history.ts';
import type { DayState } from './sync/months.ts';
import './sync/rebuild.ts';
import type { SyncRun } from './sync/run.ts';
import './sync/run.ts';

class SyncPage extends Page {
  override readonly heading = texts().shell.sync;
  readonly #coverage = loadAnswer<Coverage>(this, () => '/coverage');

  #reload(): void {
    void this.#coverage.run();
    void this.querySelector<SyncHistory>('console-sync-history')?.reload();
  }

  #readAgain(day: string): void {
    const run = this.querySelector<SyncRun>('console-sync-run');
    void run?.start({ from: day, to: day });
    run?.scrollIntoView({ block: 'center' });
  }

  protected override render() {
    const { sync } = texts();
    return html`<h1>${this.heading}</h1>
      <p class="quiet">${sync.intro}</p>
      <console-sync-run
        .mayStart=${this.may('sync')}
        .last=${this.#coverage.value?.last}
        @sync-ended=${() => this.#reload()}
      ></console-sync-run>
      ${loadedView(this.#coverage, (coverage) => this.#coverageView(coverage))}
      <section><console-sync-history></console-sync-history></section>
      <section><console-alerts .mayResend=${this.may('cases')}></console-alerts></section>
      ${this.may('rebuild') ? html`<section><console-rebuild></console-rebuild></section>` : nothing}`;
  }

  #coverageView(coverage: Coverage) {
    const { common, sync } = texts();
    const { from, to, days, unprovenDays, records } = coverage;
    if (from === undefined || to === undefined) {
      return emptyView(sync.noCoverage, sync.noCoverageHint, 'calendar-days');
    }
    const { day, number } = formats();
    return html`<div class="card">
        ${pairsView('figures', [
          [common.period, `${day(from)} – ${day(to)}`],
          [sync.proven, sync.ofDays(number(days - unprovenDays), number(days))],
          [common.records, number(records)],
          [common.quarantined, number(coverage.quarantined.length)],
        ])}
      </div>
      <section class="card">
        <console-day-calendar
          .coverage=${coverage}
          .mayRead=${this.may('sync')}
          @read-again=${({ detail }: CustomEvent<string>) => this.#readAgain(detail)}
        ></console-day-calendar>
      </section>
      ${unprovenView(coverage)} ${quarantineView(coverage)}`;
  }
}

function unprovenView({ unproven, unprovenDays }: Coverage) {
  const { sync } = texts();
  if (unprovenDays === 0) {
    return html`<p class="good all-proven">
      <wa-icon name="circle-check"></wa-icon> ${sync.allProven}
    </p>`;
  }
  const columns = declaredColumns<Coverage['unproven'][number]>(tables.unprovenDays, {
    own: { state: { cell: ({ state }) => stateBadge(state as DayState) } },
  });
  return cardView(
    sync.unprovenList,
    html`${unprovenDays > unproven.length ? quiet(sync.unprovenMore(unproven.length)) : nothing}
    ${tableView({ label: sync.unprovenList, columns, rows: unproven, area: 'scroll' })}`,
    exportLinks('fundings-unproven', {}, { path: '/days/unproven' }),
  );
}

function quarantineView({ quarantined }: Coverage) {
  if (quarantined.length === 0) return nothing;
  const { sync } = texts();
  const columns = declaredColumns<Coverage['quarantined'][number]>(tables.quarantine, {
    own: { record: { class: 'id' } },
    narrow: ['day', 'record', 'order', 'reason'],
  });
  return cardView(
    sync.quarantine,
    html`${quiet(sync.quarantineHelp)}
    ${tableView({ label: sync.quarantine, columns, rows: quarantined, area: 'scroll' })}`,
    exportLinks('fundings-quarantine', {}, { path: '/quarantine' }),
  );
}

customElements.define('console-sync', SyncPage);
