/** Fired when a shopper opened the dialog with all programmes. */
export class FinancingMessageOpenEvent extends Event {
  static readonly type = 'financing-message-open';
  /** In minor units. */
  declare readonly amount: number;
  /** ISO 4217 code. */
  declare readonly currency: string;

  constructor(amount: number, currency: string) {
    super(FinancingMessageOpenEvent.type, { bubbles: true, composed: true });
    this.amount = amount;
    this.currency = currency;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'financing-message-open': FinancingMessageOpenEvent;
  }
}
