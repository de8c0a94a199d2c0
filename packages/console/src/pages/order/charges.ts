import { currencies } from '@financing-checkout/contract/money';
import { html, nothing, type TemplateResult } from 'lit';
import type { ChargeOperationKind, ChargeRecord } from '@financing-checkout/contract/back-office';
import type { Session } from '../../api/session.ts';
import { formats, texts } from '../../locale/locale.ts';
import { selectField } from '../../parts/fields.ts';
import { amountView } from '../../parts/values.ts';
import { calloutView, maybe, pairsView, quiet } from '../../parts/views.ts';
import { type Move, pendingMove } from './pending-move.ts';

type Money = ChargeRecord['authorized'];
interface ChargeActions {
  session: Session;
  open: (kind: ChargeOperationKind, charge: ChargeRecord) => void;
  isBusy: boolean;
  /** The currency that the user chose for charges whose currency is unknown. */
  stated: string | undefined;
  state: (currency: string) => void;
}

/** Returns the operations that a charge currently permits. */
export function permitted({ left, settled }: ChargeRecord): ChargeOperationKind[] {
  const canSettle = left.toSettle.value > 0;
  return [
    ...(canSettle ? (['settle'] as const) : []),
    ...(left.toRefund.value > 0 ? (['refund'] as const) : []),
    ...(canSettle && settled.value === 0 ? (['void'] as const) : []),
  ];
}

/** Shows a charge with its past operations and buttons for the permitted ones. */
export function chargeView(charge: ChargeRecord, actions: ChargeActions): TemplateResult {
  const { order } = texts();
  const { session } = actions;
  const pending = pendingMove(session.name, charge.id);
  const { currency } = charge.authorized;
  const isAssumed = charge.currencyAssumed === true;
  // Money may be moved only in a confirmed currency.
  const isCertain = !isAssumed || actions.stated === currency;
  const kinds = session.canMoveMoney && isCertain ? permitted(charge) : [];
  const money = ({ value }: Money) => amountView(value, currency, isAssumed);
  const facts = [
    [order.authorized, money(charge.authorized)],
    [order.settled, money(charge.settled)],
    [order.refunded, money(charge.refunded)],
    [order.toSettle, money(charge.left.toSettle)],
    [order.toRefund, money(charge.left.toRefund)],
  ] as const;
  return html`<article class="charge">
    <div class="row spread">
      <h3>
        ${order.chargeStates[charge.state] ?? charge.state}
        <span class="id quiet">${charge.id}</span>
      </h3>
      <div class="row">
        ${kinds.map(
          (kind, index) =>
            html`<wa-button
              size="s"
              variant=${index === 0 ? 'brand' : 'neutral'}
              appearance=${index === 0 ? 'accent' : 'outlined'}
              ?disabled=${pending !== undefined || actions.isBusy}
              @click=${() => actions.open(kind, charge)}
              >${order.verbs[kind]} …</wa-button
            >`,
        )}
      </div>
    </div>
    ${isAssumed && session.canMoveMoney ? currencyField(actions) : nothing} ${barView(charge)}
    ${pairsView('columns', facts)}
    ${maybe(charge.ordered, ({ amount }) => quiet(order.orderedDiffers(amountText(amount)), true))}
    ${charge.operations.length === 0 ? nothing : operationsView(charge)}
  </article>`;
}

/** Asks for the currency of a charge if neither the service nor the companion's orders state it. */
function currencyField({ stated, state, isBusy }: ChargeActions) {
  const { order, imports } = texts();
  const current = [...currencies].filter(([, { lastDay }]) => lastDay === undefined);
  // The currency register is sorted by decimals.
  const options = current.map(([code]) => [code, code] as const).sort();
  return selectField(order.chargeCurrency, [['', imports.pick], ...options], stated ?? '', state, {
    disabled: isBusy,
    hint: order.chargeCurrencyHint,
  });
}

/** Shows the authorized amount as a bar: refunded, settled and not refunded, open. */
function barView({ authorized, settled, refunded }: ChargeRecord) {
  const { order } = texts();
  const share = (value: number) =>
    authorized.value === 0 ? 0 : Math.min(100, (100 * value) / authorized.value);
  const [back, taken] = [share(refunded.value), share(settled.value)];
  const label = `${order.settled} ${amountText(settled)}, ${order.refunded} ${amountText(refunded)}, ${order.authorized} ${amountText(authorized)}`;
  return html`<svg class="charge-bar" role="img" aria-label=${label} width="100%" height="8">
    <rect class="rest" width="100%" height="8" rx="4" />
    <rect class="taken" width="${taken.toFixed(2)}%" height="8" rx="4" />
    <rect class="back-given" width="${back.toFixed(2)}%" height="8" rx="4" />
  </svg>`;
}

/** Returns a localized amount. */
export const amountText = ({ value, currency }: Money) => formats().amount(value, currency);

/** Shows that the outcome of a move is unclear, with a button that retries it with the same key. */
export function pendingView(move: Move, isBusy: boolean, repeat: () => void): TemplateResult {
  const { order } = texts();
  const amount = formats().amount(move.amount, move.currency);
  const content = html`<strong>${order.unclear}</strong>
    <p>${order.unclearText[move.kind](amount)}</p>
    <wa-button size="s" appearance="outlined" ?loading=${isBusy} @click=${repeat}
      >${order.askAgain}</wa-button
    >`;
  return calloutView('warning', content, { icon: 'clock' });
}

function operationsView({ operations, authorized }: ChargeRecord) {
  const { order } = texts();
  return html`<details>
    <summary>${order.operations} (${formats().number(operations.length)})</summary>
    <ol class="moments">
      ${operations.map(
        ({ kind, amount, state, createdAt, resolution }) =>
          html`<li>
            <time class="quiet" datetime=${createdAt}>${formats().moment(createdAt)}</time>
            <span class="mark ${state === 'accepted' ? 'in' : 'open'}"></span>
            <span class="what">
              ${order.moments[{ settle: 'Settle', refund: 'Refund', void: 'Void' }[kind]]}
              <span class="quiet">· ${order.operationStates[state] ?? state}</span>
              ${maybe(resolution, ({ by, note }) => html`<span class="quiet">· ${by}: ${note}</span>`)}
            </span>
            <span class="end"
              >${maybe(amount, ({ value }) => amountView(value, authorized.currency))}</span
            >
          </li>`,
      )}
    </ol>
  </details>`;
}
