import { html } from 'lit';
import type { PeriodDetail, WalkAmount } from '@financing-checkout/contract';
import { addressOf } from '../../api/client.ts';
import { texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { amountView } from '../../parts/values.ts';
import { cardView, quiet } from '../../parts/views.ts';
import { steps } from '../money/waterfall.ts';

const rows: readonly WalkAmount[] = [...steps, 'net', 'unexplained'];
const results: readonly WalkAmount[] = ['net', 'unexplained'];

/** Shows the statements of a period: the steps of its cash walk, with a column for each currency. */
export function statementsView({ statements, period }: PeriodDetail) {
  const { close } = texts();
  const { from, to, state } = period;
  const hint = state === 'closed' ? close.statementsSealed : close.statementsOpen;
  return cardView(
    close.statements,
    statements.length === 0
      ? quiet(close.noStatements)
      : html`${quiet(hint)} ${amountsView(statements, rows, close.statements)}`,
    html`<a href=${addressOf(paths.money, { from, to })}>${close.inMoney}</a>`,
  );
}

/** Shows the results of the statements only. */
export function resultsView({ statements }: PeriodDetail) {
  return amountsView(statements, results, texts().close.statements);
}

function amountsView(
  statements: PeriodDetail['statements'],
  shown: readonly WalkAmount[],
  label: string,
) {
  const { walk } = texts().money;
  const columns: Column<WalkAmount>[] = [
    { head: walk.step, isName: true, cell: (step) => walk.steps[step] },
    ...statements.map((statement): Column<WalkAmount> => ({
      head: statement.currency,
      class: 'end',
      tone: (step) => (statement[step] === 0 ? 'quiet' : ''),
      cell: (step) => amountView(statement[step], statement.currency),
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
