import { fromMajorUnits, type Money, MoneyError } from '@financing-checkout/contract';
import { z } from 'zod';
import { amountSchema, idSchema, majorUnits, storableText } from './fields.ts';
import { primedSchema } from './prime.ts';
import { readApplicationStatus } from './vocabulary.ts';

/** An application without a cart, to be opened. */
export interface NewApplication {
  currency: string;
  /** Minor units. */
  requestedLoanAmount: number | undefined;
  correlationId: string;
}

/**
 * Returns the body of `POST /v3/session` for an application without a cart. No definition publishes
 * `POST /v1/checkout/prime`, so it is not used here.
 */
export function applyBody({ currency, requestedLoanAmount, correlationId }: NewApplication) {
  return {
    checkoutDetails: {
      currency,
      flowType: 'Apply',
      channel: 'E_COMMERCE',
      source: 'Api',
      correlationId,
      ...(requestedLoanAmount !== undefined && {
        requestedLoanAmount: majorUnits(requestedLoanAmount, currency),
      }),
    },
  };
}

/** The answer: without the application, its status could not be read. */
export const appliedSchema = primedSchema.extend({ applicationId: idSchema });
export type Applied = z.infer<typeof appliedSchema>;

/** What the service states of an application without a cart. */
export interface AppliedStatus {
  /** "Prequalified", "PendingLender", …; an open vocabulary. Undefined until it reaches a lender. */
  status: string | undefined;
  /** Whether the shopper has come to the end of the session. */
  isCompleted: boolean;
  /** Amounts in the major unit that a lender names: the account's available credit and the offers'. */
  amounts: readonly (number | string)[];
}

const amountsOf = amountSchema.nullish().catch(undefined);
const offerSchema = z.looseObject({ amount: amountsOf }).nullish().catch(undefined);

/** The answer to a status request, in an application without a cart (published contract, section 2). */
export const appliedStatusSchema = z
  .looseObject({
    // An answer without it comes from an intermediary.
    flowType: z.string().max(64),
    applicationStatus: storableText(64).min(1).nullish().catch(undefined),
    sessionStatus: z.string().max(64).nullish().catch(undefined),
    account: z
      .looseObject({ creditInfo: z.looseObject({ availableCredit: amountsOf }).nullish() })
      .nullish()
      .catch(undefined),
    confirmedOffer: offerSchema,
    offers: z.array(offerSchema).max(1_000).nullish().catch(undefined),
  })
  .transform((body): AppliedStatus => {
    const offers = [body.confirmedOffer, ...(body.offers ?? [])].map((offer) => offer?.amount);
    return {
      status: body.applicationStatus ? readApplicationStatus(body.applicationStatus) : undefined,
      isCompleted: body.sessionStatus?.toUpperCase() === 'COMPLETED',
      amounts: [body.account?.creditInfo?.availableCredit, ...offers].filter(
        (amount) => amount !== undefined && amount !== null,
      ),
    };
  });

/** The answer of `GET /v2/checkout/applications/{id}/token`; null where the session has ended. */
export const applicationTokenSchema = z.looseObject({
  sessionToken: storableText(2048).min(1).nullish(),
});

/** Returns the largest amount that `currency` can represent and that is more than zero. */
export function largestAmount({ amounts }: AppliedStatus, currency: string): Money | undefined {
  return amounts
    .flatMap((amount) => {
      try {
        return [fromMajorUnits(amount, currency)];
      } catch (error) {
        if (error instanceof MoneyError) return [];
        throw error;
      }
    })
    .filter(({ value }) => value > 0)
    .toSorted((left, right) => right.value - left.value)[0];
}
