import { z } from 'zod';
import { offersFor } from '../checkout/offers.ts';
import { readSession } from '../checkout/session.ts';
import type { Lender } from '../lenders/lenders.ts';
import { toMinorUnits } from '../platform/money.ts';
import { ServiceError } from '../platform/service-error.ts';
import type { Service } from '../service.ts';
import { formatFor } from './views/format.ts';

/** Maximum number of widgets in one request. */
const MAX_ITEMS = 500;

const request = z.object({
  key: z.string().max(4096),
  items: z
    .array(
      z.object({
        /** Null if the markup has no number. */
        price: z.number().nullable(),
        type: z.string().max(256),
        profileId: z.string().max(256),
      }),
    )
    .max(MAX_ITEMS),
});
type Item = z.output<typeof request>['items'][number];

/** The currency of every promotion, because the markup specifies none. */
const CURRENCY = 'USD';

/**
 * Returns a lender's text for each widget, or null where none is shown: for an invalid price, or
 * one below the lender's minimum.
 */
export function promotionsFor(body: unknown, { keys, lenders }: Service): (string | null)[] {
  const read = request.safeParse(body);
  if (!read.success) return [];
  const key = keys.identify(read.data.key);
  if (key?.kind !== 'public' || key.slot === 'outdated') return [];
  const all = lenders.list();
  return read.data.items.map((item) => promotionOf(item, all));
}

function promotionOf({ price, type, profileId }: Item, all: readonly Lender[]): string | null {
  if (price === null) return null;
  const isMeant = ({ id, offer, promotedFrom }: Lender) =>
    price >= promotedFrom &&
    (profileId === '' || profileId === id) &&
    (!type.startsWith('line-of-credit') || offer.productType === 'LineOfCredit');
  const session = sessionOf(price);
  const [offer] = session ? offersFor(session, all.filter(isMeant)) : [];
  if (!offer) return null;
  const { money, percent } = formatFor('en-US', CURRENCY);
  const { payment, months, aprBasisPoints, total, lenderName, productType } = offer;
  const rate = productType === 'LeaseToOwn' ? 'Lease to own' : `${percent(aprBasisPoints)} APR`;
  return (
    `${money(payment)} a month for ${months} months with ${lenderName}. ` +
    `${rate}, total ${money(total)}.`
  );
}

function sessionOf(price: number) {
  if (typeof toMinorUnits(price, CURRENCY) === 'string') return undefined;
  try {
    const checkoutDetails = { flowType: 'Apply', currency: CURRENCY, requestedLoanAmount: price };
    return readSession({ checkoutDetails });
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
