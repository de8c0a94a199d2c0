import { html, nothing, type PropertyValues } from 'lit';
import type { CaseRecord } from '@financing-checkout/contract';
import { texts } from '../locale/locale.ts';
import { allFormats, exportLinks } from '../parts/export-links.ts';
import { filters, paths } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import { PagedList } from '../parts/pages.ts';
import { errorView, loadingView } from '../parts/states.ts';
import '../parts/table.ts';
import type { Column } from '../parts/table.ts';
import { amountView, headlineText, orderLink } from '../parts/values.ts';
import './cases/ageing.ts';
import './cases/bulk-bar.ts';
import { casesFilters, caseStateView, queryOf } from './cases/filters.ts';
import './cases/sheet.ts';

interface Answer {
  cases: CaseRecord[];
  next?: string;
}

/** The queue of cases: filters in the address, ageing, and actions on many. */
class CasesPage extends Page {
  static override properties = {
    ...Page.properties,
    selection: { state: true },
    revision: { state: true },
  };
  override readonly heading = texts().cases.title;
  declare selection: ReadonlySet<string>;
  declare revision: number;
  readonly #list = new PagedList<Answer, CaseRecord>(this, '/cases', ({ cases }) => cases);

  constructor() {
    super();
    this.selection = new Set();
    this.revision = 0;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('search')) {
      this.selection = new Set();
      this.#load();
    }
  }

  #load(): void {
    void this.#list.start(queryOf(filters()));
  }

  #select(id: string, isSelected: boolean): void {
    const selection = new Set(this.selection);
    if (isSelected) selection.add(id);
    else selection.delete(id);
    this.selection = selection;
  }

  #changed(): void {
    this.revision += 1;
    this.#load();
  }

  #selectAllView() {
    const { rows } = this.#list;
    const count = rows.filter(({ id }) => this.selection.has(id)).length;
    return html`<label class="tick"
      ><input
        type="checkbox"
        aria-label=${texts().cases.selectAll(rows.length)}
        title=${texts().cases.selectAll(rows.length)}
        .checked=${count > 0 && count === rows.length}
        .indeterminate=${count > 0 && count < rows.length}
        @change=${({ currentTarget }: Event) =>
          (this.selection = new Set(
            (currentTarget as HTMLInputElement).checked ? rows.map(({ id }) => id) : [],
          ))}
    /></label>`;
  }

  #columns(): Column<CaseRecord>[] {
    const { cases, common } = texts();
    const check: Column<CaseRecord> = {
      head: this.#selectAllView(),
      class: 'picks',
      cell: ({ id, code, merchantOrderId, orderKey }) =>
        html`<label class="tick"
          ><input
            type="checkbox"
            aria-label=${cases.select(`${headlineText(code)}, ${merchantOrderId ?? orderKey}`)}
            .checked=${this.selection.has(id)}
            @change=${({ currentTarget }: Event) =>
              this.#select(id, (currentTarget as HTMLInputElement).checked)}
        /></label>`,
    };
    return [
      ...(this.may('cases') ? [check] : []),
      {
        head: common.code,
        cell: ({ id, code }) =>
          html`<a class="name" href=${paths.case(id)}>${headlineText(code)}</a>`,
      },
      {
        head: common.order,
        class: 'minor',
        cell: ({ orderKey, merchantOrderId }) => orderLink(orderKey, merchantOrderId),
      },
      {
        head: cases.amount,
        align: 'end',
        cell: ({ amount, currency, currencyAssumed }) =>
          amountView(amount, currency, currencyAssumed),
      },
      { head: cases.age, align: 'end', cell: ({ ageDays }) => texts().common.days(ageDays) },
      {
        head: cases.assignee,
        class: 'minor',
        cell: ({ assignee }) => assignee ?? html`<span class="quiet">${cases.unassigned}</span>`,
      },
      { head: common.state, class: 'minor', cell: ({ state }) => caseStateView(state) },
    ];
  }

  protected override render() {
    const { cases } = texts();
    const { rows } = this.#list;
    const selected = rows.filter(({ id }) => this.selection.has(id));
    return html`<div class="page-head">
        <div class="row spread">
          <h1>${this.heading}</h1>
          <div class="row">
            ${exportLinks('cases', queryOf(filters()), { formats: allFormats })}
            ${
              this.may('cases')
                ? html`<cases-sheet @changed=${() => this.#changed()}></cases-sheet>`
                : nothing
            }
          </div>
        </div>
        <p class="quiet">${cases.intro}</p>
      </div>
      <cases-ageing .currency=${filters().currency ?? ''} .revision=${this.revision}></cases-ageing>
      ${casesFilters(this.session.name)}
      ${
        this.may('cases')
          ? html`<cases-bulk
              .person=${this.session.name}
              .selected=${selected}
              @cleared=${() => (this.selection = new Set())}
              @changed=${() => this.#changed()}
            ></cases-bulk>`
          : html`<p class="quiet">${cases.readOnly}</p>`
      }
      ${this.#tableView()}`;
  }

  #tableView() {
    const { cases } = texts();
    const { rows, hasMore, isLoading, error, first } = this.#list;
    const problem = error === undefined ? nothing : errorView(error, () => this.#load());
    if (error !== undefined && rows.length === 0) return problem;
    if (first === undefined) return loadingView(8);
    const { state, ...others } = filters();
    const isUnfiltered = state === undefined && Object.keys(others).length === 0;
    return html`${problem}
      <console-table
        class="cases-table"
        label=${cases.title}
        .columns=${this.#columns()}
        .rows=${rows}
        .hasMore=${hasMore}
        .isLoading=${isLoading}
        .emptyText=${isUnfiltered ? `${cases.none}. ${cases.noneHint}` : `${cases.empty}. ${cases.emptyHint}`}
        @wanted=${() => void this.#list.more()}
      ></console-table>`;
  }
}

customElements.define('console-cases', CasesPage);
