import { LitElement, html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import type { ChargeOperationKind, ChargeRecord, OrderedItem } from '@financing-checkout/contract';
import { newKey } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { amountView } from '../../parts/values.ts';
import { written } from './charges.ts';
import { priceOfItems } from './items.ts';
import type { Move } from './pending-move.ts';
import { previewOf } from './preview.ts';
import { readAmount, typedText } from '../../parts/typed-amount.ts';

type Mode = 'whole' | 'part' | 'items';

/**
 * Asks for one operation on a charge: how much, what will be left, within the limits. Fires `move` with
 * the {@link Move}, and keeps its key for as long as it is open.
 */
export class ChargeDialog extends LitElement {
  static override properties = {
    kind: { attribute: false },
    charge: { attribute: false },
    orderKey: { attribute: false },
    items: { attribute: false },
    taxAmount: { attribute: false },
    isBusy: { attribute: false },
    refusal: { attribute: false },
    mode: { state: true },
    typed: { state: true },
    quantities: { state: true },
    problem: { state: true },
  };
  declare kind: ChargeOperationKind;
  declare charge: ChargeRecord;
  declare orderKey: string;
  declare items: readonly OrderedItem[];
  /** Tax of the order, in minor units. */
  declare taxAmount: number;
  declare isBusy: boolean;
  /** Why the last try was not done. */
  declare refusal: unknown;
  declare mode: Mode;
  declare typed: string;
  declare quantities: Readonly<Record<number, number>>;
  declare problem: string | undefined;
  #key: string | undefined;

  constructor() {
    super();
    this.items = [];
    this.taxAmount = 0;
    this.isBusy = false;
    this.mode = 'whole';
    this.typed = '';
    this.quantities = {};
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

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

  /** The chosen amount in minor units, or the sentence that says why there is none. */
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
    return amount > limit ? problems.exceeds(written(money)) : amount;
  }

  /** Price and tax of the chosen items, in minor units. */
  #chosen() {
    return priceOfItems(this.items, this.quantities, this.taxAmount);
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    if (this.isBusy) return;
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

  /** Takes a new key: the action before it was refused, and the next one is another. */
  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('refusal') && this.refusal !== undefined) this.#key = undefined;
  }

  protected override render() {
    const { order, common } = texts();
    const { kind } = this;
    const amount = this.#amount();
    const chosen = typeof amount === 'number' ? amount : 0;
    const explained = { settle: order.settleText, refund: order.refundText, void: order.voidText };
    const label = order.confirm[kind](written({ value: chosen, currency: this.#currency }));
    return html`<dialog
      class="charge-dialog"
      aria-labelledby="charge-dialog-title"
      @cancel=${(event: Event) => this.isBusy && event.preventDefault()}
      @close=${() => this.dispatchEvent(new CustomEvent('closed'))}
    >
      <form novalidate @submit=${(event: SubmitEvent) => this.#submit(event)}>
        <div>
          <h2 id="charge-dialog-title">${order.dialogs[kind]}</h2>
          <p class="quiet">${explained[kind]}</p>
        </div>
        ${kind === 'void' ? nothing : this.#amountFields()} ${this.#preview(chosen)}
        ${
          this.refusal === undefined
            ? nothing
            : html`<wa-callout variant="danger" role="alert">
                <wa-icon slot="icon" name="circle-alert"></wa-icon>
                <strong>${order.refused}</strong>
                <p>${this.refusal}</p>
              </wa-callout>`
        }
        <div class="row">
          <wa-button
            type="button"
            appearance="plain"
            ?disabled=${this.isBusy}
            @click=${() => this.querySelector('dialog')?.close()}
            >${common.cancel}</wa-button
          >
          <wa-button
            type="submit"
            variant=${kind === 'settle' ? 'brand' : 'danger'}
            ?loading=${this.isBusy}
            >${typeof amount === 'number' ? label : order.verbs[kind]}</wa-button
          >
        </div>
      </form>
    </dialog>`;
  }

  #amountFields() {
    const { order } = texts();
    const modes: Mode[] = ['whole', 'part', ...(this.items.length > 0 ? ['items' as const] : [])];
    const limit = written({ value: this.#limit, currency: this.#currency });
    return html`<fieldset>
        <legend class="small quiet">${order.howMuch}</legend>
        ${modes.map(
          (mode) =>
            html`<label class="choice">
              <input
                type="radio"
                name="mode"
                .checked=${this.mode === mode}
                @change=${() => this.#choose(mode)}
              />
              <span>${order.modes[mode]}</span>
              ${mode === 'whole' ? html`<span class="quiet end">${limit}</span>` : nothing}
            </label>`,
        )}
      </fieldset>
      ${this.mode === 'part' ? this.#partField(limit) : nothing}
      ${this.mode === 'items' ? this.#itemFields() : nothing}
      <p class="problem" id="amount-problem" role="alert" ?hidden=${this.problem === undefined}>
        ${this.problem}
      </p>`;
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

  /** Shows an invalid amount when the field loses focus. */
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
    return html`<table class="preview">
      <caption>
        ${order.preview}
      </caption>
      <thead>
        <tr>
          <th scope="col"><span class="sr">${texts().common.state}</span></th>
          <th scope="col" class="end">${order.now}</th>
          <th scope="col" class="end">${order.after}</th>
        </tr>
      </thead>
      <tbody aria-live="polite">
        ${rows.map(
          ({ name, now, after }) =>
            html`<tr class=${now === after ? '' : 'changed'}>
              <th scope="row">${order[name]}</th>
              <td class="end">${money(now)}</td>
              <td class="end">${money(after)}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
  }
}

customElements.define('console-charge-dialog', ChargeDialog);
