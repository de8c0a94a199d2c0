/**
 * Fired for the developer of the page, beside the message in the console, when something is set up
 * wrongly or the companion cannot be used. The shopper sees a calm message of their own.
 */
export class FinancingErrorEvent extends Event {
  static readonly type = 'financing-error';
  /** Stable code, an anchor in the widget's documentation. */
  declare readonly code: string;
  /** What is wrong and what to do, in English. Holds no key, no ticket and nothing personal. */
  declare readonly message: string;

  constructor(code: string, message: string) {
    super(FinancingErrorEvent.type, { bubbles: true, composed: true });
    this.code = code;
    this.message = message;
  }
}

declare global {
  interface HTMLElementEventMap {
    'financing-error': FinancingErrorEvent;
  }
}
