import type { shareFilters } from '@financing-checkout/contract/reconciliation';
import { lenderNames, lenderOf } from '@financing-checkout/reconciliation-rules';
import type { z } from 'zod';
import type { Period, Span } from '../queries/basis/period.ts';
import { ProblemError } from '../platform/problem.ts';
import { claimFilter, discountFilter } from '../queries/money/lender-orders.ts';
import { knownLenders } from '../queries/basis/lenders.ts';
import { type DueDays, dueFilter } from '../queries/money/open-slots.ts';
import type { StatusFilter } from '../queries/orders/order-filter.ts';
import type { QueryContext } from '../queries/basis/reliability.ts';
import { checkedSpan } from './period.ts';

const LISTED = 20;

/**
 * Returns all names of a lender, given any of them.
 * @throws {ProblemError} `invalid-request` with the known names, if neither fundings nor the policy
 * contain the name
 */
export async function namesOfLender(
  ctx: QueryContext,
  lender: string | undefined,
): Promise<string[] | undefined> {
  if (lender === undefined) return undefined;
  const names = lenderNames(lender, ctx.policy);
  const known = await knownLenders(ctx);
  // The name cannot be checked before there are fundings.
  if (known.length === 0 || names.some((name) => known.includes(name))) return names;
  const listed = known.slice(0, LISTED).join(', ');
  const more = known.length > LISTED ? ` and ${known.length - LISTED} more` : '';
  throw new ProblemError('invalid-request', {
    errors: [{ path: 'lender', message: `is unknown; known values: ${listed}${more}` }],
  });
}

/**
 * Returns a request's filters as queries need them: with all names of the lender, and the moments
 * of the period.
 * @throws {ProblemError} `invalid-request` for an unknown lender or an empty period
 */
export async function selectedBy<Query extends Selection>(
  ctx: QueryContext,
  { begunTo, from, lender, to, ...filters }: Query,
  zone: string,
) {
  const span = checkedSpan({ from, to, zone });
  const begun = checkedSpan({ to: begunTo, zone });
  return { ...filters, ...span, begunTo: begun.to, lender: await namesOfLender(ctx, lender) };
}

/** The filters of a request that depend on the policy or on the zone of days. */
type Selection = Partial<Record<'begunTo' | 'from' | 'lender' | 'to', string | undefined>>;

/**
 * Returns the filter for a request's orders: by their own fields, and by their share of a total.
 * @throws {ProblemError} `invalid-request`, also for filters that contradict each other
 */
export async function ordersBy(
  ctx: QueryContext,
  {
    agreedFrom,
    claim,
    discount,
    due,
    lenderUnknown,
    productType,
    promoCode,
    ...query
  }: OrdersQuery,
  zone: string,
): Promise<StatusFilter> {
  const { step, verdict, ...own } = query;
  const selection = await selectedBy(ctx, own, zone);
  const lender = query.lender && lenderOf(query.lender, ctx.policy);
  const row = { agreedFrom, productType, promoCode };
  const share = { ...row, claim, discount, due, lender, lenderUnknown, step, verdict };
  return {
    ...selection,
    step: step && { name: step, lender },
    selected: await selectedOf(ctx, share, selection),
  };
}

/**
 * Returns the filter for orders with due settles, with fundings that have a status, or with
 * fundings in a row of the discount audit.
 * @param span the period of the fundings
 * @throws {ProblemError} `invalid-request` for filters that contradict each other
 */
async function selectedOf(
  ctx: QueryContext,
  { claim, verdict, due, step, lender, lenderUnknown, discount, ...row }: ShareQuery,
  span: Span,
): Promise<StatusFilter['selected']> {
  const problem = (path: string, message: string) =>
    new ProblemError('invalid-request', { errors: [{ path, message }] });
  if (claim === undefined && verdict !== undefined) throw problem('verdict', 'requires `claim`');
  const ofRow = rowNames.find((name) => row[name] !== undefined);
  if (discount === undefined && ofRow !== undefined) throw problem(ofRow, 'requires `discount`');
  if (due === undefined && lenderUnknown !== undefined) {
    throw problem('lenderUnknown', 'requires `due`');
  }
  if (claim !== undefined) {
    if (step !== undefined) throw problem('step', 'is not allowed together with `claim`');
    if (due !== undefined) throw problem('due', 'is not allowed together with `claim`');
    if (discount !== undefined) {
      throw problem('discount', 'is not allowed together with `claim`');
    }
    return claimFilter({ status: claim, verdict, lender, span });
  }
  if (discount !== undefined) {
    if (step !== undefined) throw problem('step', 'is not allowed together with `discount`');
    if (due !== undefined) throw problem('due', 'is not allowed together with `discount`');
    const { productType, promoCode, agreedFrom } = row;
    return discountFilter({ part: discount, lender, productType, promoCode, agreedFrom, span });
  }
  if (due === undefined) return undefined;
  if (step !== undefined) throw problem('step', 'is not allowed together with `due`');
  const [from = '', to = from] = due.split('..');
  const days: DueDays = due === 'late' ? due : { from, to };
  if (lenderUnknown !== true) return dueFilter(ctx, days, lender);
  if (lender === undefined) return dueFilter(ctx, days, null);
  throw problem('lender', 'is not allowed together with `lenderUnknown`');
}

/** Fields that identify a row of the discount audit. */
const rowNames = ['productType', 'promoCode', 'agreedFrom'] as const;

type ShareQuery = Partial<z.output<z.ZodObject<typeof shareFilters>>> & {
  lender?: string | undefined;
};

type OrdersQuery = ShareQuery &
  Pick<Period, 'from' | 'to'> &
  Omit<StatusFilter, 'from' | 'lender' | 'orderKeys' | 'selected' | 'step' | 'to'>;
