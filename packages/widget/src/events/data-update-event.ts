/**
 * The shopper's changes in the service's dialog, as reported by the service's script: amounts are
 * decimal numbers in major units.
 */
export interface UpdatedData {
  readonly totalAmount?: number;
  readonly taxAmount?: number;
  readonly shippingAmount?: number;
  readonly items?: readonly unknown[];
  readonly discounts?: readonly unknown[];
  readonly consumerDetails?: Readonly<Record<string, unknown>>;
}

/**
 * Fired when the shopper changed the address in the service's dialog, which may change tax or
 * shipping. Presentation `sdk` only. Without an answer, the order stays unchanged.
 */
export class FinancingDataUpdateEvent extends Event {
  static readonly type = 'financing-data-update';
  /** Contains the shopper's address: send it only to the shop's backend, and never log it. */
  declare readonly data: UpdatedData;
  readonly #answer: (ticket: Promise<string | undefined>) => void;

  constructor(data: UpdatedData, answer: (ticket: Promise<string | undefined>) => void) {
    super(FinancingDataUpdateEvent.type, { bubbles: true, composed: true });
    this.data = data;
    this.#answer = answer;
  }

  /**
   * Answers with a new ticket for the same order. Call it while the event is dispatched. The dialog
   * receives the ticket's amounts; the companion charges no other amount.
   * @param ticket resolves within 10 s with the ticket, or with undefined if nothing changes
   */
  respondWith(ticket: Promise<string | undefined>): void {
    this.#answer(ticket);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'financing-data-update': FinancingDataUpdateEvent;
  }
}
