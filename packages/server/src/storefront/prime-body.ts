import {
  checkFields,
  describeFields,
  type PrimeRequest,
  primeRequestSchema,
  shownMessageSchema,
} from '@financing-checkout/contract/storefront';
import { z } from 'zod';
import type { Logger } from '../platform/logger.ts';

export const lenientPrimeSchema = primeRequestSchema.extend({ shown: z.unknown().optional() });

/**
 * Returns the body of a prime. An invalid report of the message that a page showed must never block
 * a purchase: it is logged and omitted.
 */
export function withReadableMessage(
  { shown, ...body }: z.infer<typeof lenientPrimeSchema>,
  requestId: string,
  logger: Logger,
): PrimeRequest {
  if (shown === undefined) return body;
  const checked = checkFields(shownMessageSchema, shown);
  if (checked.success) return { ...body, shown: checked.data };
  logger.log('warn', 'shown-message-refused', {
    requestId,
    detail: describeFields(checked.errors),
  });
  return body;
}
