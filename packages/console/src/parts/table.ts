import { LitElement, html, nothing, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { VirtualizerController } from '@tanstack/lit-virtual';
import { texts } from '../locale/locale.ts';
import { emptyView } from './states.ts';

/** A column of a table. */
export interface Column<Row> {
  head: string | TemplateResult;
  cell: (row: Row) => unknown;
  /** Amounts and counts are aligned right. */
  align?: 'end';
  /** Below all rows, such as their sum: also of rows that are not loaded. */
  foot?: unknown;
  /** Class of the cells, such as `wide`; `minor` cells hide on narrow pages. */
  class?: string;
}

const ROW_PX = 44;

/**
 * A table of any length: only the rows in view are in the document. Requests the next page by
 * `wanted` when its end comes into view, while `hasMore` is set.
 */
export class ConsoleTable<Row> extends LitElement {
  static override properties = {
    columns: { attribute: false },
    rows: { attribute: false },
    label: { type: String },
    hasMore: { type: Boolean },
    isLoading: { type: Boolean },
    emptyText: { type: String },
  };
  declare columns: readonly Column<Row>[];
  declare rows: readonly Row[];
  /** Name of the table for screen readers. */
  declare label: string;
  declare hasMore: boolean;
  declare isLoading: boolean;
  declare emptyText: string;
  readonly #virtual = new VirtualizerController<HTMLElement, HTMLElement>(this, {
    count: 0,
    getScrollElement: () => this.querySelector<HTMLElement>('.scroll'),
    estimateSize: () => ROW_PX,
    overscan: 12,
  });

  constructor() {
    super();
    this.columns = [];
    this.rows = [];
    this.label = '';
    this.hasMore = false;
    this.isLoading = false;
    this.emptyText = '';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
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

  protected override render() {
    const { common } = texts();
    if (this.rows.length === 0 && !this.isLoading) {
      return emptyView(this.emptyText || common.empty);
    }
    const virtual = this.#virtual.getVirtualizer();
    const items = virtual.getVirtualItems();
    const above = items[0]?.start ?? 0;
    const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
    const gap = (height: number) =>
      height <= 0
        ? nothing
        : html`<tr aria-hidden="true" class="gap">
            <td colspan=${this.columns.length} ${ref(heightOf(height))}></td>
          </tr>`;
    return html`<div class="scroll" tabindex="0" role="region" aria-label=${this.label}>
        <table aria-rowcount=${this.hasMore ? -1 : this.rows.length + 1}>
          <caption class="sr">
            ${this.label}
          </caption>
          <thead>
            <tr aria-rowindex="1">
              ${this.columns.map(
                ({ head, align, class: name = '' }) =>
                  html`<th scope="col" class="${align ?? ''} ${name}">${head}</th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${gap(above)}
            ${items.map(({ index }) => {
              const row = this.rows[index];
              return row === undefined
                ? nothing
                : html`<tr aria-rowindex=${index + 2}>
                    ${this.columns.map(
                      ({ cell, align, class: name = '' }) =>
                        html`<td class="${align ?? ''} ${name}">${cell(row)}</td>`,
                    )}
                  </tr>`;
            })}
            ${gap(below)}
          </tbody>
          ${this.#footView()}
        </table>
      </div>
      <p class="quiet count" role="status">
        ${
          this.isLoading
            ? common.loading
            : `${common.rows(this.rows.length)}${this.hasMore ? ' +' : ''}`
        }
      </p>`;
  }

  /** Shows the sums below the columns that have one, with the name of the row in the first column. */
  #footView() {
    if (this.columns.every(({ foot }) => foot === undefined)) return nothing;
    return html`<tfoot>
      <tr>
        ${this.columns.map(({ foot, align, class: name = '' }, index) =>
          index === 0
            ? html`<th scope="row">${texts().common.sum}</th>`
            : html`<td class="${align ?? ''} ${name}">${foot ?? nothing}</td>`,
        )}
      </tr>
    </tfoot>`;
  }
}

/** Sets a height by script: the page's policy forbids the attribute. */
const heightOf = (height: number) => (element: Element | undefined) => {
  if (element instanceof HTMLElement) element.style.height = `${height}px`;
};

customElements.define('console-table', ConsoleTable);
