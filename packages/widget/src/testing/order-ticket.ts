/** What a ticket is to say. */
export interface TicketOrder {
  readonly merchantOrderId?: string;
  /** In minor units; 129900 when left out. */
  readonly totalAmount?: number;
  /** ISO 4217; USD when left out. */
  readonly currency?: string;
}

/**
 * An order ticket as the element reads it, and as no companion would take it: nobody has signed it.
 * Each one is of an order of its own unless told otherwise, so that one test's application is not
 * there to be continued in the next.
 */
export function orderTicket({
  merchantOrderId = crypto.randomUUID(),
  totalAmount = 129_900,
  currency = 'USD',
}: TicketOrder = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = { order: { merchantOrderId, totalAmount, currency }, iat: now, exp: now + 900 };
  const bytes = new TextEncoder().encode(JSON.stringify(payload));
  const binary = String.fromCharCode(...bytes);
  const part = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `e30.${part}.dW5zaWduZWQ`;
}
