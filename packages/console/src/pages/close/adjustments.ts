import { html, nothing } from 'lit';
import type {
  Adjustment,
  Adjustments,
  PeriodDetail,
} from '@financing-checkout/contract/reconciliation';
import { call } from '../../api/client.ts';
import { texts } from '../../locale/locale.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { elementWith, optional } from '../../parts/element.ts';
import { Loader } from '../../parts/loader.ts';
import { loadedView } from '../../parts/states.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { amountView, orderColumn } from '../../parts/values.ts';
import { cardView, quiet } from '../../parts/views.ts';
import { addressOfPeriod } from './periods.ts';
import { statementRows } from './statements.ts';

const pathOf = (id = '') => `/periods/${encodeURIComponent(id)}/adjustments`;

/** The changes to closed periods that count toward a period. */
class CloseAdjustments extends elementWith({
  /** The period with its adjustment counts. When the counts change, the adjustments are reloaded. */
  detail: optional<PeriodDetail>(),
}) {
  readonly #adjustments = new Loader(this, {
    args: () => [this.detail?.period.id ?? '', JSON.stringify(this.detail?.adjustments)] as const,
    task: ([period], { signal }) => call('get /periods/:period/adjustments', { period, signal }),
  });

  protected override render() {
    return cardView(
      texts().close.adjustments,
      loadedView(this.#adjustments, (answer) => adjustmentsView(answer)),
      exportLinks('adjustments', {}, { path: pathOf(this.detail?.period.id) }),
    );
  }
}

function adjustmentsView({ adjustments, count }: Adjustments) {
  const { close, common } = texts();
  const columns: Column<Adjustment>[] = [
    orderColumn(),
    {
      head: close.belongsTo,
      cell: ({ belongsTo }) =>
        belongsTo === ''
          ? close.beforeFirst
          : html`<a href=${addressOfPeriod(belongsTo)}>${belongsTo}</a>`,
    },
    { head: common.lender, class: 'minor', cell: ({ lender }) => lender },
    { head: close.change, class: 'end', cell: changesView },
    { head: common.reason, cell: ({ reason }) => close.reasons[reason] },
  ];
  return html`${quiet(count === 0 ? close.adjustmentsNone : close.adjustmentsText(count))}
  ${count > adjustments.length ? quiet(close.largest(adjustments.length)) : nothing}
  ${
    adjustments.length === 0
      ? nothing
      : tableView({ label: close.adjustments, columns, rows: adjustments })
  }`;
}

/** Shows each amount in the walk that an adjustment changes. */
function changesView({ amounts, inTransit, currency }: Adjustment) {
  const { close, money } = texts();
  const changes = [
    ...statementRows.map((step) => {
      const amount = (amounts as Readonly<Record<string, number>>)[step] ?? 0;
      return [money.walk.steps[step], amount] as const;
    }),
    [close.inTransit, inTransit] as const,
  ].filter(([, amount]) => amount !== 0);
  return changes.map(
    ([name, amount]) =>
      html`<div><small class="quiet">${name}</small> ${amountView(amount, currency)}</div>`,
  );
}

customElements.define('close-adjustments', CloseAdjustments);
