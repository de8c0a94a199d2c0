import { html, nothing, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { VirtualizerController } from '@tanstack/lit-virtual';
import { texts } from '../locale/locale.ts';
import { elementWith, optional } from './element.ts';
import { emptyView } from './states.ts';

/** How a list is sorted by a column. */
export interface ColumnSort {
  order: 'ascending' | 'descending' | 'none';
  /** Sorts the list by this column, or reverses the direction if it is already sorted by it. */
  change: () => void;
}

/** A column of a table. */
export interface Column<Row> {
  head: unknown;
  /** The heading as text, for a row shown as a block. By default, `head` if it is text. */
  label?: string;
  /** Makes the heading a button that sorts the list. */
  sort?: ColumnSort;
  cell: (row: Row) => unknown;
  /** Footer cell, such as a sum, which may include rows that are not loaded. */
  foot?: unknown;
  /** Classes of all cells: `end` right-aligns amounts and counts; narrow screens hide `minor`. */
  class?: string;
  /** Returns additional classes for one cell. */
  tone?: (row: Row) => string;
  /** Whether the cell is the row header. */
  isName?: boolean;
}

interface Shown<Row> {
  /** Name of the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Classes of the table. */
  class?: string;
  rowClass?: (row: Row) => string;
  /** Class of the scrolling area: `scroll` has a maximum height. */
  area?: 'scroll' | 'scroll-x';
}

/**
 * Shows each row as a block while a table's columns do not fit side by side, so that amounts can be
 * read without scrolling.
 */
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const area = target.parentElement;
    if (area === null) continue;
    if (!(target instanceof HTMLTableElement)) stack(area);
    // Changing an observed element's size immediately would be an error.
    else if (overflows(area)) requestAnimationFrame(() => stack(area));
  }
});

const overflows = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth;

function stack(area: Element): void {
  area.classList.remove('stacked');
  area.classList.toggle('stacked', overflows(area));
}

/**
 * Returns a callback that measures an area on each rendering before it is painted, when its width
 * changes, and when its table becomes wider. A ruler's height is always 0.
 */
const observe = () => (table: Element | undefined) => {
  // Found through the table, because a ruler is not beside it yet when its own callback runs.
  for (const element of [table?.previousElementSibling, table]) {
    if (!element) continue;
    sizes.unobserve(element);
    sizes.observe(element);
  }
};

/**
 * Shows a table without virtualization: all rows are in the DOM. In an area without a maximum
 * height, rows become blocks while the columns do not fit.
 */
