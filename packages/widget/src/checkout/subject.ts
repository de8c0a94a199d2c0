import type { Attributes } from '../companion/configuration.ts';
import { readTicket } from '../companion/ticket.ts';
import { isObject } from '../platform/object.ts';

/**
 * Returns a key for the setup and order to which an outcome belongs. The key ignores the order of
 * the ticket's members and everything that differs between two signatures of one order. A text that
 * is not a ticket is its own key.
 * @param isStale whether the ticket has expired; if so, only a new ticket replaces it
 */
export function subjectOf(
  { companion, environment, order, publicKey }: Attributes,
  isStale: boolean,
): string {
  const claims = isStale ? undefined : readTicket(order);
  const marks = { issuedAt: 0, expiresAt: 0, tags: 0, correlationId: 0 };
  const content = claims ? { ...claims, ...marks } : order;
  return JSON.stringify([companion, environment, publicKey, content], (_, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
  );
}
