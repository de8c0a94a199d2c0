import { z } from 'zod';

/** A trimmed string of 1 to `max` characters. */
export const text = (max: number) => z.string().trim().min(1).max(max);
