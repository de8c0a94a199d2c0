import { z } from 'zod';

export const isoMoment = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: 'must be an ISO 8601 date or date-time',
});

/** Query parameters of a period, both ends included. */
export const period = { from: isoMoment.optional(), to: isoMoment.optional() };

interface Period {
  from?: string | undefined;
  to?: string | undefined;
}

/** Refuses a period that ends before it begins: an empty result would look as if nothing had happened. */
export const isInOrder = ({ from, to }: Period): boolean =>
  from === undefined || to === undefined || Date.parse(from) <= Date.parse(to);
export const inOrder = { path: ['to'], error: 'must not be before "from"' };

const DAY_MS = 86_400_000;

/** A period in milliseconds since 1970; `to` is exclusive. */
export interface Span {
  from: number | undefined;
  to: number | undefined;
}

/** Returns the span of a period. A day is a day in UTC, as in all of the companion's answers. */
export function spanOf({ from, to }: Period): Span {
  return {
    from: from === undefined ? undefined : Date.parse(from),
    to:
      to === undefined
        ? undefined
        : Date.parse(to) + (z.iso.date().safeParse(to).success ? DAY_MS : 1),
  };
}
