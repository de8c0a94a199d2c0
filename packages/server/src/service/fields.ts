import { toMajorUnits } from '@financing-checkout/contract/money';
import { z } from 'zod';
import { isKeepableText } from '../platform/store-errors.ts';

/**
 * Text from a response that the companion stores or sends back in a lookup. A response counts as
 * unreadable if its text cannot be stored in every supported database.
 */
export const storableText = (max: number) => z.string().max(max).refine(isKeepableText);

export const idSchema = storableText(256).min(1);

/** An optional id: an unusable one counts as missing. */
export const optionalIdSchema = storableText(256).optional().catch(undefined);

/** Optional text: an unusable one counts as missing. */
export const optionalText = (max: number) =>
  storableText(max)
    .min(1)
    .nullish()
    .catch(undefined)
    .transform((text) => text ?? undefined);

export const amountSchema = z.union([z.number(), z.string().max(40)]);

/**
 * Converts minor units to the service's format for money: exact major units (contract:
 * MAX_MINOR_UNITS).
 */
export function majorUnits(value: number, currency: string): number {
  return Number(toMajorUnits({ value, currency }));
}
