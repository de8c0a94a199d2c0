import { html, nothing } from 'lit';
import type { CaseRecord, CaseSort } from '@financing-checkout/contract/reconciliation';
import { peopleList } from './people.ts';
import { caseFilters, caseSorts, exceptionCodes } from '@financing-checkout/contract/plain';
import { formats, texts } from '../../locale/locale.ts';
import { filterPill, inputField, selectField } from '../../parts/fields.ts';
import { lenderField } from '../../parts/lender-field.ts';
import { filters, setFilters } from '../../parts/navigation.ts';
import type { ColumnSort } from '../../parts/table.ts';
import { readAmount, typedText } from '../../parts/typed-amount.ts';
import { headlineText } from '../../parts/values.ts';
import { badgeView, maybe } from '../../parts/views.ts';

type Query = Record<string, string | undefined>;

/** Returns the filter of cases for the filters in the URL. The default state is open. */
export function filterOf({
  state = 'open',
  snoozed,
  merged,
  ...inAddress
}: Readonly<Record<string, string>>): Query {
  const chosen = Object.entries(inAddress).filter(([name]) => Object.hasOwn(caseFilters, name));
  const isOpen = state === 'open';
  // A close requires snoozed and merged cases decided, too.
  const isQueue = isOpen && inAddress.begunTo === undefined;
  const hidesMerged = isQueue && inAddress.mergedInto === undefined;
  return {
    state: state === 'all' ? undefined : state,
    ...Object.fromEntries(chosen),
    // A case that is decided is not snoozed, and a merged one is decided with its main case.
    snoozed: isOpen ? (snoozed ?? (isQueue ? 'false' : undefined)) : undefined,
    merged: merged ?? (hidesMerged ? 'false' : undefined),
  };
}

/** Returns the query of `GET /cases` for the filters and the order in the URL. */
export function queryOf(inAddress: Readonly<Record<string, string>>): Query {
  const { sort, direction } = inAddress;
  return { ...filterOf(inAddress), sort, direction };
}

const isSorting = (name: string) => name === 'sort' || name === 'direction';

/** Returns the number of filters in the URL. */
export const filterCount = (): number =>
  Object.keys(filters()).filter((name) => !isSorting(name)).length;

/** Whether the URL filters the queue. */
export const isFiltered = (): boolean => filterCount() > 0;

/** Returns how the queue is sorted by a column. A change is in the URL, and the default is not. */
export function sortOf(column: CaseSort): ColumnSort {
  const { sort = 'money', direction } = filters();
  if (sort !== column) {
    const change = () => setFilters({ sort: column === 'money' ? '' : column, direction: '' });
    return { order: 'none', change };
  }
  const isAscending = (direction ?? caseSorts[column]) === 'asc';
  const other = isAscending ? 'desc' : 'asc';
  return {
    order: isAscending ? 'ascending' : 'descending',
    change: () => setFilters({ direction: other === caseSorts[column] ? '' : other }),
  };
}

const variants = {
  open: 'warning',
  resolved: 'success',
  ignored: 'neutral',
  closed: 'neutral',
} as const;

/** Shows the state of a case. */
export function caseStateView({
  mergedInto,
  snoozedUntil,
  state,
}: Pick<CaseRecord, 'mergedInto' | 'snoozedUntil' | 'state'>) {
  const { cases, words } = texts();
  if (mergedInto !== undefined && state === 'open') return badgeView('neutral', cases.mergedState);
  if (snoozedUntil === undefined) return badgeView(variants[state], words.caseStates[state]);
  return badgeView('neutral', cases.snoozedUntil(formats().day(snoozedUntil)));
}

/** Shows the day on which a case is due, and whether an open case is overdue. */
export function dueView({ dueAt, state }: CaseRecord) {
  const { day, isoDay } = formats();
  const isOverdue = state === 'open' && isoDay(Date.parse(dueAt)) < isoDay(Date.now());
  return html`<span class=${isOverdue ? 'overdue' : nothing}
    >${day(dueAt)}${isOverdue ? html` <span class="sr">${texts().cases.overdue}</span>` : nothing}</span
  >`;
}

