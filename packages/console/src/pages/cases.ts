import { html, nothing, type PropertyValues } from 'lit';
import type { CaseRecord, CaseSummary } from '@financing-checkout/contract/reconciliation';
import { language, texts } from '../locale/locale.ts';
import { Action } from '../parts/action.ts';
import { elementWith, oneOf, optional } from '../parts/element.ts';
import { allFormats, exportLinks } from '../parts/export-links.ts';
import { lendersTask } from '../parts/lender-field.ts';
import { filters, paths } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import { PagedList } from '../parts/list.ts';
import type { Column, ConsoleTable } from '../parts/table.ts';
import { amountView, headlineText, orderLink } from '../parts/values.ts';
import { type Shortcut, Shortcuts } from '../parts/shortcuts.ts';
import { Loader } from '../parts/loader.ts';
import { maybe, plainButton, quiet } from '../parts/views.ts';
import './cases/aging.ts';
import './cases/bulk-bar.ts';
import {
  casesFilters,
  caseStateView,
  dueView,
  isFiltered,
  queryOf,
  sortOf,
} from './cases/filters.ts';
import { stakeView, totalView } from './cases/merge.ts';
import { readPeople } from './cases/people.ts';
import './cases/message.ts';
import './cases/views.ts';
import { casesToReturnTo, keepQueue, readCases } from './cases/queue.ts';
import './cases/sheet.ts';

/** Maximum number of cases in a bulk action, which the tab stores until it is done. */
const MOST_SELECTED = 2_000;

