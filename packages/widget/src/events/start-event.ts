/**
 * Fired before a checkout starts or continues. Cancelable: `preventDefault()` prevents the start,
 * for example because the shopper must first accept the shop's terms.
 */
export class FinancingStartEvent extends Event {
  static readonly type = 'financing-start';
  /** Whether a checkout from before a reload is being continued. */
  declare readonly resuming: boolean;

  constructor(resuming: boolean) {
    super(FinancingStartEvent.type, { bubbles: true, composed: true, cancelable: true });
    this.resuming = resuming;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'financing-start': FinancingStartEvent;
  }
}
