import { LitElement, html, nothing } from 'lit';
import type { FundingSync } from '@financing-checkout/contract';
import { get } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { errorView, loadingView } from '../../parts/states.ts';
import type { Column } from '../../parts/table.ts';
import '../../parts/table.ts';

/** The syncs, newest first, a page at a time. */
class SyncHistory extends LitElement {
  static override properties = {
    syncs: { state: true },
    error: { state: true },
    isLoading: { state: true },
  };
  declare syncs: readonly FundingSync[] | undefined;
  declare error: unknown;
  declare isLoading: boolean;
  #next: string | undefined;

  constructor() {
    super();
    this.isLoading = false;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override firstUpdated(): void {
    void this.reload();
  }

  /** Loads the newest syncs. */
  async reload(): Promise<void> {
    await this.#load(undefined);
  }

  async #load(before: string | undefined): Promise<void> {
    if (this.isLoading) return;
    [this.isLoading, this.error] = [true, undefined];
    try {
      const page = await get<{ syncs: FundingSync[]; next?: string }>('/syncs', { before });
      this.syncs = [...(before === undefined ? [] : (this.syncs ?? [])), ...page.syncs];
      this.#next = page.next;
    } catch (error) {
      this.error = error;
      this.#next = undefined;
    }
    this.isLoading = false;
  }

  protected override render() {
    const { sync } = texts();
    const { syncs } = this;
    return html`<h2>${sync.history}</h2>
      ${this.error === undefined ? nothing : errorView(this.error, () => void this.reload())}
      ${
        syncs === undefined
          ? this.error === undefined
            ? loadingView(3)
            : nothing
          : html`<console-table
              .label=${sync.history}
              .columns=${columns()}
              .rows=${syncs}
              .hasMore=${this.#next !== undefined}
              .isLoading=${this.isLoading}
              .emptyText=${sync.historyEmpty}
              @wanted=${() => void this.#load(this.#next)}
            ></console-table>`
      }`;
  }
}

const variants = {
  ...{ complete: 'success', partial: 'warning', failed: 'danger', running: 'neutral' },
} as const;

function columns(): Column<FundingSync>[] {
  const { sync, words, common } = texts();
  const { day, moment, number } = formats();
  const figure = (
    head: string,
    value: (run: FundingSync) => number,
    name = 'minor',
  ): Column<FundingSync> => ({
    ...{ head, align: 'end' as const, class: name },
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
