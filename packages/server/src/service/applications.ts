import { z } from 'zod';
import { keptText } from './kept-text.ts';

const optional = (max: number) => keptText(max).min(1).nullish().catch(undefined);

/** An application at the service, as far as the companion uses it. */
export interface Application {
  /**
   * "Approved", "PendingLender", …; an open vocabulary. Undefined until the shopper has chosen a
   * lender.
   */
  status: string | undefined;
  /** Makes the charge, once. Present from the confirmation of an offer on. */
  confirmationToken: string | undefined;
  /** Kind of financing of the confirmed offer: "LeaseToOwn", …; an open vocabulary. */
  financialProductType: string | undefined;
}

const statuses = [
  'New',
  'Prequalified',
  'CheckoutInProgress',
  'PendingConsumer',
  'PendingLender',
  'PendingMerchant',
  'Approved',
  'Authorized',
  'Declined',
  'Expired',
  'Cancelled',
];
const folded = (word: string) => word.replace(/[_\- ]/g, '').toLowerCase();
const statusOf = new Map(statuses.map((status) => [folded(status), status] as const));

/**
 * Answer of an application's status (reference: Checkout Management, status of an application). It
 * has neither `status` nor `state`.
 */
export const applicationSchema = z
  .looseObject({
    // Without it, this is the answer of something in between.
    flowType: z.string().max(64),
    applicationStatus: optional(64),
    confirmationToken: optional(2048),
    confirmedOffer: z
      .looseObject({ financialProductType: optional(64) })
      .nullish()
      .catch(undefined),
  })
  .transform((body): Application => {
    const status = body.applicationStatus ?? undefined;
    return {
      status: status === undefined ? undefined : (statusOf.get(folded(status)) ?? status),
      confirmationToken: body.confirmationToken ?? undefined,
      financialProductType: body.confirmedOffer?.financialProductType ?? undefined,
    };
  });
