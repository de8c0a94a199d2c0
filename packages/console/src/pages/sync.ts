import { html, nothing } from 'lit';
import type { Coverage } from '@financing-checkout/contract';
import { get } from '../api/client.ts';
import { formats, texts } from '../locale/locale.ts';
import { exportLinks } from '../parts/export-links.ts';
import { Page } from '../parts/page.ts';
import { Loader } from '../parts/loader.ts';
import { emptyView, loadedView } from '../parts/states.ts';
import { orderLink } from '../parts/values.ts';
import './sync/alerts.ts';
import { stateBadge } from './sync/calendar.ts';
import type { SyncHistory } from './sync/history.ts';
import './sync/history.ts';
import type { DayState } from './sync/months.ts';
import './sync/rebuild.ts';
import type { SyncRun } from './sync/run.ts';
import './sync/run.ts';

class SyncPage extends Page {
  override readonly heading = texts().sync.title;
  readonly #coverage = new Loader(this, {
    task: (_, { signal }) => get<Coverage>('/coverage', {}, signal),
    args: () => [],
  });

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
    const { sync } = texts();
    const { from, to, days, unprovenDays, records } = coverage;
    if (from === undefined || to === undefined) {
      return emptyView(sync.noCoverage, sync.noCoverageHint, 'calendar-days');
    }
    const { day, number } = formats();
    return html`<dl class="figures card">
        <div>
          <dt>${sync.period}</dt>
          <dd class="text">${day(from)} – ${day(to)}</dd>
        </div>
        <div>
          <dt>${sync.proven}</dt>
          <dd>${sync.ofDays(number(days - unprovenDays), number(days))}</dd>
        </div>
        <div>
          <dt>${sync.records}</dt>
          <dd>${number(records)}</dd>
        </div>
        <div>
          <dt>${sync.quarantined}</dt>
          <dd>${number(coverage.quarantined.length)}</dd>
        </div>
      </dl>
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
  const { sync, common } = texts();
  if (unprovenDays === 0) {
    return html`<p class="good all-proven">
      <wa-icon name="circle-check"></wa-icon> ${sync.allProven}
    </p>`;
  }
  return html`<section class="card">
    <div class="row spread">
      <h2>${sync.unprovenList}</h2>
      ${exportLinks('unproven-days')}
    </div>
    ${
      unprovenDays > unproven.length
        ? html`<p class="quiet">${sync.unprovenMore(unproven.length)}</p>`
        : nothing
    }
    <div class="scroll" tabindex="0" role="region" aria-label=${sync.unprovenList}>
      <table>
        <thead>
          <tr>
            <th scope="col">${sync.day}</th>
            <th scope="col">${common.state}</th>
            <th scope="col">${common.reason}</th>
          </tr>
        </thead>
        <tbody>
          ${unproven.map(
            ({ day, state, reason }) =>
              html`<tr>
                <th scope="row">${formats().day(day)}</th>
                <td>${stateBadge(state as DayState)}</td>
                <td>${reason ?? ''}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

function quarantineView({ quarantined }: Coverage) {
  const { sync, common } = texts();
  if (quarantined.length === 0) return nothing;
  return html`<section class="card" id="quarantine">
    <div class="row spread">
      <h2>${sync.quarantine}</h2>
      ${exportLinks('quarantine')}
    </div>
    <p class="quiet">${sync.quarantineHelp}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${sync.quarantine}>
      <table>
        <thead>
          <tr>
            <th scope="col">${sync.day}</th>
            <th scope="col">${sync.record}</th>
            <th scope="col">${common.order}</th>
            <th scope="col">${common.reason}</th>
          </tr>
        </thead>
        <tbody>
          ${quarantined.map(
            ({ day, id, merchantOrderId, reason }) =>
              html`<tr>
                <td>${formats().day(day)}</td>
                <td class="id">${id}</td>
                <td>
                  ${
                    merchantOrderId === undefined
                      ? nothing
                      : orderLink(`order:${merchantOrderId}`, merchantOrderId)
                  }
                </td>
                <td>${reason}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

customElements.define('console-sync', SyncPage);
