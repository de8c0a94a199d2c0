import type { WalkAmount } from '@financing-checkout/contract/reconciliation';
import { lenderNames, lenderOf } from '@financing-checkout/reconciliation-rules';
import type { Span } from '../queries/basis/period.ts';
import { ProblemError } from '../platform/problem.ts';
import { claimFilter, discountFilter } from '../queries/money/lender-orders.ts';
import { knownLenders } from '../queries/basis/lenders.ts';
import { type DueDays, dueFilter } from '../queries/money/open-slots.ts';
import type { StatusFilter } from '../queries/orders/order-filter.ts';
import type { QueryContext } from '../queries/basis/reliability.ts';

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
 * Returns the filter for orders that contribute to an amount of the walk, given any of a lender's
 * names.
 */
export function stepOf(
  { policy }: QueryContext,
  name: WalkAmount | undefined,
  lender: string | undefined,
): StatusFilter['step'] {
  return name && { name, lender: lender === undefined ? undefined : lenderOf(lender, policy) };
}

/**
 * Returns the filter for orders with due settles, with fundings that have a status, or with
 * fundings in a row of the discount audit, given any of a lender's names.
 * @param span the period of the fundings
 * @throws {ProblemError} `invalid-request` for filters that contradict each other
 */
export async function selectedOf(
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
    const name = lender && lenderOf(lender, ctx.policy);
    return claimFilter({ status: claim, verdict, lender: name, span });
  }
  if (discount !== undefined) {
    if (step !== undefined) throw problem('step', 'is not allowed together with `discount`');
    if (due !== undefined) throw problem('due', 'is not allowed together with `discount`');
    const { productType, promoCode, agreedFrom } = row;
    const name = lender && lenderOf(lender, ctx.policy);
    return discountFilter({
      part: discount,
      lender: name,
      productType,
      promoCode,
      agreedFrom,
      span,
    });
  }
  if (due === undefined) return undefined;
  if (step !== undefined) throw problem('step', 'is not allowed together with `due`');
  const [from = '', to = from] = due.split('..');
  const days: DueDays = due === 'late' ? due : { from, to };
  if (lenderUnknown !== true) return dueFilter(ctx, days, lender && lenderOf(lender, ctx.policy));
  if (lender === undefined) return dueFilter(ctx, days, null);
  throw problem('lender', 'is not allowed together with `lenderUnknown`');
}

/** Fields that identify a row of the discount audit. */
const rowNames = ['productType', 'promoCode', 'agreedFrom'] as const;

interface ShareQuery {
  /** The side of the discount audit. The next three fields select the row. */
  discount?: 'settles' | 'refunds' | undefined;
  productType?: string | undefined;
  promoCode?: string | undefined;
  agreedFrom?: number | undefined;
  /** A status that the service reports. */
  claim?: string | undefined;
  verdict?: 'right' | 'wrong' | undefined;
  /** `late`, a day, or two days separated by two dots. */
  due?: string | undefined;
  step?: WalkAmount | undefined;
  lender?: string | undefined;
  lenderUnknown?: boolean | undefined;
}
