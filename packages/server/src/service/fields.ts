import { toMajorUnits } from '@financing-checkout/contract';
import { z } from 'zod';
import { isKeepableText } from '../store/keepable-text.ts';

/**
 * Text of an answer that the companion stores or sends back in a lookup. An answer whose text no
 * database can store counts as unreadable.
 */
export const storableText = (max: number) => z.string().max(max).refine(isKeepableText);

export const idSchema = storableText(256).min(1);

/** An id that the companion can do without: an unusable one counts as missing. */
export const optionalIdSchema = storableText(256).optional().catch(undefined);

/** Text that the companion can do without: an unusable one counts as missing. */
export const optionalText = (max: number) =>
  storableText(max)
    .min(1)
    .nullish()
    .catch(undefined)
    .transform((text) => text ?? undefined);

/** A decimal number in the major unit, as a JSON number or text. */
export const amountSchema = z.union([z.number(), z.string().max(40)]);

/** Returns minor units as the service writes money: major units, exact (contract: MAX_MINOR_UNITS). */
export function majorUnits(value: number, currency: string): number {
  return Number(toMajorUnits({ value, currency }));
}
