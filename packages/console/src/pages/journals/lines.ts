import type {
  AccountBalance,
  JournalEntry,
  JournalLine,
} from '@financing-checkout/contract/reconciliation';
import { html, nothing } from 'lit';
import { addressOf } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { amountColumn, orderLink } from '../../parts/values.ts';

/** Returns the URL of the orders behind an export's entry or account. */
export function addressOfTrace(
  seq: number,
  part: { entry?: string; account?: string; currency?: string },
): string {
  return addressOf(paths.journals, { export: String(seq), ...part });
}

/** Shows an account with its number. */
function accountView({ account }: Pick<JournalLine, 'account'>) {
  return html`<span class="quiet">${account.number}</span> ${account.name}`;
}

/** Returns an amount if it is on this side of the account. */
const side = (amount: number) => (amount > 0 ? amount : undefined);

/** Shows each account's debits and credits. @param seq export whose orders they link to */
export function balancesView(balances: readonly AccountBalance[], seq?: number) {
  const { journals } = texts();
  const columns: Column<AccountBalance>[] = [
    {
      head: journals.account,
      isName: true,
      cell: (balance) => {
        const { account, currency } = balance;
        const view = accountView(balance);
        if (seq === undefined) return view;
        return html`<a href=${addressOfTrace(seq, { account: account.number, currency })}
          >${view}</a
        >`;
      },
    },
    amountColumn(journals.debit, ({ debit }) => side(debit)),
    amountColumn(journals.credit, ({ credit }) => side(credit)),
    amountColumn(journals.balance, ({ debit, credit }) => debit - credit),
  ];
  return tableView({ label: journals.balances, columns, rows: balances });
}

type Line = JournalLine & { currency: string; entry: JournalEntry; isFirst: boolean };

/** Shows entries with their lines. */
export function entriesView(entries: readonly JournalEntry[]) {
  const { close, common, journals } = texts();
  const { day } = formats();
  const rows = entries.flatMap((entry) =>
    entry.lines.map((line, index): Line => ({
      ...line,
      currency: entry.currency,
      entry,
      isFirst: index === 0,
    })),
  );
  const columns: Column<Line>[] = [
    {
      head: journals.entry,
      isName: true,
      cell: ({ entry, isFirst }) => {
        const { id, kind, belongsTo, orderKey, merchantOrderId, date } = entry;
        if (!isFirst) return html`<span class="sr">${id}</span>`;
        const belongs =
          belongsTo === undefined
            ? nothing
            : html`<div><small>${close.belongsTo} ${belongsTo || close.beforeFirst}</small></div>`;
        return html`<strong>${id}</strong> ${journals.kinds[kind]}
          <div class="quiet"><small>${day(date)}</small></div>
          ${belongs} ${orderKey === undefined ? nothing : orderLink(orderKey, merchantOrderId)}`;
      },
    },
    { head: journals.account, cell: accountView },
    { head: common.lender, class: 'minor', cell: ({ lender }) => lender },
    amountColumn(journals.debit, ({ amount }) => side(amount)),
    amountColumn(journals.credit, ({ amount }) => side(-amount)),
  ];
  return tableView({
    label: journals.entries,
    columns,
    rows,
    rowClass: ({ isFirst }) => (isFirst ? 'first' : ''),
  });
}
