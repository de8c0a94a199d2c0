import { html, nothing } from 'lit';
import { Task } from '@lit/task';
import type { TrailEntry } from '@financing-checkout/contract/reconciliation';
import { formats, texts } from '../locale/locale.ts';
import { exportLinks } from '../parts/export-links.ts';
import { dateField, inputField, selectField } from '../parts/fields.ts';
import { listOf } from '../parts/list.ts';
import { clearFilters, filters, paths, setFilters } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import type { Column } from '../parts/table.ts';
import { entryKindText, headlineText, orderLink } from '../parts/values.ts';
import { badgeView, plainButton, quiet } from '../parts/views.ts';
import { peopleList, readPeople } from './cases/people.ts';
import './cases/verification.ts';

/** Badge variant by outcome. Every outcome not listed here is a refusal. */
const variants: Partial<Record<string, 'success' | 'neutral' | 'warning'>> = {
  done: 'success',
  accepted: 'success',
  started: 'neutral',
  recorded: 'neutral',
  unknown: 'warning',
};

const names = ['actor', 'kind', 'from', 'to'] as const;

/** The audit trail of people's actions, and its verification. */
class ActionsPage extends Page {
  override readonly heading = texts().shell.actions;
  readonly #list = listOf(this, 'get /trail', 'entries');
  readonly #people = new Task(this, {
    args: () => [] as const,
    task: (_, { signal }) => readPeople(signal),
  });
  #shown: string | undefined;

  protected override willUpdate(): void {
    if (this.#shown === this.search) return;
    this.#shown = this.search;
    void this.#list.start({ ...filtersOf(), zone: formats().zone });
  }

  protected override render() {
    const { actions } = texts().cases;
    const isFiltered = names.some((name) => filters()[name] !== undefined);
    return html`<div class="page-head">
        <div class="row spread">
          <h1>${this.heading}</h1>
          ${exportLinks('trail-list', filtersOf(), { path: '/trail' })}
        </div>
        <p class="quiet">${actions.intro}</p>
      </div>
      <trail-verification></trail-verification>
      ${this.#filterView(isFiltered)}
      ${quiet(isFiltered ? actions.filteredNumbers : actions.numbersHelp, true)}
      ${this.#list.view({
        label: this.heading,
        columns: columns(),
        empty: isFiltered ? actions.noneMatch : `${actions.empty}. ${actions.emptyHint}`,
        class: 'actions-table',
      })}`;
  }

  #filterView(isFiltered: boolean) {
    const { cases, common, shell } = texts();
    const { actions } = cases;
    const { actor = '', from = '', kind = '', to = '' } = filters();
    const set = (name: string) => (value: string) => setFilters({ [name]: value });
    const people = [...(this.#people.value ?? []), PROGRAM];
    return html`<form
      class="filters"
      role="search"
      aria-label=${common.filters}
      @submit=${(event: Event) => event.preventDefault()}
    >
      ${inputField(cases.fields.assignee, actor, set('actor'), { class: 'medium', list: 'people' })}
      ${peopleList(people)}
      ${selectField(
        actions.kind,
        [
          ['', common.all],
          ...Object.entries(actions.kinds),
          ...Object.entries(actions.caseKinds),
        ] as [string, string][],
        kind,
        set('kind'),
      )}
      ${dateField(common.from, from, set('from'))} ${dateField(common.to, to, set('to'))}
      ${isFiltered ? plainButton(common.clear, clearFilters, { icon: 'x' }) : nothing}
      ${actor.toLowerCase() === PROGRAM ? quiet(shell.product) : nothing}
    </form>`;
  }
}

/** The program's name in the trail. */
const PROGRAM = 'reconciliation';

function filtersOf(): Record<string, string | undefined> {
  const all = filters();
  const by = all.actor?.toLowerCase() === PROGRAM ? undefined : 'people';
  return { ...Object.fromEntries(names.map((name) => [name, all[name]])), by };
}

function columns(): Column<TrailEntry>[] {
  const { cases } = texts();
  const { actions } = cases;
  return [
    {
      head: '#',
      class: 'end minor',
      cell: ({ numbers }) => numberText(numbers),
    },
    {
      head: actions.at,
      cell: ({ at, actor }) =>
        html`${formats().moment(at)} <strong class="narrow-only">${actor}</strong>`,
    },
    {
      head: cases.fields.assignee,
      class: 'minor',
      cell: ({ actor }) => html`<strong>${actor}</strong>`,
    },
    { head: actions.kind, cell: ({ kind }) => entryKindText(kind) },
    { head: actions.subject, class: 'wide', cell: subjectView },
    {
      head: actions.fields.outcome,
      class: 'minor',
      cell: ({ kind, outcome }) => (isOfCase(kind) ? nothing : outcomeView(outcome)),
    },
    {
      head: actions.detail,
      class: 'minor detail',
      cell: (entry) => {
        const text = detailText(entry);
        return html`<span class="quiet" title=${text}>${text}</span>`;
      },
    },
  ];
}

/** Joins numbers, with consecutive ones as a range: "17–18, 20". */
function numberText(numbers: readonly number[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}–${to}`)).join(', ');
}

const isOfCase = (kind: TrailEntry['kind']) => Object.hasOwn(texts().cases.actions.caseKinds, kind);

/** Shows the order, or else what the action changed; of a case also its exception. */
function subjectView({ code, kind, merchantOrderId, orderKey, subject }: TrailEntry) {
  const order = orderKey === undefined ? nothing : orderLink(orderKey, merchantOrderId);
  if (isOfCase(kind)) {
    return html`${order}
      <small
        ><a href=${paths.case(subject)}
          >${code === undefined ? subject : headlineText(code)}</a
        ></small
      >`;
  }
  return orderKey === undefined
    ? html`<span class="id">${subject}</span>`
    : html`${order} <small class="id quiet">${subject}</small>`;
}

/** Shows an action's outcome: its label, or else the recorded state or code. */
function outcomeView(outcome: string | undefined) {
  const { pending, outcomes } = texts().cases.actions;
  if (outcome === undefined) return html`<span class="quiet">${pending}</span>`;
  const words: Readonly<Record<string, string>> = outcomes;
  return badgeView(variants[outcome] ?? 'danger', words[outcome] ?? outcome);
}

/** Returns an action's details as text: "Amount: $5.00, Operation: opr_1". */
function detailText({ currency: ofCase, detail }: TrailEntry): string {
  const { amount, currency = ofCase, ...others } = detail;
  const words: Readonly<Record<string, string>> = texts().cases.actions.fields;
  const money =
    typeof amount === 'number' && typeof currency === 'string'
      ? { money: formats().amount(amount, currency) }
      : { amount, currency: amount === undefined ? undefined : currency };
  return Object.entries({ ...money, ...others })
    .filter(([name, value]) => name !== 'amountBefore' && value !== null && value !== undefined)
    .map(([name, value]) => `${words[name] ?? name}: ${String(value)}`)
    .join(', ');
}

customElements.define('console-actions', ActionsPage);
