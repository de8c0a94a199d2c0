/** A ticket's order. */
export interface TicketOrder {
  readonly merchantOrderId?: string;
  /** Total in minor units; 129900 by default. */
  readonly totalAmount?: number;
  /** ISO 4217 code; USD by default. */
  readonly currency?: string;
}

/**
 * Returns an unsigned order ticket, which the element can read but every companion refuses. By
 * default, each ticket is for a new order, so that a test does not continue another test's
 * application.
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
