/** Session storage key of the last message that this tab has shown. */
export const SHOWN = 'financing-message:shown';

/** A lender's text that a shopper saw, which the companion keeps with the order as evidence. */
export interface ShownMessage {
  readonly programmeId: string;
  readonly textId: string;
  /** SHA-256 of the lender's text and its disclosure, in hexadecimal. */
  readonly sha256: string;
  /** The amount that the message was for, in minor units. */
  readonly amount: number;
  /** ISO 4217 code. */
  readonly currency: string;
  /** According to the shopper's device clock. ISO 8601, UTC. */
  readonly shownAt: string;
}

/** Fired when at least half of a message has been visible, once for each text and amount. */
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
