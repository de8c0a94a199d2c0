/** Key of the message that this tab has shown last, in the session storage. */
export const SHOWN = 'financing-message:shown';

/** A lender's text that a shopper saw: the evidence that the companion keeps with the order. */
export interface ShownMessage {
  readonly programmeId: string;
  readonly textId: string;
  /** SHA-256 of the lender's text and its disclosure, in hexadecimal. */
  readonly sha256: string;
  /** The amount that the message was for, in minor units. */
  readonly amount: number;
  /** ISO 4217 code. */
  readonly currency: string;
  /** By the clock of the shopper's device. ISO 8601, UTC. */
  readonly shownAt: string;
}

/** Fired when a message has been visible: half of it, once for each text and amount. */
export class FinancingMessageShownEvent extends Event implements ShownMessage {
  static readonly type = 'financing-message-shown';
  declare readonly programmeId: string;
  declare readonly textId: string;
  declare readonly sha256: string;
  declare readonly amount: number;
  declare readonly currency: string;
  declare readonly shownAt: string;

  constructor(shown: ShownMessage) {
    super(FinancingMessageShownEvent.type, { bubbles: true, composed: true });
    Object.assign(this, shown);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'financing-message-shown': FinancingMessageShownEvent;
  }
}
