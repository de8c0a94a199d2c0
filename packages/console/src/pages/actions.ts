import { html } from 'lit';
import type { Action } from '@financing-checkout/contract';
import { formats, texts } from '../locale/locale.ts';
import { exportLinks } from '../parts/export-links.ts';
import { PagedList } from '../parts/list.ts';
import { Page } from '../parts/page.ts';
import type { Column } from '../parts/table.ts';
import { badgeView } from '../parts/views.ts';
import './cases/verification.ts';

/** Badge variant by outcome. Any outcome not listed here is a refusal. */
const variants: Partial<Record<string, 'success' | 'neutral' | 'warning'>> = {
  done: 'success',
  accepted: 'success',
  started: 'neutral',
  recorded: 'neutral',
  unknown: 'warning',
};

/** The audit trail of user actions, and the verification of all audit trails. */
class ActionsPage extends Page {
  override readonly heading = texts().shell.actions;
  readonly #list = new PagedList<Action>(this, '/actions', 'actions');

  protected override firstUpdated(): void {
    void this.#list.start();
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
      ${this.#list.view({
        label: this.heading,
        columns: columns(),
        empty: `${actions.empty}. ${actions.emptyHint}`,
        class: 'actions-table',
      })}`;
  }
}

function columns(): Column<Action>[] {
  const { actions } = texts().cases;
  return [
    { head: '#', class: 'end minor', cell: ({ seq }) => formats().number(seq) },
    { head: actions.at, cell: ({ at }) => formats().moment(at) },
    { head: actions.actor, cell: ({ actor }) => html`<strong>${actor}</strong>` },
    { head: actions.kind, cell: ({ kind }) => actions.kinds[kind] },
    { head: actions.subject, cell: ({ subject }) => html`<span class="id">${subject}</span>` },
    { head: actions.outcome, cell: ({ outcome }) => outcomeView(outcome) },
    {
      head: actions.detail,
      class: 'minor detail',
      cell: ({ detail }) =>
        html`<span class="quiet" title=${detailText(detail)}>${detailText(detail)}</span>`,
    },
  ];
}

/** Shows the outcome of an action: its label, or else the recorded state or code. */
function outcomeView(outcome: string | undefined) {
  const { pending, outcomes } = texts().cases.actions;
  if (outcome === undefined) return html`<span class="quiet">${pending}</span>`;
  const words: Readonly<Record<string, string>> = outcomes;
  return badgeView(variants[outcome] ?? 'danger', words[outcome] ?? outcome);
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
