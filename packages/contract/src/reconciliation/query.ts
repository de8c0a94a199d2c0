import { z } from 'zod';

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });

export const count = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be an integer')
    .transform(Number)
    .refine((value) => value >= least && value <= most, {
      error: `must be ${least} to ${most}`,
    });

export const day = z.iso.date({ error: 'must be a day, such as 2026-01-31' });
export const name = z.string().min(1).max(256);
export const currencyCode = z.string().regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code');
export const switched = z
  .stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] })
  .default(false);

/** The `next` value of the previous page, which is opaque to clients. */
export const cursor = z.string().max(4_096).optional();
export const listed = count(1, 1_000).default(200);

/** First and last day, both included. */
export const days = { from: day.optional(), to: day.optional() };
/** Descriptions of the options for {@link days}. */
export const dayFlags = (from: string, to = 'days are in RECONCILIATION_ZONE') => ({
  from: `--from <day>  begin of the period: ${from}`,
  to: `--to <day>  end of the period, included: ${to}`,
});
/** Filters for the fundings in a sum. `lender` accepts all names of a lender. */
export const part = { currency: currencyCode.optional(), lender: name.optional(), ...days };
/** Descriptions of the options for the days of {@link part}. */
export const partFlags = dayFlags(
  'first day, such as 2026-01-01; without it from the beginning',
  'last day',
);
/** A query without parameters. */
export const noQuery = z.strictObject({});
