import { z } from 'zod';

const isoMoment = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: 'must be an ISO 8601 date or date-time',
});
/** "false" is false: a coerced boolean would make it true. */
const flag = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }).default(false);
const window = { from: isoMoment.optional(), to: isoMoment.optional(), showMissing: flag };

export const reportQuery = z.strictObject(window);
export const recordsQuery = z.strictObject({
  ...window,
  version: z.enum(['1', '2'], { error: 'must be 1 or 2' }).default('2'),
});
export const checkoutsQuery = z.strictObject({ merchantOrderId: z.string().min(1).max(256) });
