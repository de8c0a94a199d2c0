import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import type { ChargeOperationKind, ChargeRecord } from '@financing-checkout/contract/back-office';
import type { OrderedItem } from '@financing-checkout/contract/storefront';
import { newKey } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { formDialog } from '../../parts/dialog.ts';
import { elementWith, oneOf, optional } from '../../parts/element.ts';
import { checkField } from '../../parts/fields.ts';
import { type Column, tableView } from '../../parts/table.ts';
import { readAmount, typedText } from '../../parts/typed-amount.ts';
import { amountView } from '../../parts/values.ts';
import { calloutView, maybe, problemText, quiet } from '../../parts/views.ts';
import { amountText } from './charges.ts';
import { priceOfItems } from './items.ts';
import type { Move } from './pending-move.ts';
import { previewOf } from './preview.ts';

type Mode = 'whole' | 'part' | 'items';

/**
 * Asks for the amount of an operation on a charge, and shows limits and remaining amounts. Fires
 * `move` with the {@link Move}, whose key stays the same while the dialog is open.
 */
class ChargeDialog extends elementWith({
  kind: oneOf<ChargeOperationKind>('settle'),
  charge: {} as ChargeRecord,
  orderKey: '',
  items: [] as readonly OrderedItem[],
  /** The order's tax, in minor units. */
  taxAmount: 0,
  isBusy: false,
  /** The error of the last attempt. */
  refusal: optional<unknown>(),
  mode: oneOf<Mode>('whole'),
  typed: '',
  quantities: oneOf<Readonly<Record<number, number>>>({}),
  problem: optional<string>(),
}) {
  #key: string | undefined;

  protected override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
  }

  get #limit(): number {
    const { toSettle, toRefund } = this.charge.left;
    return this.kind === 'refund' ? toRefund.value : toSettle.value;
  }

  get #currency(): string {
    return this.charge.authorized.currency;
  }

  /** Returns the chosen amount in minor units, or a message that explains why there is none. */
  #amount(): number | string {
    const { problems } = texts().order;
    const { decimals, locale } = formats();
    const limit = this.#limit;
    let amount: number;
    if (this.kind === 'void' || this.mode === 'whole') return limit;
    if (this.mode === 'items') {
      const { price, tax } = this.#chosen();
      amount = price + tax;
      if (amount === 0) return problems.noItems;
    } else {
      const places = decimals(this.#currency);
      const read = readAmount(this.typed, places, locale);
      if (read === 'unreadable') return problems.unreadable(typedText(123_456, places, locale));
      if (read === 'too-precise') return problems['too-precise'](places);
      if (read === 'missing') return problems.missing;
      amount = read;
      if (amount === 0) return problems.zero;
    }
    const money = { value: limit, currency: this.#currency };
    return amount > limit ? problems.exceeds(amountText(money)) : amount;
  }

  /** Returns price and tax of the chosen items, in minor units. */
  #chosen() {
    return priceOfItems(this.items, this.quantities, this.taxAmount);
  }

  #submit(): void {
    const amount = this.#amount();
    if (typeof amount === 'string') {
      this.problem = amount;
      this.querySelector<HTMLInputElement>('.amount-input, .quantity')?.focus();
      return;
    }
    this.#key ??= newKey();
    const { kind, charge, orderKey } = this;
    const currency = this.#currency;
    const detail = { key: this.#key, kind, chargeId: charge.id, orderKey, amount, currency };
    this.dispatchEvent(new CustomEvent<Move>('move', { detail }));
  }

  /** Creates a new key after a refusal, because the next attempt is a new action. */
  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('refusal') && this.refusal !== undefined) this.#key = undefined;
  }

  protected override render() {
    const { order } = texts();
    const { kind } = this;
    const amount = this.#amount();
    const chosen = typeof amount === 'number' ? amount : 0;
    const explained = { settle: order.settleText, refund: order.refundText, void: order.voidText };
    const label = order.confirm[kind](amountText({ value: chosen, currency: this.#currency }));
    const refused = html`<strong>${order.refused}</strong>
      <p>${this.refusal}</p>`;
    return formDialog({
      title: order.dialogs[kind],
      content: html`${quiet(explained[kind])} ${kind === 'void' ? nothing : this.#amountFields()}
      ${this.#preview(chosen)}
      ${maybe(this.refusal, () => calloutView('danger', refused, { role: 'alert' }))}`,
      verb: typeof amount === 'number' ? label : order.verbs[kind],
      variant: kind === 'settle' ? 'brand' : 'danger',
      isBusy: this.isBusy,
      onSubmit: () => this.#submit(),
      onClose: () => this.dispatchEvent(new CustomEvent('closed')),
    });
  }

  #amountFields() {
    const { order } = texts();
    const modes: Mode[] = ['whole', 'part', ...(this.items.length > 0 ? ['items' as const] : [])];
    const limit = amountText({ value: this.#limit, currency: this.#currency });
    return html`<fieldset>
        <legend class="small quiet">${order.howMuch}</legend>
        ${modes.map((mode) => {
          const all = mode === 'whole' ? html`<span class="quiet end">${limit}</span>` : nothing;
          return checkField(
            html`${order.modes[mode]} ${all}`,
            this.mode === mode,
            () => this.#choose(mode),
            { type: 'radio', name: 'mode' },
          );
        })}
      </fieldset>
      ${this.mode === 'part' ? this.#partField(limit) : nothing}
      ${this.mode === 'items' ? this.#itemFields() : nothing}
      ${problemText(this.problem, 'amount-problem')}`;
  }

  #choose(mode: Mode): void {
    this.mode = mode;
    this.problem = undefined;
    void this.updateComplete.then(() =>
      this.querySelector<HTMLInputElement>('.amount-input')?.focus(),
    );
  }

  #partField(limit: string) {
    const { order } = texts();
    return html`<label class="field">
      <span>${order.amountLabel(this.#currency)}</span>
      <input
        class="amount-input"
        inputmode="decimal"
        autocomplete="off"
        maxlength="40"
        aria-describedby="amount-hint amount-problem"
        aria-invalid=${this.problem === undefined ? 'false' : 'true'}
        .value=${this.typed}
        @input=${({ currentTarget }: Event) => {
          this.typed = (currentTarget as HTMLInputElement).value;
          this.problem = undefined;
        }}
        @change=${() => this.#say()}
      />
      <span class="quiet small" id="amount-hint">${order.amountHint(limit)}</span>
    </label>`;
  }

  /** Reports an invalid amount when the field loses focus. */
  #say(): void {
    const amount = this.#amount();
    this.problem = typeof amount === 'string' ? amount : undefined;
  }

  #itemFields() {
    const { order } = texts();
    return html`<ul class="charge-items">
      ${this.items.map(
        ({ name, sku, price, quantity }, index) =>
          html`<li>
            <span>${name}<br /><span class="quiet small id">${sku}</span></span>
            <span class="end">${amountView(price, this.#currency)}</span>
            <input
              class="quantity"
              type="number"
              min="0"
              step="1"
              max=${quantity}
              aria-label=${order.quantity(name)}
              aria-describedby="amount-problem"
              .value=${live(String(this.quantities[index] ?? 0))}
              @input=${({ currentTarget }: Event) => {
                const wanted = Math.trunc(Number((currentTarget as HTMLInputElement).value)) || 0;
                const chosen = Math.min(Math.max(wanted, 0), quantity);
                this.quantities = { ...this.quantities, [index]: chosen };
                this.#say();
              }}
            />
            <span class="quiet small">${order.ofQuantity(quantity)}</span>
          </li>`,
      )}
      ${
        this.taxAmount === 0
          ? nothing
          : html`<li>
              <span>${order.itemsTax}</span>
              <span class="end">${amountView(this.#chosen().tax, this.#currency)}</span>
            </li>`
      }
    </ul>`;
  }

  #preview(amount: number) {
    const { order } = texts();
    const { settled, refunded, left } = this.charge;
    const rows = previewOf(this.kind, amount, {
      settled: settled.value,
      refunded: refunded.value,
      toSettle: left.toSettle.value,
      toRefund: left.toRefund.value,
    });
    const money = (minor: number) => amountView(minor, this.#currency);
    const columns: Column<(typeof rows)[number]>[] = [
      {
        head: html`<span class="sr">${texts().common.state}</span>`,
        isName: true,
        cell: ({ name }) => order[name],
      },
      { head: order.now, class: 'end', cell: ({ now }) => money(now) },
      { head: order.after, class: 'end', cell: ({ after }) => money(after) },
    ];
    return html`<div aria-live="polite">
      <h3>${order.preview}</h3>
      ${tableView({
        label: order.preview,
        columns,
        rows,
        class: 'preview',
        rowClass: ({ now, after }) => (now === after ? '' : 'changed'),
      })}
    </div>`;
  }
}

customElements.define('console-charge-dialog', ChargeDialog);
