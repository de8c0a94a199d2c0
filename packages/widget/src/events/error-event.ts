/**
 * Fired for the page's developer, together with a message in the console, when the setup is wrong
 * or the companion cannot be used. The shopper sees a calm message instead.
 */
export class FinancingErrorEvent extends Event {
  static readonly type = 'financing-error';
  /** Stable code, also an anchor in the widget's documentation. */
  declare readonly code: string;
  /** The problem and its solution, in English. Contains no key, ticket or personal data. */
  declare readonly message: string;

  constructor(code: string, message: string) {
    super(FinancingErrorEvent.type, { bubbles: true, composed: true });
    this.code = code;
    this.message = message;
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'financing-error': FinancingErrorEvent;
  }
}
