/**
 * What the shopper changed in the service's dialog, as its script says it: amounts are decimal numbers
 * in major units.
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
 * Fired when the shopper changed the address in the service's dialog, so that tax or shipping may be
 * another. Presentation `sdk` only. Without an answer the order stays as it is.
 */
export class FinancingDataUpdateEvent extends Event {
  static readonly type = 'financing-data-update';
  /** Holds the shopper's address: for the shop's backend, and for no log. */
  declare readonly data: UpdatedData;
  readonly #answer: (ticket: Promise<string | undefined>) => void;

  constructor(data: UpdatedData, answer: (ticket: Promise<string | undefined>) => void) {
    super(FinancingDataUpdateEvent.type, { bubbles: true, composed: true });
    this.data = data;
    this.#answer = answer;
  }

  /**
   * Answers with a new ticket of the same order. To be called while the event is dispatched. The
   * amounts come from the ticket: an amount that no ticket states would not be the one that is charged.
   * @param ticket resolves with the ticket, within 10 s; with undefined where nothing changes
   */
  respondWith(ticket: Promise<string | undefined>): void {
    this.#answer(ticket);
  }
}

declare global {
  interface HTMLElementEventMap {
    'financing-data-update': FinancingDataUpdateEvent;
  }
}