/** The case queue, with filters in the URL, aging, and bulk actions. */
class CasesPage extends elementWith(
  {
    selection: oneOf<ReadonlySet<string>>(new Set()),
    revision: 0,
    matching: optional<CaseSummary>(),
    /** All matching cases, including those not loaded, if they were selected. */
    everything: optional<readonly CaseRecord[]>(),
  },
  Page,
) {
  override readonly heading = texts().shell.cases;
  readonly #selecting = new Action(this, () => readCases(queryOf(filters()), MOST_SELECTED));
  readonly #list = new PagedList<CaseRecord>(this, '/cases', 'cases');
  readonly #people = new Loader(this, {
    args: () => [] as const,
    task: (_args, { signal }) => readPeople(signal),
  });
  readonly #lenders = lendersTask(this);
  /** The first of these cases that is in the list gets the focus once the rows are loaded. */
  #returning = casesToReturnTo();
  readonly #shortcuts = new Shortcuts(this, () => this.#keys());

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('search')) {
      this.#clearSelection();
      this.#load();
    }
  }

  protected override updated(): void {
    const { next, rows } = this.#list;
    if (rows.length === 0 || !this.isConnected) return;
    keepQueue({ search: this.search, ids: rows.map(({ id }) => id), next });
    if (this.#returning.length > 0) void this.#return();
  }

  /** Moves the focus to the row of the case that the person came from. */
  async #return(): Promise<void> {
    const places = new Map(this.#list.rows.map(({ id }, index) => [id, index]));
    const id = this.#returning.find((one) => places.has(one));
    this.#returning = [];
    const table = this.querySelector<ConsoleTable<CaseRecord>>('console-table');
    if (id === undefined || table === null) return;
    await table.updateComplete;
    // First, the console moves the focus to a new page, and a list restores its scroll position.
    requestAnimationFrame(() => {
      if (this.contains(document.activeElement)) return;
      table.reveal(places.get(id) ?? 0);
      void table.updateComplete.then(() =>
        this.querySelector<HTMLElement>(`a.name[href="${paths.case(id)}"]`)?.focus(),
      );
    });
  }

  #keys(): Shortcut[] {
    const { keys } = texts().cases;
    const { activeElement } = document;
    // When the table itself has the focus, arrow keys scroll it.
    const isInRow = this.#focusedRow(activeElement) !== undefined;
    const step = (by: number) => () => this.#move(by);
    return [
      { keys: ['j'], text: keys.nextRow, run: step(1) },
      { keys: ['k'], text: keys.previousRow, run: step(-1) },
      { keys: ['arrowdown'], text: keys.nextRow, run: isInRow ? step(1) : undefined },
      { keys: ['arrowup'], text: keys.previousRow, run: isInRow ? step(-1) : undefined },
      { keys: ['enter'], text: keys.open },
      ...(this.may('cases')
        ? [
            { keys: ['x'], text: keys.select, run: () => this.#toggleFocused() },
            { keys: ['u'], text: keys.undoBulk, run: () => this.#bulk()?.undo() },
            { keys: ['escape'], text: keys.stopBulk, run: () => this.#bulk()?.stop() },
          ]
        : []),
    ];
  }

  #rows(): HTMLTableRowElement[] {
    return Array.from(
      this.querySelectorAll<HTMLTableRowElement>('.cases-table tbody tr:not(.gap)'),
    );
  }

  #focusedRow(focused = document.activeElement): HTMLTableRowElement | undefined {
    return this.#rows().find((row) => row.contains(focused));
  }

  /** Moves the focus to another row's link, so that a screen reader reads the row. */
  #move(by: number): void {
    const rows = this.#rows();
    const current = this.#focusedRow();
    const row = current === undefined ? rows[0] : rows[rows.indexOf(current) + by];
    row?.querySelector<HTMLElement>('a.name')?.focus();
  }

  #bulk(): HTMLElementTagNameMap['cases-bulk'] | null {
    return this.querySelector('cases-bulk');
  }

  #toggleFocused(): void {
    this.#focusedRow()?.querySelector<HTMLElement>('.tick input')?.click();
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

  #clearSelection(): void {
    this.selection = new Set();
    this.everything = undefined;
  }

  /** Selects all cases that match the filters, loaded or not, up to {@link MOST_SELECTED}. */
  async #selectMatching(): Promise<void> {
    const { search } = this;
    const isRead = await this.#selecting.run();
    const found = this.#selecting.answer;
    // The user may have changed the filters in the meantime.
    if (!isRead || found === undefined || this.search !== search) return;
    this.everything = found;
    this.selection = new Set(found.map(({ id }) => id));
  }

  #changed(): void {
    this.revision += 1;
    this.#load();
  }

  /** Shows a checkbox that selects one case or all loaded cases. */
  #tick(label: string, count: number, all: number, select: (isSelected: boolean) => void) {
    return html`<label class="tick"
      ><input
        type="checkbox"
        aria-label=${label}
        title=${label}
        .checked=${count > 0 && count === all}
        .indeterminate=${count > 0 && count < all}
        @change=${({ currentTarget }: Event) =>
          select((currentTarget as HTMLInputElement).checked)}
    /></label>`;
  }

  /** Offers to select the matching cases that are not loaded. */
  #matchingView(selected: number) {
    const { cases } = texts();
    const all = Math.min(this.matching?.count ?? 0, MOST_SELECTED);
    const isOffered = selected >= this.#list.rows.length && selected < all;
    if (selected === 0 || !isOffered) return nothing;
    return plainButton(cases.selectMatching(all), () => this.#selectMatching(), {
      disabled: this.#selecting.isRunning,
    });
  }

  #columns(): Column<CaseRecord>[] {
    const { cases, common } = texts();
    const { rows } = this.#list;
    const { merged, mergedInto, snoozed, state } = filters();
    const isSnoozed = snoozed === 'true';
    const isMerged = merged === 'true' || mergedInto !== undefined;
    const count = rows.filter(({ id }) => this.selection.has(id)).length;
    const check: Column<CaseRecord> = {
      head: this.#tick(cases.selectAll(rows.length), count, rows.length, (isSelected) => {
        this.selection = new Set(isSelected ? rows.map(({ id }) => id) : []);
      }),
      class: 'picks',
      cell: ({ id, code, merchantOrderId, orderKey }) => {
        const label = cases.select(`${headlineText(code)}, ${merchantOrderId ?? orderKey}`);
        return this.#tick(label, this.selection.has(id) ? 1 : 0, 1, (isSelected) =>
          this.#select(id, isSelected),
        );
      },
    };
    const due: Column<CaseRecord> = {
      head: cases.due,
      sort: sortOf('due'),
      class: 'end minor',
      cell: dueView,
    };
    const handled: Column<CaseRecord> = {
      head: common.state,
      sort: sortOf('state'),
      class: 'minor',
      cell: caseStateView,
    };
    return [
      ...(this.may('cases') ? [check] : []),
      {
        head: common.code,
        sort: sortOf('code'),
        isName: true,
        cell: ({ id, code }) =>
          html`<a class="name" href=${paths.case(id)}>${headlineText(code)}</a>`,
      },
      {
        head: common.order,
        sort: sortOf('order'),
        class: 'minor',
        cell: ({ orderKey, merchantOrderId }) => orderLink(orderKey, merchantOrderId),
      },
      {
        head: common.amount,
        sort: sortOf('money'),
        class: 'end',
        cell: (one) =>
          html`${amountView(one.amount, one.currency, one.currencyAssumed)}
          ${one.atStake === undefined ? nothing : html`<div class="total">${stakeView(one, true)}</div>`}
          ${maybe(one.together, () => html`<div class="total">${totalView(one, true)}</div>`)}`,
      },
      {
        head: cases.age,
        sort: sortOf('age'),
        class: 'end',
        cell: ({ ageDays }) => common.days(ageDays),
      },
      ...(isSnoozed ? [] : [due]),
      {
        head: cases.assignee,
        sort: sortOf('assignee'),
        class: 'minor',
        cell: ({ assignee }) => assignee ?? html`<span class="quiet">${cases.unassigned}</span>`,
      },
      // In other lists, all rows have the same state.
      ...(isSnoozed || isMerged || state === 'all' ? [handled] : []),
    ];
  }

  protected override render() {
    const { cases } = texts();
    const { rows } = this.#list;
    const selected = (this.everything ?? rows).filter(({ id }) => this.selection.has(id));
    return html`<div class="page-head">
        <div class="row spread">
          <h1>${this.heading}</h1>
          <div class="row">
            ${this.#shortcuts.button()}
            ${exportLinks('cases', { ...queryOf(filters()), language: language() }, { formats: allFormats })}
            ${
              this.may('cases')
                ? html`<cases-sheet @changed=${() => this.#changed()}></cases-sheet>`
                : nothing
            }
          </div>
        </div>
      </div>
      <cases-views
        .person=${this.session.name}
        .search=${this.search}
        .revision=${this.revision}
        @counted=${({ detail }: CustomEvent<CaseSummary>) => (this.matching = detail)}
      ></cases-views>
      ${casesFilters(this.#people.kept ?? [], this.#lenders.value ?? [])}
      ${maybe(filters().lender, (lender) => html`<cases-message .lender=${lender}></cases-message>`)}
      ${
        this.may('cases')
          ? html`<cases-bulk
                .person=${this.session.name}
                .selected=${selected}
                @cleared=${() => this.#clearSelection()}
                @changed=${() => this.#changed()}
              ></cases-bulk>
              ${this.#matchingView(selected.length)}
              ${this.#selecting.errorView(() => void this.#selectMatching())}`
          : quiet(cases.readOnly)
      }
      ${this.#list.view({
        label: this.heading,
        columns: this.#columns(),
        empty: isFiltered()
          ? `${cases.empty}. ${cases.emptyHint}`
          : `${cases.none}. ${cases.noneHint}`,
        class: 'cases-table',
      })}
      ${quiet(cases.intro, true)}
      <cases-aging .currency=${filters().currency ?? ''} .revision=${this.revision}></cases-aging>`;
  }
}

customElements.define('console-cases', CasesPage);
