import type { z } from 'zod';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { type MonthsPart, monthsUntil } from '../queries/money.ts';
import type { QueryContext } from '../queries/reliability.ts';
import { namesOfLender } from './lender.ts';
import type { walkMonthsQuery } from './queries.ts';

/** A year and the month before it. */
const USUAL_MONTHS = 13;

type Wanted = Omit<z.infer<typeof walkMonthsQuery>, 'zone'> & { zone?: string | undefined };

/**
 * Returns the months of a request, for any name of a lender.
 * @throws {ProblemError} `invalid-request` for an unknown lender
 */
export async function wantedMonths(
  context: QueryContext,
  { currency, lender, months = USUAL_MONTHS, until, zone }: Wanted,
  usualZone: string,
): Promise<MonthsPart> {
  const days = new Calendar(zone ?? usualZone);
  const last = until ?? days.dayOf(context.clock.now()).slice(0, 'YYYY-MM'.length);
  const lenders = await namesOfLender(context, lender);
  return { currency, lender, lenders, months: monthsUntil(last, months), zone: zone ?? usualZone };
}
