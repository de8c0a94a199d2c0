import { html, nothing } from 'lit';
import type {
  acceptableChecks,
  CloseCheck,
  CloseCheckRecord,
  PeriodDetail,
  PeriodRecord,
} from '@financing-checkout/contract/reconciliation';
import { addressOf } from '../../api/client.ts';
import { formats, type Texts, texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { amountView, orderLink } from '../../parts/values.ts';
import { badgeView, cardView, maybe, quiet } from '../../parts/views.ts';
import { addressOfPeriod } from './periods.ts';

type Days = Pick<PeriodRecord, 'from' | 'to'>;
type Found = Pick<CloseCheckRecord, 'check' | 'count' | 'amounts' | 'examples' | 'orders'>;

/** The page where each check's work is done. */
const places: Record<keyof Texts['close']['places'], (days: Days) => string> = {
  'days-proven': () => paths.sync,
  'imports-present': () => paths.imports,
  'cases-decided': ({ to }) => addressOf(paths.cases, { begunTo: to }),
  'fundings-counted': () => paths.sync,
  'unexplained-zero': ({ from, to }) => addressOf(paths.money, { from, to }),
  'operations-clear': () => addressOf(paths.today, { kind: 'unclear-operation' }),
};

/** How a check's examples are shown if they are not plain text. */
const examples: Partial<Record<CloseCheck, (example: string) => unknown>> = {
  'period-ended': (day) => formats().day(day),
  'earlier-closed': (id) => html`<a href=${addressOfPeriod(id)}>${id}</a>`,
  'days-proven': (day) => formats().day(day),
};

/** A check that a user may accept with a reason. */
export type AcceptableCheck = CloseCheckRecord & { check: (typeof acceptableChecks)[number] };
const acceptable: Record<AcceptableCheck['check'], true> = {
  'imports-present': true,
  'cases-decided': true,
  'fundings-counted': true,
};

const isAcceptable = (one: CloseCheckRecord): one is AcceptableCheck => one.check in acceptable;
const hasPlace = (check: CloseCheck): check is keyof typeof places => check in places;

const variants = { done: 'success', blocked: 'warning', accepted: 'neutral' } as const;

interface Checklist {
  checks: readonly CloseCheckRecord[];
  days: Days;
  /** Whether these are the checks of a seal, whose work no page shows any more. */
  isSealed: boolean;
  /** Opens the dialog for a reason. Undefined if the user may accept nothing. */
  accept: ((check: AcceptableCheck) => void) | undefined;
}

/** Shows what a close requires, and where its work is done, or the checks as they were sealed. */
export function checklistView({ checks, days, isSealed, accept }: Checklist) {
  const { close } = texts();
  return html`<section class="card" aria-label=${close.checklist}>
    <h2>${close.checklist}</h2>
    ${isSealed ? quiet(close.statementsSealed) : nothing}
    <ol class="close-checks">
      ${checks.map((one) => checkView(one, isSealed ? undefined : days, accept))}
    </ol>
  </section>`;
}

/** Shows what has changed since a period was sealed. */
export function sinceSealView({ period, checks: sealed, sinceSeal }: PeriodDetail) {
  if (sinceSeal === undefined) return nothing;
  const { close } = texts();
  const { checks, open, orders } = sinceSeal;
  return cardView(
    close.sinceSeal.title,
    html`${quiet(
        orders === 0 && checks.length === 0 ? close.sinceSeal.nothing : close.sinceSeal.text,
      )}
      ${
        orders === 0 || open === undefined
          ? nothing
          : html`<p>
              ${close.sinceSeal.orders(orders)} <a href=${addressOfPeriod(open)}>${open}</a>
            </p>`
      }
      <ol class="close-checks">
        ${checks.map((one) => {
          const then = sealed.find(({ check }) => check === one.check)?.count ?? 0;
          return html`<li>
            <div class="what">
              <strong>${close.checks[one.check].name}</strong>
              <div class="quiet">${close.sinceSeal.sealed(then)}</div>
              ${one.count === 0 ? nothing : foundView(one, period)}
            </div>
            ${sumView(one)}
          </li>`;
        })}
      </ol>`,
  );
}

/** @param days undefined for a sealed check */
function checkView(one: CloseCheckRecord, days: Days | undefined, accept: Checklist['accept']) {
  const { close } = texts();
  const { check, state } = one;
  const words = close.checks[check];
  return html`<li>
    <div class="what">
      <strong>${words.name}</strong> ${badgeView(variants[state], close.checkStates[state])}
      <div class="quiet">${words.text}</div>
      ${state === 'done' ? nothing : findingView(one, days)}
    </div>
    ${sumView(one)}
    <div class="act">
      ${
        accept !== undefined && state === 'blocked' && isAcceptable(one)
          ? html`<wa-button size="s" appearance="outlined" @click=${() => accept(one)}
              >${close.accept}<span class="sr">: ${words.name}</span></wa-button
            >`
          : nothing
      }
    </div>
  </li>`;
}

function sumView({ count, amounts }: Found) {
  return html`<div class="sum">
    ${count === 0 ? nothing : html`<strong>${formats().number(count)}</strong>`}
    ${amounts.map(({ amount, currency }) => html`<div>${moneyView(amount, currency)}</div>`)}
  </div>`;
}

/** Shows an amount; one of an unknown currency with these words. */
export function moneyView(amount: number | null, currency: string) {
  const { order } = texts();
  return html`${amountView(amount, currency)}
  ${currency === '' ? html`<small class="quiet">${order.currencyUnknown}</small>` : nothing}`;
}

function findingView(one: CloseCheckRecord, days: Days | undefined) {
  const { close } = texts();
  const { accepted, failure } = one;
  return html`${maybe(failure, ({ code }) => html`<p>${close.failures[code]}</p>`)}
  ${foundView(one, days)} ${maybe(accepted, acceptanceView)}`;
}

/** Shows why a finding was accepted, and by whom. */
export function acceptanceView({ by, at, reason }: NonNullable<CloseCheckRecord['accepted']>) {
  return html`<blockquote>${reason}</blockquote>
    <small class="quiet">${texts().close.acceptedBy(by, formats().moment(at))}</small>`;
}

/** Shows what a check has found, with links to where it is now if these are its findings of now. */
function foundView(
  { check, count, examples: found, orders, amounts }: Found,
  days: Days | undefined,
) {
  const { close } = texts();
  const show = examples[check] ?? ((example: string) => example);
  const named =
    orders?.first.map((one) => orderLink(one.orderKey, one.merchantOrderId)) ?? found.map(show);
  const rest = (orders?.count ?? count) - named.length;
  const list =
    named.length === 0
      ? nothing
      : html`<ul class="examples">
          ${maybe(orders, ({ count: all }) => html`<li class="quiet">${close.orders(all)}</li>`)}
          ${named.map((one) => html`<li>${one}</li>`)}
          ${rest > 0 ? html`<li class="quiet">${close.more(rest)}</li>` : nothing}
        </ul>`;
  if (days === undefined) return list;
  const { from, to } = days;
  return html`${list}
  ${
    check === 'unexplained-zero'
      ? html`<ul class="examples">
          ${amounts.map(
            ({ currency }) =>
              html`<li>
                <a href=${addressOf(paths.orders, { step: 'unexplained', from, to, currency })}
                  >${close.unexplainedOrders(currency)}</a
                >
              </li>`,
          )}
        </ul>`
      : nothing
  }
  ${
    check === 'fundings-counted'
      ? html`<ul class="examples">
          <li>
            <a href=${addressOf(paths.orders, { currencyAssumed: true })}>${close.assumedOrders}</a>
          </li>
        </ul>`
      : nothing
  }
  ${hasPlace(check) ? html`<a href=${places[check](days)}>${close.places[check]}</a>` : nothing}`;
}
