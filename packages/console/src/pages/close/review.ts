import { html, nothing } from 'lit';
import type {
  PeriodDetail,
  PeriodRecord,
  PeriodReview,
  Tally,
} from '@financing-checkout/contract/reconciliation';
import { addressOf } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { amountView, entryKindText, headlineText } from '../../parts/values.ts';
import { cardView, maybe, quiet } from '../../parts/views.ts';
import { acceptanceView, moneyView } from './checklist.ts';

/** Shows what a close takes over beside the statements, compared with the period closed last. */
export function reviewView({ period }: PeriodDetail, review: PeriodReview) {
  const { review: words } = texts().close;
  return cardView(
    words.title,
    html`${quiet(review.before === undefined ? words.isFirst : words.hint(review.before))}
    ${exceptionsView(period, review)} ${uncountedView(review)} ${accountsView(period, review)}
    ${sinceView(period, review)}`,
  );
}

/** Shows the summary in the approval dialog: accepted findings, open cases, later changes. */
export function approvedView({ checks, period, review }: PeriodDetail) {
  const { close } = texts();
  const { review: words } = close;
  const accepted = checks.filter((one) => one.accepted !== undefined);
  const open = review?.exceptions.filter((one) => one.open.count > 0) ?? [];
  return html`${
    accepted.length === 0
      ? quiet(words.nothingAccepted)
      : html`<h3>${close.checkStates.accepted}</h3>
          <ul class="reviewed">
            ${accepted.map(
              (one) =>
                html`<li>
                  <strong>${close.checks[one.check].name}</strong>: ${formats().number(one.count)}
                  ${one.amounts.map(({ amount, currency }) => moneyView(amount, currency))}
                  ${maybe(one.accepted, acceptanceView)}
                </li>`,
            )}
          </ul>`
  }
  ${
    open.length === 0
      ? nothing
      : html`<h3>${words.open}</h3>
          <ul class="reviewed">
            ${[...Map.groupBy(open, ({ code }) => code)].map(
              ([code, own]) =>
                html`<li>${headlineText(code)}: ${own.map(openText).join('; ')}</li>`,
            )}
          </ul>`
  }
  ${maybe(review, (found) => html`${uncountedView(found)} ${sinceView(period, found, false)}`)}`;
}

type Exception = PeriodReview['exceptions'][number];

/** Returns the open cases of an exception and their money as text: "3 cases, $9.45". */
function openText({ currency, open }: Exception): string {
  const cases = texts().close.review.cases(open.count);
  const mark = open.assumedCurrency === undefined ? '' : '?';
  return currency === '' ? cases : `${cases}, ${formats().amount(open.amount, currency)}${mark}`;
}

/** Returns a column with a line for each currency of a row. */
function tallyColumn<One extends { currency: string }>(
  head: string,
  tally: (one: One) => Tally | undefined,
  countText: (count: number) => string,
): Column<readonly One[]> {
  return {
    head,
    class: 'end',
    cell: (row) =>
      row.map((one) => {
        const { amount = null, assumedCurrency, count = 0 } = tally(one) ?? {};
        return count === 0
          ? html`<div class="quiet">–</div>`
          : html`<div>
              ${amountView(amount, one.currency, assumedCurrency !== undefined)}
              <span class="quiet small">${countText(count)}</span>
            </div>`;
      }),
  };
}

function exceptionsView({ id, to }: PeriodRecord, { before, exceptions }: PeriodReview) {
  const { common, close } = texts();
  const { review: words } = close;
  if (exceptions.length === 0) return quiet(words.noExceptions);
  const columnOf = (head: string, tally: (one: Exception) => Tally | undefined) =>
    tallyColumn(head, tally, words.cases);
  const columns: Column<readonly Exception[]>[] = [
    {
      head: common.code,
      isName: true,
      cell: ([one, ...others]) =>
        maybe(one?.code, (code) =>
          [one, ...others].every((each) => each?.open.count === 0)
            ? headlineText(code)
            : html`<a href=${addressOf(paths.cases, { begunTo: to, code })}
                >${headlineText(code)}</a
              >`,
        ),
    },
    columnOf(words.open, ({ open }) => open),
    columnOf(words.begun(id), ({ begun }) => begun),
    ...(before === undefined
      ? []
      : [columnOf(words.begun(before), ({ begunBefore }) => begunBefore)]),
  ];
  const rows = [...Map.groupBy(exceptions, ({ code }) => code).values()];
  return html`<h3>${words.exceptions}</h3>
    ${tableView({ label: words.exceptions, columns, rows })}`;
}

function uncountedView({ uncounted }: PeriodReview) {
  const { review: words } = texts().close;
  if (uncounted.length === 0) return nothing;
  return html`<h3>${words.uncounted}</h3>
    <ul class="reviewed">
      ${uncounted.map(
        ({ reason, count, amount, currency }) =>
          html`<li>
            ${words.uncountedOf[reason](count)}
            ${currency === '' ? nothing : amountView(amount, currency, true)}
          </li>`,
      )}
    </ul>`;
}

type Account = PeriodReview['accounts'][number];

function accountsView({ id }: PeriodRecord, { accounts, before: last }: PeriodReview) {
  const { close, journals } = texts();
  const { review: words } = close;
  if (accounts.length === 0) return nothing;
  const columnOf = (head: string, tally: (one: Account) => Tally | undefined) =>
    tallyColumn(head, tally, words.orders);
  const change = ({ own, before }: Account) =>
    own.amount === null || before?.amount === null ? null : own.amount - (before?.amount ?? 0);
  const columns: Column<readonly Account[]>[] = [
    {
      head: journals.account,
      isName: true,
      cell: ([one]) => maybe(one?.account, (account) => journals.accounts[account]),
    },
    columnOf(id, ({ own }) => own),
    ...(last === undefined
      ? []
      : [
          columnOf(last, ({ before }) => before),
          {
            head: close.change,
            class: 'end',
            cell: (row: readonly Account[]) =>
              row.map((one) => html`<div>${amountView(change(one), one.currency)}</div>`),
          },
        ]),
  ];
  const rows = [...Map.groupBy(accounts, ({ account }) => account).values()];
  return html`<h3>${words.accounts}</h3>
    ${tableView({ label: words.accounts, columns, rows })}`;
}

/** Shows what came since the preparation: entries of the trail by kind, and cases. */
function sinceView({ prepared, to }: PeriodRecord, { since }: PeriodReview, isLinked = true) {
  const { review: words } = texts().close;
  if (since === undefined || prepared === undefined) return nothing;
  const { cases, entries } = since;
  const filter = { state: 'all', from: prepared.at, begunTo: to };
  return html`<h3>${words.since}</h3>
    ${
      cases === 0 && entries.length === 0
        ? quiet(words.sinceNone)
        : html`<ul class="reviewed">
            ${
              cases === 0
                ? nothing
                : html`<li>
                    ${
                      isLinked
                        ? html`<a href=${addressOf(paths.cases, filter)}
                            >${words.newCases(cases)}</a
                          >`
                        : words.newCases(cases)
                    }
                  </li>`
            }
            ${entries.map(
              ({ count, first, kind, last }) =>
                html`<li>
                  ${entryKindText(kind)}: ${formats().number(count)}
                  <span class="quiet">${words.numbers(first, last)}</span>
                </li>`,
            )}
          </ul>`
    }`;
}
