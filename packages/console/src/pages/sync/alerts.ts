import { LitElement, html, nothing } from 'lit';
import { post } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { paths } from '../../parts/navigation.ts';
import { PagedList } from '../../parts/pages.ts';
import { errorView } from '../../parts/states.ts';
import type { Column } from '../../parts/table.ts';
import '../../parts/table.ts';

type AlertState = 'waiting' | 'delivered' | 'dead';
/** A message to finance about a case, or about the trail. */
interface Alert {
  id: string;
  caseId?: string;
  state: AlertState;
  tries: number;
  reason?: string;
  createdAt: string;
}

interface Alerts {
  deliveries: Alert[];
  next?: string;
}

const states: readonly (AlertState | '')[] = ['', 'waiting', 'delivered', 'dead'];

/** The messages to finance, which can be sent again. */
class AlertList extends LitElement {
  static override properties = {
    mayResend: { type: Boolean },
    state: { state: true },
    error: { state: true },
    said: { state: true },
  };
  declare mayResend: boolean;
  declare state: AlertState | '';
  /** Why a message could not be sent again. */
  declare error: unknown;
  /** Result of the last action. */
  declare said: string | undefined;
  readonly #list = new PagedList<Alerts, Alert>(this, '/alerts', (page) => page.deliveries);

  constructor() {
    super();
    this.mayResend = false;
    this.state = '';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override firstUpdated(): void {
    void this.#load();
  }

  #load(): Promise<void> {
    return this.#list.start({ state: this.state });
  }

  #retry(): void {
    this.error = undefined;
    void this.#load();
  }

  async #resend({ id }: Alert): Promise<void> {
    if (this.#list.isLoading) return;
    [this.said, this.error] = [undefined, undefined];
    try {
      await post(`/alerts/${encodeURIComponent(id)}/replay`, {});
      this.said = texts().sync.resent;
    } catch (error) {
      this.error = error;
      return;
    }
    await this.#load();
  }

  #columns(): Column<Alert>[] {
    const { sync, common } = texts();
    const variants = { waiting: 'neutral', delivered: 'success', dead: 'danger' } as const;
    return [
      { head: common.date, cell: ({ createdAt }) => formats().moment(createdAt) },
      {
        head: sync.caseOf,
        cell: ({ caseId }) =>
          caseId === undefined
            ? texts().cases.actions.title
            : html`<a class="id" href=${paths.case(caseId)}>${caseId}</a>`,
      },
      {
        head: common.state,
        cell: ({ state }) =>
          html`<wa-badge variant=${variants[state]} appearance="filled"
            >${sync.alertStates[state]}</wa-badge
          >`,
      },
      {
        head: sync.tries,
        align: 'end',
        class: 'minor',
        cell: ({ tries }) => formats().number(tries),
      },
      { head: common.reason, class: 'minor', cell: ({ reason }) => reason ?? '' },
      ...(this.mayResend
        ? [
            {
              head: sync.resend,
              align: 'end' as const,
              cell: (alert: Alert) =>
                html`<button
                  class="plain"
                  aria-label=${sync.resendOf(alert.id)}
                  @click=${() => void this.#resend(alert)}
                >
                  <wa-icon name="send"></wa-icon><span class="wide-only">${sync.resend}</span>
                </button>`,
            },
          ]
        : []),
    ];
  }

  #filter(state: AlertState | ''): void {
    this.state = state;
    void this.#load();
  }

  protected override render() {
    const { sync, common } = texts();
    const list = this.#list;
    const error = this.error ?? list.error;
    return html`<div class="row spread">
        <h2>${sync.alerts}</h2>
        <div class="row">
          ${exportLinks('alerts', { state: this.state })}
          <label class="inline">
            <span>${common.state}</span>
            <select
              @change=${(event: Event) =>
                this.#filter((event.currentTarget as HTMLSelectElement).value as AlertState | '')}
            >
              ${states.map(
                (one) =>
                  html`<option value=${one} .selected=${one === this.state}>
                    ${one === '' ? sync.alertAll : sync.alertStates[one]}
                  </option>`,
              )}
            </select>
          </label>
        </div>
      </div>
      <p class="quiet">${sync.alertsHelp}</p>
      <p role="status" class="good">${this.said ?? nothing}</p>
      ${error === undefined ? nothing : errorView(error, () => this.#retry())}
      <console-table
        .label=${sync.alerts}
        .columns=${this.#columns()}
        .rows=${list.rows}
        .hasMore=${list.hasMore}
        .isLoading=${list.isLoading}
        .emptyText=${sync.alertsEmpty}
        @wanted=${() => void list.more()}
      ></console-table>`;
  }
}

customElements.define('console-alerts', AlertList);
