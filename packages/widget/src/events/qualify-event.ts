/**
 * Fired when a shopper pressed "See if you qualify". Cancelable: `preventDefault()` keeps
 * `<financing-prequalify>` from starting, or the page from navigating to `qualify-href`.
 */
export class FinancingQualifyEvent extends Event {
  static readonly type = 'financing-qualify';
  /** In minor units. */
  declare readonly amount: number;
  /** ISO 4217 code. */
  declare readonly currency: string;

  constructor(amount: number, currency: string) {
    super(FinancingQualifyEvent.type, { bubbles: true, composed: true, cancelable: true });
    this.amount = amount;
    this.currency = currency;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'financing-qualify': FinancingQualifyEvent;
  }
}
