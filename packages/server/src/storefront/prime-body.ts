import {
  checkFields,
  describeFields,
  type PrimeRequest,
  primeRequestSchema,
  shownMessageSchema,
} from '@financing-checkout/contract';
import type { Context } from 'hono';
import { z } from 'zod';
import { parseBody } from '../platform/http/parse.ts';
import type { Env } from '../platform/http/requests.ts';
import type { Logger } from '../platform/logger.ts';

const lenientSchema = primeRequestSchema.extend({ shown: z.unknown().optional() });

/**
 * Parses the body of a prime. A message that the page reports as shown never refuses a purchase: one that
 * cannot be read is logged and left out.
 */
export function parsePrime(c: Context<Env>, logger: Logger): PrimeRequest {
  const { shown, ...body } = parseBody(c, lenientSchema);
  if (shown === undefined) return body;
  const checked = checkFields(shownMessageSchema, shown);
  if (checked.success) return { ...body, shown: checked.data };
  const requestId = c.get('requestId');
  logger.log('warn', 'shown-message-refused', {
    requestId,
    detail: describeFields(checked.errors),
  });
  return body;
}
