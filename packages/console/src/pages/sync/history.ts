import { html, nothing } from 'lit';
import type { FundingSync } from '@financing-checkout/contract/reconciliation';
import { tables } from '@financing-checkout/contract/plain';
import { formats, texts } from '../../locale/locale.ts';
import { declaredColumns } from '../../parts/declared.ts';
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
  const { day, number } = formats();
  return declaredColumns<FundingSync>(tables.syncs, {
    own: {
      state: {
        cell: ({ state, reason }) =>
          html`<wa-badge variant=${variants[state]} appearance="filled" title=${reason ?? nothing}
              >${words.syncStates[state]}</wa-badge
            >${reason === undefined ? nothing : html`<span class="sr">${reason}</span>`}`,
      },
      reason: null,
      from: { head: common.period, cell: ({ from, to }) => `${day(from)} – ${day(to)}` },
      to: null,
      days_unproven: {
        head: sync.days,
        cell: ({ days }) => sync.ofDays(number(days.done), number(days.planned)),
      },
    },
    narrow: ['started_at', 'state', 'days_unproven', 'changed'],
  });
}

customElements.define('console-sync-history', SyncHistory);
export type { SyncHistory };
