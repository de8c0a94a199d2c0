import { html } from 'lit';
import type { PeriodDetail, WalkAmount } from '@financing-checkout/contract/reconciliation';
import { addressOf } from '../../api/client.ts';
import { texts } from '../../locale/locale.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { paths } from '../../parts/navigation.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { amountView } from '../../parts/values.ts';
import { cardView, quiet } from '../../parts/views.ts';
import { steps } from '../money/waterfall.ts';
import { addressOfPeriod } from './periods.ts';

export const statementRows: readonly WalkAmount[] = [...steps, 'net', 'unexplained'];
const results: readonly WalkAmount[] = ['net', 'unexplained'];

/** Shows a period's statements: the steps of its cash walk, with a column per currency. */
export function statementsView({ statements, period }: PeriodDetail) {
  const { close } = texts();
  const { id, from, to, state } = period;
  const hint = state === 'closed' ? close.statementsSealed : close.statementsOpen;
  return cardView(
    close.statements,
    statements.length === 0
      ? quiet(close.noStatements)
      : html`${quiet(hint)} ${amountsView(statements, statementRows, close.statements, id)}`,
    html`<span class="row">
      ${exportLinks('cash-walk', { period: id, zone: undefined }, { path: '/walk' })}
      <a href=${addressOf(paths.money, { period: id })}>${close.asWalk}</a>
      <a href=${addressOf(paths.money, { from, to })}>${close.inMoney}</a>
    </span>`,
  );
}

/** Shows only the results of the statements. */
export function resultsView({ statements }: PeriodDetail) {
  const { steps: names } = texts().money.walk;
  // The complete statements are behind the dialog, under the name of the card.
  return amountsView(statements, results, results.map((step) => names[step]).join(', '));
}

function amountsView(
  statements: PeriodDetail['statements'],
  shown: readonly WalkAmount[],
  label: string,
  period?: string,
) {
  const { close, money } = texts();
  const { walk } = money;
  const columns: Column<WalkAmount>[] = [
    { head: walk.step, isName: true, cell: (step) => walk.steps[step] },
    ...statements.map((statement): Column<WalkAmount> => ({
      head: statement.currency,
      class: 'end',
      tone: (step) => (statement[step] === 0 ? 'quiet' : ''),
      cell: (step) => {
        const { currency } = statement;
        const amount = amountView(statement[step], currency);
        if (period === undefined || statement[step] === 0) return amount;
        const label = close.ordersOf(walk.steps[step], currency);
        return html`<a href=${addressOfPeriod(period, { step, currency })} title=${label}
          >${amount}</a
        >`;
      },
    })),
  ];
  return tableView({
    label,
    columns,
    rows: shown,
    class: 'walk-steps',
    rowClass: (step) => (results.includes(step) ? 'total' : ''),
  });
}
