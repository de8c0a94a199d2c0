/** The steps from a message to an outcome. */
export type FunnelStep =
  | 'message-shown'
  | 'dialog-opened'
  | 'started'
  | 'application-created'
  | 'offers-shown'
  | 'confirmed'
  | 'outcome';

/** Facts about a step. Contains no data about the shopper. */
export interface StepDetails {
  /** In minor units. */
  readonly amount?: number | undefined;
  /** ISO 4217 code. */
  readonly currency?: string | undefined;
  /** The companion's checkout ID. */
  readonly checkoutId?: string | undefined;
  /** With `outcome`: which outcome. */
  readonly outcome?: string | undefined;
}

/** Fired by `observeFunnel` for each step that a shopper takes. */
export class FinancingStepEvent extends Event implements StepDetails {
  static readonly type = 'financing-step';
  declare readonly step: FunnelStep;
  declare readonly amount: number | undefined;
  declare readonly currency: string | undefined;
  declare readonly checkoutId: string | undefined;
  declare readonly outcome: string | undefined;

  constructor(step: FunnelStep, { amount, checkoutId, currency, outcome }: StepDetails) {
    super(FinancingStepEvent.type);
    this.step = step;
    this.amount = amount;
    this.currency = currency;
    this.checkoutId = checkoutId;
    this.outcome = outcome;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'financing-step': FinancingStepEvent;
  }
}
