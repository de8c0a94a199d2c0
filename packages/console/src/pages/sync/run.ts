import { html, nothing } from 'lit';
import type { FundingSync } from '@financing-checkout/contract/reconciliation';
import { call, post } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { Action } from '../../parts/action.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { maybe, pairsView, problemText, quiet } from '../../parts/views.ts';

/** Starts a sync, or follows a running one. Fires `sync-ended` when the sync has ended. */
class SyncRun extends elementWith({
  mayStart: false,
  /** The newest sync, from the coverage. */
  last: optional<FundingSync>(),
  /** The displayed sync: the running one, or the one that was followed to its end. */
  run: optional<FundingSync>(),
  /** Whether the progress stream is interrupted. */
  isCutOff: false,
}) {
  #events: EventSource | undefined;
  readonly #start = new Action(
    this,
    async (_request, range: { from?: string; to?: string }) =>
      this.#follow(await post<FundingSync>('/syncs', range)),
    { conflicts: ['sync-busy'] },
  );
  /** Follows the sync that is already running. */
  readonly #join = new Action(this, async () => {
    const { syncs } = await call('get /syncs', {});
    const [newest] = syncs;
    if (newest !== undefined) this.#follow(newest);
  });

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop();
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('last') && this.last?.state === 'running') this.#follow(this.last);
  }

  #stop(): void {
    this.#events?.close();
    this.#events = undefined;
  }

  /** Follows a sync until it ends. After losing the connection, the browser reconnects by itself. */
  #follow(run: FundingSync): void {
    this.run = run;
    if (this.#events?.url.includes(encodeURIComponent(run.id)) === true) return;
    this.#stop();
    const events = new EventSource(`/syncs/${encodeURIComponent(run.id)}/events`);
    this.#events = events;
    events.addEventListener('open', () => (this.isCutOff = false));
    events.addEventListener('error', () => (this.isCutOff = true));
    events.addEventListener('sync', (event: MessageEvent<string>) => {
      this.isCutOff = false;
      this.run = JSON.parse(event.data) as FundingSync;
      if (this.run.state === 'running') return;
      this.#stop();
      this.dispatchEvent(new CustomEvent('sync-ended'));
    });
  }

  /** Starts a sync of a period, or of all days that are due. */
  async start(range: { from?: string; to?: string } = {}): Promise<void> {
    await this.#start.run(range);
    if (this.#start.state === 'conflict') await this.#join.run();
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const [from, to] = [data.get('from') as string, data.get('to') as string];
    if (from === '' || to === '' || from > to) {
      this.#start.refuse(texts().sync.rangeWrong);
      return;
    }
    void this.start({ from, to });
  }

  protected override render() {
    const { sync } = texts();
    const isRunning = this.run?.state === 'running';
    return html`<section class="card run">
      ${this.mayStart ? this.#startView(isRunning) : quiet(sync.needsRight)}
      ${problemText(this.#start.state === 'conflict' ? sync.busy : this.#start.missing)}
      ${this.#start.errorView()} ${this.#join.errorView()}
      ${maybe(this.run, (run) => this.#progressView(run))}
    </section>`;
  }

  #startView(isRunning: boolean) {
    const { sync, common } = texts();
    return html`<div class="row spread">
      <wa-button
        variant="brand"
        ?disabled=${isRunning}
        ?loading=${this.#start.isRunning || this.#join.isRunning}
        @click=${() => void this.start()}
      >
        <wa-icon slot="start" name="refresh-cw"></wa-icon>${sync.start}</wa-button
      >
      <details>
        <summary>${sync.startRange}</summary>
        <form class="filters" @submit=${(event: SubmitEvent) => this.#submit(event)} novalidate>
          <label><span>${common.from}</span><input type="date" name="from" required /></label>
          <label><span>${common.to}</span><input type="date" name="to" required /></label>
          <wa-button type="submit" appearance="outlined" ?disabled=${isRunning}
            >${sync.start}</wa-button
          >
        </form>
        <p class="quiet">${sync.startHelp}</p>
      </details>
    </div>`;
  }

  #progressView(run: FundingSync) {
    const { sync } = texts();
    const { planned, done, unproven } = run.days;
    const isRunning = run.state === 'running';
    const { day } = formats();
    const sentence =
      run.state !== 'running'
        ? sync.ended[run.state]
        : done >= planned && planned > 0
          ? sync.judging
          : sync.progress(done, planned);
    return html`<div class="progress" role="status">
      <div class="row spread">
        <strong>${isRunning ? sync.running(day(run.from), day(run.to)) : sentence}</strong>
        <span class="quiet">${isRunning ? sentence : nothing}</span>
      </div>
      ${
        isRunning
          ? html`<progress
              aria-label=${sync.running(day(run.from), day(run.to))}
              max=${Math.max(planned, 1)}
              .value=${done}
            ></progress>`
          : nothing
      }
      ${isRunning && this.isCutOff ? quiet(sync.reconnecting) : nothing}
      ${maybe(run.reason, (reason) => html`<p>${reason}</p>`)}
      ${run.reason?.includes('companion') === true ? html`<p>${sync.companionAway}</p>` : nothing}
      ${changesView(run, unproven)}
    </div>`;
  }
}

function changesView(run: FundingSync, unproven: number) {
  const { common, sync } = texts();
  const { number } = formats();
  return pairsView(
    'figures',
    [
      [common.records, number(run.records)],
      [common.changed, number(run.changed)],
      [common.gone, number(run.gone)],
      [common.quarantined, number(run.quarantined)],
      [common.days_unproven, number(unproven)],
    ],
    sync.changes,
  );
}

customElements.define('console-sync-run', SyncRun);
export type { SyncRun };
