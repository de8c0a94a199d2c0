import { z } from 'zod';

const isoMoment = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: 'must be an ISO 8601 date or date-time',
});
/** "false" is false: a coerced boolean would make it true. */
const flag = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }).default(false);
const window = { from: isoMoment.optional(), to: isoMoment.optional(), showMissing: flag };

/** Both ends count. That nothing was funded at no time at all would be taken for an answer. */
const isInOrder = ({ from, to }: { from?: string | undefined; to?: string | undefined }) =>
  from === undefined || to === undefined || Date.parse(from) <= Date.parse(to);
const inOrder = { path: ['to'], error: 'must not be before "from"' };

export const reportQuery = z.strictObject(window).refine(isInOrder, inOrder);
export const recordsQuery = z
  .strictObject({
    ...window,
    version: z.enum(['1', '2'], { error: 'must be 1 or 2' }).default('2'),
  })
  .refine(isInOrder, inOrder);
const wholeNumber = (most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value <= most, { error: `must be at most ${most}` });

export const pagesQuery = z
  .strictObject({
    operation: z.enum(['report', 'records-v1', 'records-v2']).default('report'),
    from: isoMoment,
    to: isoMoment,
    offset: wholeNumber(999_999_999).default(0),
    limit: wholeNumber(20_000).default(1_000),
  })
  .refine(isInOrder, inOrder);
export const checkoutsQuery = z.strictObject({
  merchantOrderId: z.string().min(1).max(256),
  /** The `next` of the page before. */
  after: z
    .string()
    .regex(/^chk_[\w-]{1,64}$/, 'must be the "next" of another page')
    .optional(),
});