export function tableView<Row>(shown: Shown<Row>): TemplateResult {
  const { label, columns, rows, class: name = '', rowClass, area = 'scroll-x' } = shown;
  return html`<div class=${area} tabindex="0" role="region" aria-label=${label}>
    ${area === 'scroll-x' ? html`<div></div>` : nothing}
    <table class=${name} ${area === 'scroll-x' ? ref(observe()) : nothing}>
      ${headView(label, columns)}
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr class=${rowClass?.(row) ?? nothing}>
              ${cellsOf(columns, row)}
            </tr>`,
        )}
      </tbody>
      ${footView(columns)}
    </table>
  </div>`;
}

function headView<Row>(label: string, columns: readonly Column<Row>[]) {
  return html`<caption class="sr">
      ${label}
    </caption>
    <thead>
      <tr aria-rowindex="1">
        ${columns.map(
          ({ head, class: name, sort }) =>
            html`<th scope="col" class=${name ?? ''} aria-sort=${sort?.order ?? nothing}>
              ${sort === undefined ? head : sortButton(head, sort)}
            </th>`,
        )}
      </tr>
    </thead>`;
}

function sortButton(head: unknown, { change }: ColumnSort) {
  return html`<button type="button" class="sort" @click=${change}>${head}</button>`;
}

function cellsOf<Row>(columns: readonly Column<Row>[], row: Row) {
  return columns.map(({ head, label = head, cell, class: name = '', tone, isName }) => {
    const classes = `${name} ${tone?.(row) ?? ''}`.trim();
    const textHead = typeof label === 'string' ? label : nothing;
    return isName
      ? html`<th scope="row" class=${classes}>${cell(row)}</th>`
      : html`<td class=${classes} data-head=${textHead}>${cell(row)}</td>`;
  });
}

/** Shows the footer row. Its header is in the first column. */
function footView<Row>(columns: readonly Column<Row>[]) {
  if (columns.every(({ foot }) => foot === undefined)) return nothing;
  return html`<tfoot>
    <tr>
      ${columns.map(({ foot, class: name }, index) =>
        index === 0
          ? html`<th scope="row">${texts().common.sum}</th>`
          : html`<td class=${name ?? ''}>${foot ?? nothing}</td>`,
      )}
    </tr>
  </tfoot>`;
}

const ROW_PX = 44;

/**
 * A virtualized table of any length: only the visible rows are in the DOM. Fires `wanted` to
 * request the next page when its end comes into view while `hasMore` is set.
 */
export class ConsoleTable<Row> extends elementWith({
  columns: [] as readonly Column<never>[],
  rows: [] as readonly unknown[],
  /** Name of the table for screen readers. */
  label: '',
  hasMore: false,
  isLoading: false,
  /** Total number of rows, if known. */
  total: optional<number>(),
  /** Shown instead of the table if there are no rows. */
  empty: optional<unknown>(),
}) {
  declare columns: readonly Column<Row>[];
  declare rows: readonly Row[];
  readonly #virtual = new VirtualizerController<HTMLElement, HTMLElement>(this, {
    count: 0,
    getScrollElement: () => this.querySelector<HTMLElement>('.scroll'),
    estimateSize: () => ROW_PX,
    overscan: 12,
  });

  /** Whether all loaded rows are in the DOM, for printing. */
  #isPrinting = false;

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('beforeprint', this.#beforePrint);
    addEventListener('afterprint', this.#afterPrint);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('beforeprint', this.#beforePrint);
    removeEventListener('afterprint', this.#afterPrint);
  }

  readonly #beforePrint = () => this.#setPrinting(true);
  readonly #afterPrint = () => this.#setPrinting(false);

  /** Renders immediately, because the browser prints when the event ends. */
  #setPrinting(isPrinting: boolean): void {
    this.#isPrinting = isPrinting;
    this.requestUpdate();
    this.performUpdate();
  }

  protected override willUpdate(): void {
    const virtual = this.#virtual.getVirtualizer();
    virtual.setOptions({ ...virtual.options, count: this.rows.length });
  }

  protected override updated(): void {
    const last = this.#virtual.getVirtualizer().getVirtualItems().at(-1);
    const isNearEnd = (last?.index ?? 0) >= this.rows.length - 20;
    if (isNearEnd && this.hasMore && !this.isLoading && this.rows.length > 0) {
      this.dispatchEvent(new CustomEvent('wanted'));
    }
  }

  /** Scrolls a row into view, so that it is in the DOM. */
  reveal(index: number): void {
    this.#virtual.getVirtualizer().scrollToIndex(index, { align: 'auto' });
    this.requestUpdate();
  }

  protected override render() {
    const { common } = texts();
    const { columns, rows, label, hasMore, isLoading } = this;
    if (rows.length === 0 && !isLoading) return this.empty ?? emptyView(common.empty);
    const virtual = this.#virtual.getVirtualizer();
    const { length } = rows;
    const items = this.#isPrinting
      ? rows.map((_, index) => ({ index, start: 0, end: 0 }))
      : virtual.getVirtualItems();
    const missing = this.total === undefined ? undefined : this.total - length;
    const gap = (height: number) =>
      height <= 0
        ? nothing
        : html`<tr aria-hidden="true" class="gap">
            <td colspan=${columns.length} ${ref(heightOf(height))}></td>
          </tr>`;
    const count =
      hasMore && this.total !== undefined
        ? common.rowsOf(rows.length, this.total)
        : `${common.rows(rows.length)}${hasMore ? ' +' : ''}`;
    return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>
        <table aria-rowcount=${hasMore ? -1 : rows.length + 1}>
          ${headView(label, columns)}
          <tbody>
            ${gap(items[0]?.start ?? 0)}
            ${items.map(({ index }) =>
              rows.slice(index, index + 1).map(
                (row) =>
                  html`<tr aria-rowindex=${index + 2}>
                    ${cellsOf(columns, row)}
                  </tr>`,
              ),
            )}
            ${this.#isPrinting ? nothing : gap(virtual.getTotalSize() - (items.at(-1)?.end ?? 0))}
          </tbody>
          ${footView(columns)}
        </table>
      </div>
      ${hasMore ? html`<p class="paper-only">${common.notPrinted(length, missing)}</p>` : nothing}
      <p class="quiet count" role="status">${isLoading ? common.loading : count}</p>`;
  }
}

/** Sets a height by script, because the page's CSP forbids style attributes. */
const heightOf = (height: number) => (element: Element | undefined) => {
  if (element instanceof HTMLElement) element.style.height = `${height}px`;
};

customElements.define('console-table', ConsoleTable);