/** Decimals of the minimum amount: the currency's, or two if no currency is chosen. */
const decimalsOf = (currency: string | undefined) =>
  currency === undefined ? 2 : formats().decimals(currency);

/** A phone's width has no room for filters above the first case. */
const isWide = matchMedia('(min-width: 48rem)');

/** Shows the filters of the queue. Each change updates the URL. */
export function casesFilters(people: readonly string[], lenders: readonly string[]) {
  const { cases, common, words } = texts();
  const chosen = filters();
  const decimals = decimalsOf(chosen.currency);
  const { locale } = formats();
  const least = chosen.least === undefined ? '' : typedText(Number(chosen.least), decimals, locale);
  const set = (name: string) => (value: string) => setFilters({ [name]: value });
  const setLeast = (value: string, input: HTMLInputElement) => {
    const minor = readAmount(value, decimals, locale);
    const isWrong = minor === 'unreadable' || minor === 'too-precise';
    input.setAttribute('aria-invalid', String(isWrong));
    if (!isWrong) setFilters({ least: minor === 'missing' ? undefined : String(minor) });
  };
  // One of both would match no case.
  const setAssignee = (assignee: string) => setFilters({ assignee, unassigned: '' });
  const { open, ...otherStates } = words.caseStates;
  const states = [['', open], ...Object.entries(otherStates), ['all', common.all]] as [
    string,
    string,
  ][];
  const codes = [['', common.all], ...exceptionCodes.map((code) => [code, headlineText(code)])] as [
    string,
    string,
  ][];
  return html`<details class="folded" ?open=${isWide.matches}>
    <summary>${common.filters} ${isFiltered() ? `(${filterCount()})` : nothing}</summary>
    <form
      class="filters"
      role="search"
      aria-label=${common.filters}
      @submit=${(event: Event) => event.preventDefault()}
    >
      ${selectField(common.state, states, chosen.state ?? '', set('state'))}
      ${selectField(common.code, codes, chosen.code ?? '', set('code'))}
      ${inputField(
        common.currency,
        chosen.currency ?? '',
        (value) => setFilters({ currency: value.toUpperCase() }),
        { class: 'short', maxlength: 3, placeholder: 'EUR' },
      )}
      ${inputField(cases.assignee, chosen.assignee ?? '', setAssignee, { class: 'medium', list: 'people' })}
      ${peopleList(people)}
      ${lenderField(common.lender, chosen.lender ?? '', lenders, set('lender'))}
      ${inputField(cases.least, least, setLeast, { class: 'short', inputmode: 'decimal' })}
      ${inputField(cases.minimumAge, chosen.days ?? '', set('days'), { class: 'short', type: 'number', max: 36_500 })}
      ${maybe(chosen.under, (under) =>
        filterPill(cases.under(typedText(Number(under), decimals, locale)), { under: undefined }),
      )}
      ${maybe(chosen.daysUnder, (days) =>
        filterPill(cases.daysUnder(Number(days)), { daysUnder: undefined }),
      )}
      ${maybe(chosen.currencyAssumed, (assumed) =>
        filterPill(assumed === 'true' ? common.assumed : cases.notAssumed, {
          currencyAssumed: undefined,
        }),
      )}
      ${maybe(chosen.from, (from) =>
        filterPill(cases.openedFrom(formats().moment(from)), { from: undefined }),
      )}
      ${maybe(chosen.begunTo, (to) =>
        filterPill(cases.begunTo(formats().day(to)), { begunTo: undefined }),
      )}
      ${maybe(chosen.mergedInto, () => filterPill(cases.mergedTitle, { mergedInto: undefined }))}
    </form>
  </details>`;
}
