/**
 * Fired before a checkout starts or is continued. Cancelable: `preventDefault()` keeps it from
 * starting, for instance because the shopper still has to accept the shop's terms.
 */
export class FinancingStartEvent extends Event {
  static readonly type = 'financing-start';
  /** Whether a checkout of before a reload is continued. */
  declare readonly resuming: boolean;

  constructor(resuming: boolean) {
    super(FinancingStartEvent.type, { bubbles: true, composed: true, cancelable: true });
    this.resuming = resuming;
  }
}

declare global {
  interface HTMLElementEventMap {
    'financing-start': FinancingStartEvent;
  }
}
