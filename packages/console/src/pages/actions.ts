import { html, nothing } from 'lit';
import { formats, texts } from '../locale/locale.ts';
import { Page } from '../parts/page.ts';
import { PagedList } from '../parts/pages.ts';
import { emptyView, errorView, loadingView } from '../parts/states.ts';
import '../parts/table.ts';
import type { Column } from '../parts/table.ts';
import './cases/verification.ts';

/** An action of a person that is no work on a case. */
interface Action {
  seq: number;
  at: string;
  actor: string;
  kind: string;
  subject: string;
  detail: unknown;
  outcome?: unknown;
}
interface Answer {
  actions: Action[];
  next?: string;
}

/** The trail of what people have done, and the verification of all trails. */
class ActionsPage extends Page {
  override readonly heading = texts().cases.actions.title;
  readonly #list = new PagedList<Answer, Action>(this, '/actions', ({ actions }) => actions);

  protected override firstUpdated(): void {
    void this.#list.start({});
  }

  protected override render() {
    const { actions } = texts().cases;
    return html`<div class="page-head">
        <h1>${this.heading}</h1>
        <p class="quiet">${actions.intro}</p>
      </div>
      <trail-verification></trail-verification>
      ${this.#listView()}`;
  }

  #listView() {
    const { actions } = texts().cases;
    const { rows, first, error, hasMore, isLoading } = this.#list;
    if (error !== undefined) return errorView(error, () => void this.#list.start({}));
    if (first === undefined) return loadingView(6);
    if (rows.length === 0) return emptyView(actions.empty, actions.emptyHint, 'history');
    return html`<console-table
      class="actions-table"
      label=${actions.title}
      .columns=${columns()}
      .rows=${rows}
      .hasMore=${hasMore}
      .isLoading=${isLoading}
      @wanted=${() => void this.#list.more()}
    ></console-table>`;
  }
}

function columns(): Column<Action>[] {
  const { actions } = texts().cases;
  return [
    { head: '#', align: 'end', class: 'minor', cell: ({ seq }) => formats().number(seq) },
    { head: actions.at, cell: ({ at }) => formats().moment(at) },
    { head: actions.actor, cell: ({ actor }) => html`<strong>${actor}</strong>` },
    { head: actions.kind, cell: ({ kind }) => kindText(kind) },
    { head: actions.subject, cell: ({ subject }) => html`<span class="id">${subject}</span>` },
    {
      head: actions.outcome,
      cell: ({ outcome }) =>
        outcome === undefined
          ? html`<span class="quiet">${actions.pending}</span>`
          : plainOf(outcome),
    },
    {
      head: actions.detail,
      class: 'minor wide',
      cell: ({ detail }) => html`<span class="quiet">${plainOf(detail) || nothing}</span>`,
    },
  ];
}

function kindText(kind: string): string {
  const words: Readonly<Record<string, string>> = texts().cases.actions.kinds;
  return words[kind] ?? kind;
}

/** Returns values of JSON as text: "amount: 500, currency: EUR". */
function plainOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value as string | number | boolean);
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${typeof one === 'object' ? JSON.stringify(one) : String(one)}`)
    .join(', ');
}

customElements.define('console-actions', ActionsPage);
