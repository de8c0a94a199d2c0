import { html, nothing } from 'lit';
import type {
  PeriodRecord,
  Periods,
  PeriodState,
  WalkAmount,
} from '@financing-checkout/contract/reconciliation';
import { addressOf } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { badgeView, maybe, quiet } from '../../parts/views.ts';
import './hash.ts';

const variants = {
  closed: 'success',
  'in-review': 'brand',
  open: 'warning',
  future: 'neutral',
} as const satisfies Record<PeriodState, string>;

/** Shows a period's state as a badge. */
export function stateView(state: PeriodState) {
  return badgeView(variants[state], texts().close.states[state]);
}

/** Returns a period's days. */
export function daysText({ from, to }: Pick<PeriodRecord, 'from' | 'to'>): string {
  const { day } = formats();
  return texts().money.days(day(from), day(to));
}

/** An amount in a period's statements, whose orders are listed. */
export interface ListedAmount {
  step: WalkAmount;
  currency: string;
  lender?: string | undefined;
}

/** Returns a period's URL, optionally with the orders behind an amount. */
export function addressOfPeriod(id: string, listed?: ListedAmount): string {
  return addressOf(paths.close, { period: id, ...listed });
}

/** Shows the periods, newest first, with a link to each. */
export function periodsView({ periods, open, zone }: Periods, chosen: string | undefined) {
  const { close, common, sync } = texts();
  const columns: Column<PeriodRecord>[] = [
    {
      head: close.period,
      isName: true,
      cell: ({ id }) =>
        html`<a href=${addressOfPeriod(id)} aria-current=${id === chosen ? 'true' : nothing}
            >${id}</a
          >
          ${id === open ? html`<small class="quiet">${close.next}</small>` : nothing}`,
    },
    { head: sync.days, cell: daysText },
    { head: common.state, cell: ({ state }) => stateView(state) },
    {
      head: close.prepared,
      class: 'minor',
      cell: ({ state, prepared, seal }) => (state === 'closed' ? seal?.preparedBy : prepared?.by),
    },
    {
      head: close.approved,
      class: 'minor',
      cell: ({ state, seal }) => (state === 'closed' ? seal?.approvedBy : undefined),
    },
    {
      head: close.seal,
      class: 'minor',
      cell: ({ id, state, seal }) =>
        state === 'closed'
          ? maybe(
              seal,
              ({ hash }) =>
                html`<close-hash .hash=${hash} .label=${close.copyHash(id)}></close-hash>`,
            )
          : nothing,
    },
  ];
  return html`${tableView({
    label: close.list,
    columns,
    rows: periods,
    area: 'scroll',
    class: 'periods',
    rowClass: ({ id }) => (id === chosen ? 'chosen' : ''),
  })}
  ${quiet(common.zone(zone), true)}`;
}
