import type { PropertyDeclarations } from 'lit';
import { FlowElement } from '../flow/flow-element.ts';
import { type PrequalifyTextOverrides, prequalifyTexts } from '../texts/prequalify-texts.ts';
import { prequalifyFlow } from './flow.ts';
import type { PrequalifyEnded } from './outcome-event.ts';
import type { PrequalifyScenarioName } from '../model/scenario.ts';

/**
 * Applies for financing without a cart: a button, a dialog with the lender's page, and a notice of
 * the outcome. A checkout in the same shop continues the application. Sends no request before the
 * shopper acts, and stores no personal data.
 *
 * @summary See whether a lender offers financing, before there is an order.
 * @tag financing-prequalify
 *
 * @slot other-methods - Shown after an application without an offer, for example other ways to pay.
 *
 * @event {FinancingPrequalifyOutcomeEvent} financing-prequalify-outcome - The application has an
 * outcome.
 */
export class FinancingPrequalify extends FlowElement<PrequalifyEnded> {
  static override readonly properties: PropertyDeclarations = {
    currency: {},
    amount: {},
    scenario: {},
  };

  /** ISO 4217 code. Required. */
  declare currency: string;
  /** The amount that the shopper has in mind, in minor units: `129900` for $1,299.00. */
  declare amount: number | string;
  /** Simulates an application without a companion, a lender or a network. Refused in production. */
  declare scenario: PrequalifyScenarioName | '';
  declare texts: PrequalifyTextOverrides;

  constructor() {
    super(prequalifyTexts, prequalifyFlow);
    this.currency = this.amount = this.scenario = '';
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'financing-prequalify': FinancingPrequalify;
  }
}
