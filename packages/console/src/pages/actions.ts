import { html } from 'lit';
import type { Action } from '@financing-checkout/contract';
import { formats, texts } from '../locale/locale.ts';
import { exportLinks } from '../parts/export-links.ts';
import { Page } from '../parts/page.ts';
import { PagedList } from '../parts/pages.ts';
import { emptyView, errorView, loadingView } from '../parts/states.ts';
import '../parts/table.ts';
import type { Column } from '../parts/table.ts';
import './cases/verification.ts';

interface Answer {
  actions: Action[];
  next?: string;
}

/** Every other outcome is a refusal. */
const variants: Readonly<Record<string, string>> = {
  done: 'success',
  accepted: 'success',
  started: 'neutral',
  recorded: 'neutral',
  unknown: 'warning',
};

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
        <div class="row spread">
          <h1>${this.heading}</h1>
          ${exportLinks('actions')}
        </div>
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
    { head: actions.kind, cell: ({ kind }) => actions.kinds[kind] },
    { head: actions.subject, cell: ({ subject }) => html`<span class="id">${subject}</span>` },
    {
      head: actions.outcome,
      cell: ({ outcome }) => outcomeView(outcome),
    },
    {
      head: actions.detail,
      class: 'minor detail',
      cell: ({ detail }) =>
        html`<span class="quiet" title=${detailText(detail)}>${detailText(detail)}</span>`,
    },
  ];
}

/** Shows how an action ended: by its word, else by the state or the code as it was recorded. */
function outcomeView(outcome: string | undefined) {
  const { actions } = texts().cases;
  if (outcome === undefined) return html`<span class="quiet">${actions.pending}</span>`;
  const words: Readonly<Record<string, string>> = actions.outcomes;
  const variant = variants[outcome] ?? 'danger';
  return html`<wa-badge variant=${variant} appearance="filled"
    >${words[outcome] ?? outcome}</wa-badge
  >`;
}

/** Returns the details as text: "Amount: $5.00, Operation: opr_1". */
function detailText({ amount, currency, ...others }: Action['detail']): string {
  const words: Readonly<Record<string, string>> = texts().cases.actions.fields;
  const money =
    typeof amount === 'number' && typeof currency === 'string'
      ? { money: formats().amount(amount, currency) }
      : { amount, currency };
  return Object.entries({ ...money, ...others })
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${words[name] ?? name}: ${String(value)}`)
    .join(', ');
}

customElements.define('console-actions', ActionsPage);
