import { z } from 'zod';
import { readMoment } from '../money/days.ts';
import type { Filter, Filters } from './filters.ts';

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
/** A day, or a moment with or without its offset. */
export const moment = z.string().refine((text) => readMoment(text) !== undefined, {
  error: 'must be an ISO 8601 date or date-time',
});
export const name = z.string().min(1).max(256);
export const currencyCode = z.string().regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code');
export const yesNo = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] });
export const switched = yesNo.default(false);

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

type Value<One extends Filter> = One extends { is: 'oneOf'; of: readonly (infer Word)[] }
  ? Word
  : One['is'] extends 'least' | 'under'
    ? number
    : One['is'] extends 'either' | 'only'
      ? boolean
      : string;

function schemaOf(filter: Filter): z.ZodType {
  switch (filter.is) {
    case 'oneOf':
      return oneOf(filter.of);
    case 'least':
    case 'under':
      return count(0, filter.most);
    case 'currency':
      return currencyCode;
    case 'from':
    case 'to':
      return moment;
    case 'either':
    case 'only':
      return yesNo;
    case 'lender':
    case 'name':
      return name;
  }
}

/** Returns the query parameters of filters. */
export function parametersOf<const Declared extends Filters>(filters: Declared) {
  const parameters = Object.entries(filters).map(([name, filter]) => [
    name,
    schemaOf(filter).optional(),
  ]);
  return Object.fromEntries(parameters) as {
    -readonly [Name in keyof Declared]: z.ZodOptional<z.ZodType<Value<Declared[Name]>, string>>;
  };
}
