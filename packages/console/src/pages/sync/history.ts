import { html, nothing } from 'lit';
import type { FundingSync } from '@financing-checkout/contract/reconciliation';
import { formats, texts } from '../../locale/locale.ts';
import { elementWith } from '../../parts/element.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { listOf } from '../../parts/list.ts';
import type { Column } from '../../parts/table.ts';
import { headView } from '../../parts/views.ts';

/** The syncs, newest first, one page at a time. */
class SyncHistory extends elementWith({}) {
  readonly #list = listOf(this, 'get /syncs', 'syncs');

  protected override firstUpdated(): void {
    void this.reload();
  }

  /** Loads the newest syncs. */
  reload(): Promise<void> {
    return this.#list.start();
  }

  protected override render() {
    const { sync } = texts();
    const shown = { label: sync.history, columns: columns(), empty: sync.historyEmpty };
    return html`${headView(sync.history, exportLinks('fundings-syncs', {}, { path: '/syncs' }))}
    ${this.#list.view(shown)}`;
  }
}

const variants = {
  complete: 'success',
  partial: 'warning',
  failed: 'danger',
  running: 'neutral',
} as const;

function columns(): Column<FundingSync>[] {
  const { sync, words, common } = texts();
  const { day, moment, number } = formats();
  const figure = (
    head: string,
    value: (run: FundingSync) => number,
    name = 'minor',
  ): Column<FundingSync> => ({
    head,
    class: `end ${name}`,
    cell: (run) => number(value(run)),
  });
  return [
    { head: sync.startedAt, cell: ({ startedAt }) => moment(startedAt) },
    {
      head: common.state,
      cell: ({ state, reason }) =>
        html`<wa-badge variant=${variants[state]} appearance="filled" title=${reason ?? nothing}
            >${words.syncStates[state]}</wa-badge
          >${reason === undefined ? nothing : html`<span class="sr">${reason}</span>`}`,
    },
    {
      head: common.period,
      class: 'minor',
      cell: ({ from, to }) => `${day(from)} – ${day(to)}`,
    },
    {
      head: sync.days,
      class: 'end',
      cell: ({ days }) => sync.ofDays(number(days.done), number(days.planned)),
    },
    figure(sync.records, (run) => run.records),
    figure(sync.changed, (run) => run.changed, ''),
    figure(sync.gone, (run) => run.gone),
    figure(sync.quarantined, (run) => run.quarantined),
  ];
}

customElements.define('console-sync-history', SyncHistory);
export type { SyncHistory };
