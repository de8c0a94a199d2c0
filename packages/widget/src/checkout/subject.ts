import type { Attributes } from '../companion/configuration.ts';
import { readTicket } from '../companion/ticket.ts';
import { isObject } from '../platform/object.ts';

/**
 * Returns what an outcome is for: the setup, and all that the ticket says about its order. The sequence
 * of members, and the times and marks of one signature, do not count. Another text stands for itself.
 * @param isStale whether the ticket has expired: then only a new ticket replaces it
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
