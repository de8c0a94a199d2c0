import type { JournalTrace } from '@financing-checkout/contract/reconciliation';
import { html, nothing } from 'lit';
import { texts } from '../../locale/locale.ts';
import { elementWith } from '../../parts/element.ts';
import { loadCall } from '../../parts/loader.ts';
import { setFilters } from '../../parts/navigation.ts';
import { loadedView } from '../../parts/states.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { amountColumn, amountView, orderColumn } from '../../parts/values.ts';
import { cardView, quiet } from '../../parts/views.ts';
import { balancesView, entriesView } from './lines.ts';

/** The orders behind an export's entry or account, or the export's balances. */
class JournalTraceView extends elementWith({ seq: '', entry: '', account: '', currency: '' }) {
  readonly #trace = loadCall(this, 'get /journals/:export/orders', () => ({
    export: this.seq,
    query: { entry: this.entry, account: this.account, currency: this.currency },
  }));

  protected override render() {
    const { journals } = texts();
    const part = this.entry === '' ? this.account : `FC${this.seq}-${this.entry}`;
    return cardView(
      journals.traceOf(this.seq, part),
      loadedView(this.#trace, (trace) => this.#view(trace)),
      html`<wa-button
        appearance="outlined"
        @click=${() =>
          setFilters({
            export: undefined,
            entry: undefined,
            account: undefined,
            currency: undefined,
          })}
        ><wa-icon slot="start" name="x"></wa-icon>${texts().common.close}</wa-button
      >`,
    );
  }

  #view({ export: record, entry, orders, count, totals }: JournalTrace) {
    const { common, journals, shell } = texts();
    const columns: Column<JournalTrace['orders'][number]>[] = [
      orderColumn(),
      { head: common.lender, class: 'minor', cell: ({ lender }) => lender },
      { head: journals.purpose, cell: ({ account }) => journals.accounts[account] },
      amountColumn(journals.balance, ({ amount }) => amount),
    ];
    if (this.entry === '' && this.account === '') return balancesView(record.balances, record.seq);
    return html`${entry === undefined ? nothing : entriesView([entry])}
      <ul class="plain">
        ${totals.map(
          ({ account, amount, currency }) =>
            html`<li>${journals.accounts[account]}: ${amountView(amount, currency)}</li>`,
        )}
      </ul>
      ${count > orders.length ? quiet(texts().close.largest(orders.length)) : nothing}
      ${tableView({ label: shell.orders, columns, rows: orders })}`;
  }
}

customElements.define('journal-trace', JournalTraceView);
