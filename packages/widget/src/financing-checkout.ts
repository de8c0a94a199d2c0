import { html } from 'lit';
import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { checkoutFlow } from './checkout/flow.ts';
import { FlowElement } from './flow/flow-element.ts';
import type { Ended } from './model/phase.ts';
import { isSupported } from './platform/surroundings.ts';
import type { Scenario, ScenarioName } from './model/scenario.ts';
import { checkoutTexts } from './texts/checkout-texts.ts';
import type { TextOverrides } from './texts/checkout-texts.ts';
import type { Spoken } from './texts/texts.ts';
import { isElsewhere } from './views/view.ts';
import type { View } from './views/view.ts';

/**
 * Pays an order with financing: a button, a dialog with the lender's page, and a notice of the
 * outcome. Sends no request before the shopper acts, and stores no personal data.
 *
 * @summary Pay an order with financing.
 * @tag financing-checkout
 *
 * @slot other-methods - Other ways to pay. Hidden while a charge may still be made.
 *
 * @event {FinancingConfirmEvent} financing-confirm - The shopper confirmed an offer; nothing is
 * charged yet.
 * @event {FinancingOrderChangeEvent} financing-order-change - The order differs from the approved
 * one.
 * @event {FinancingOutcomeEvent} financing-outcome - A checkout has an outcome.
 * @event {FinancingDataUpdateEvent} financing-data-update - The shopper changed the order's
 * address.
 *
 * @csspart qr-code - The code with the address for a phone.
 * @csspart address - The address.
 * @csspart link - The link that opens the address on this device.
 */
export class FinancingCheckout extends FlowElement<Ended> {
  static override readonly properties: PropertyDeclarations = {
    order: {},
    phone: { type: Boolean },
    scenario: {},
    debug: { type: Boolean },
  };

  /** The order ticket that the shop's backend signed. Required. */
  declare order: string;
  /**
   * Whether the page offers to continue on a phone, with an address and a QR code. If not, the
   * phone is the last resort when all presentations are blocked.
   */
  declare phone: boolean;
  /**
   * Simulates a checkout without a companion, a lender or a network, for tests and component
   * catalogs: the name of a scenario, or (as a property) one of your own. Refused if `environment`
   * is `production`.
   */
  declare scenario: ScenarioName | '' | Scenario;
  /** Examines the setup of the page, and writes the findings to the console. */
  declare debug: boolean;
  declare texts: TextOverrides;

  constructor() {
    super(checkoutTexts, checkoutFlow);
    this.scenario = this.order = '';
    this.phone = this.debug = false;
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (isSupported(this) && changed.has('debug') && this.debug) {
      void import('./development/doctor.ts').then(({ examine }) => examine(this, this._texts));
    }
  }

  protected override _act(): void {
    const { attempt, stale } = this._controller;
    if (this._phase === 'checking') attempt?.pollNow?.();
    else if (this._phase === 'changed') this._controller.startAgain();
    else if (stale && this._phase === 'ended') location.reload();
    else super._act();
  }

  /** Handles the second button: cancels, keeps the approved order, or starts on another device. */
  protected override _second(): void {
    if (isElsewhere(this._phase)) this.close();
    else if (this._phase === 'changed') void this._controller.attempt?.change?.keep();
    else this._begin('link');
  }

  /**
   * Continues the checkout from before a reload.
   * @returns whether it continues: false if there is none, one is already in progress, or the page
   * prevents the start.
   */
  resume(): boolean {
    if (this._controller.isRunning || !this._controller.isResumable) return false;
    this.start();
    return this._controller.isRunning;
  }

  protected override _view(texts: Spoken): View {
    const view = super._view(texts);
    const { order, phone } = this;
    return { ...view, order, offersPhone: phone && /^(idle|ended)$/.test(view.phase) };
  }

  protected override render(): TemplateResult {
    return isSupported(this)
      ? super.render()
      : html`<slot></slot><slot name="other-methods"></slot>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'financing-checkout': FinancingCheckout;
  }
}
