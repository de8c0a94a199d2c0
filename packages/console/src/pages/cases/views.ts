import { html, nothing } from 'lit';
import type { CaseCounts, CaseSummary } from '@financing-checkout/contract/reconciliation';
import { addressOf, get } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { Loader } from '../../parts/loader.ts';
import { clearFilters, filters, paths } from '../../parts/navigation.ts';
import { amountView } from '../../parts/values.ts';
import { plainButton } from '../../parts/views.ts';
import { filterOf, isFiltered } from './filters.ts';

/** Age in days from which an open case appears in the view of old cases. */
const OLD_DAYS = '7';

interface Counts {
  /** Number of cases by view. */
  views: ReadonlyMap<string, number>;
  /** The cases that match the filters in the URL. */
  matching: CaseSummary;
}

/**
 * The queue's views as links, each with its number of cases, and the number and money of the cases
 * that match the filters. Fires `counted` with the summary of the latter.
 */
class CasesViews extends elementWith({
  /** Name of the signed-in user. */
  person: '',
  search: '',
  /** Changes whenever cases were changed. */
  revision: 0,
  matching: optional<CaseSummary>(),
}) {
  readonly #task = new Loader(this, {
    args: () => [this.person, this.search, this.revision] as const,
    task: async ([person], { signal }): Promise<Counts> => {
      const views = Object.entries(viewsOf(person));
      const filter = views.map(([, view]) => addressOf('', filterOf(view)).slice(1));
      const [matching, { counts }] = await Promise.all([
        get<CaseSummary>('/cases/summary', filterOf(filters()), signal),
        get<CaseCounts>('/cases/counts', { filter }, signal),
      ]);
      this.dispatchEvent(new CustomEvent('counted', { detail: matching }));
      const ofView = views.map(([name], index) => [name, counts[index] ?? 0] as const);
      return { matching, views: new Map(ofView) };
    },
  });

  protected override render() {
    const { cases } = texts();
    const counts = this.#task.kept;
    const views = viewsOf(this.person);
    const link = (name: keyof typeof views) =>
      html`<a
        class="pill"
        href=${addressOf(paths.cases, views[name])}
        aria-current=${isShown(views[name]) ? 'page' : nothing}
        >${cases.views[name]}
        ${counts === undefined ? nothing : html`<span>${formats().number(counts.views.get(name) ?? 0)}</span>`}</a
      >`;
    return html`<nav class="pills" aria-label=${cases.views.label}>
        ${link('all')} ${link('mine')} ${link('mentions')} ${link('unassigned')} ${link('overdue')}
        ${link('old')} ${link('snoozed')} ${link('merged')}
      </nav>
      <div class="row">
        ${counts === undefined ? nothing : summaryView(counts.matching)}
        ${isFiltered() ? plainButton(texts().common.clear, clearFilters, { icon: 'x' }) : nothing}
      </div>`;
  }
}

/** Shows a number of cases and their money. */
export function summaryView({ amounts, assumedCurrency, count, countedWithOthers }: CaseSummary) {
  const { cases } = texts();
  return html`<p class="matching">
    <strong>${cases.matching(count)}</strong>
    ${amounts.map(({ amount, currency }) =>
      currency === '' ? nothing : html`<span>${amountView(amount, currency)}</span> `,
    )}
    ${assumedCurrency === 0 ? nothing : html`<span class="quiet">${cases.aging.assumed(assumedCurrency)}</span>`}
    ${countedWithOthers === 0 ? nothing : html`<span class="quiet">${cases.countedWithOthers(countedWithOthers)}</span>`}
  </p>`;
}

const viewsOf = (person: string) => ({
  all: {},
  mine: { assignee: person },
  mentions: { mentioned: person },
  unassigned: { unassigned: 'true' },
  overdue: { overdue: 'true', sort: 'due' },
  old: { days: OLD_DAYS },
  snoozed: { snoozed: 'true' },
  merged: { merged: 'true' },
});

function isShown(view: Readonly<Record<string, string>>): boolean {
  const same = (one: Readonly<Record<string, string>>) => JSON.stringify(filterOf(one));
  return same(view) === same(filters());
}

customElements.define('cases-views', CasesViews);
