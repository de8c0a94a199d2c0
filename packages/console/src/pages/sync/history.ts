import { LitElement, html, nothing } from 'lit';
import type { FundingSync } from '@financing-checkout/contract';
import { formats, texts } from '../../locale/locale.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { PagedList } from '../../parts/pages.ts';
import { errorView } from '../../parts/states.ts';
import type { Column } from '../../parts/table.ts';
import '../../parts/table.ts';

interface Syncs {
  syncs: FundingSync[];
  next?: string;
}

/** The syncs, newest first, a page at a time. */
class SyncHistory extends LitElement {
  readonly #list = new PagedList<Syncs, FundingSync>(
    this,
    '/syncs',
    (page) => page.syncs,
    'before',
  );

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override firstUpdated(): void {
    void this.reload();
  }

  /** Loads the newest syncs. */
  reload(): Promise<void> {
    return this.#list.start({});
  }

  protected override render() {
    const { sync } = texts();
    const list = this.#list;
    return html`<div class="row spread">
        <h2>${sync.history}</h2>
        ${exportLinks('syncs')}
      </div>
      ${
        list.error === undefined
          ? html`<console-table
              .label=${sync.history}
              .columns=${columns()}
              .rows=${list.rows}
              .hasMore=${list.hasMore}
              .isLoading=${list.isLoading}
              .emptyText=${sync.historyEmpty}
              @wanted=${() => void list.more()}
            ></console-table>`
          : errorView(list.error, () => void this.reload())
      }`;
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
    align: 'end' as const,
    class: name,
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
      head: sync.period,
      class: 'minor',
      cell: ({ from, to }) => `${day(from)} – ${day(to)}`,
    },
    {
      head: sync.days,
      align: 'end',
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
