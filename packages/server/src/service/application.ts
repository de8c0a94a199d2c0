import { fromMajorUnits, type Money, MoneyError } from '@financing-checkout/contract/money';
import { z } from 'zod';
import { amountSchema, idSchema, majorUnits, optionalText, storableText } from './fields.ts';
import { primedSchema } from './prime.ts';
import { readApplicationStatus } from './vocabulary.ts';

/** The subset of an application's fields that the companion uses. */
export interface Application {
  /**
   * "Approved", "PendingLender", …; an open vocabulary. Undefined until the shopper chooses a
   * lender.
   */
  status: string | undefined;
  /** Authorizes one charge. Present once the shopper has confirmed an offer. */
  confirmationToken?: string;
  /** Financing type of the confirmed offer: "LeaseToOwn", …; an open vocabulary. */
  financialProductType?: string;
}

/** Fields of every status response, including those that have neither `status` nor `state`. */
const statusFields = {
  // A response without this field comes from an intermediary.
  flowType: z.string().max(64),
  applicationStatus: optionalText(64).transform((word) => word && readApplicationStatus(word)),
};

/** The status response (reference: Checkout Management, status of an application). */
export const applicationSchema = z
  .looseObject({
    ...statusFields,
    confirmationToken: optionalText(2048),
    confirmedOffer: z
      .looseObject({ financialProductType: optionalText(64) })
      .nullish()
      .catch(undefined),
  })
  .transform(({ applicationStatus, confirmationToken, confirmedOffer }): Application => ({
    status: applicationStatus,
    confirmationToken,
    financialProductType: confirmedOffer?.financialProductType,
  }));

/** States in which the shopper has confirmed an offer. */
const confirmedStates = new Set(['Approved', 'Authorized']);
const endStates = new Set(['Declined', 'Expired', 'Cancelled']);
const shopperStates = new Set(['New', 'CheckoutInProgress', 'Prequalified']);

/** Returns whether an application has ended without a loan. */
export function hasEnded({ status }: Application): boolean {
  return status !== undefined && endStates.has(status);
}

export function waitsForShopper({ status, confirmationToken }: Application): boolean {
  return confirmationToken === undefined && status !== undefined && shopperStates.has(status);
}

export function isConfirmed(application: Application): boolean {
  const { status, confirmationToken } = application;
  if (hasEnded(application)) return false;
  return confirmationToken !== undefined || (status !== undefined && confirmedStates.has(status));
}

/**
 * Returns whether an application waits for a lender, or for documents that the shopper sends later.
 */
export function isPending({ status }: Application): boolean {
  return status?.startsWith('Pending') ?? false;
}

export interface NewApplication {
  currency: string;
  /** In minor units. */
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
      requestedLoanAmount:
        requestedLoanAmount === undefined ? undefined : majorUnits(requestedLoanAmount, currency),
    },
  };
}

/**
 * The response. The application id is required, because the status could not be read without it.
 */
export const appliedSchema = primedSchema.extend({ applicationId: idSchema });

/** The status of an application without a cart. */
export interface AppliedStatus {
  /**
   * "Prequalified", "PendingLender", …; an open vocabulary. Undefined until it reaches a lender.
   */
  status: string | undefined;
  /** Whether the shopper has reached the end of the session. */
  isCompleted: boolean;
  /**
   * Amounts stated by a lender, in major units: the available credit of the account and the amounts
   * of the offers.
   */
  amounts: readonly (number | string)[];
}

const amountsOf = amountSchema.nullish().catch(undefined);
const offerSchema = z.looseObject({ amount: amountsOf }).nullish().catch(undefined);

/** The status response for an application without a cart (published contract, section 2). */
export const appliedStatusSchema = z
  .looseObject({
    ...statusFields,
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
      status: body.applicationStatus,
      isCompleted: body.sessionStatus?.toUpperCase() === 'COMPLETED',
      amounts: [body.account?.creditInfo?.availableCredit, ...offers].filter(
        (amount) => amount !== undefined && amount !== null,
      ),
    };
  });

/** The response to `GET /v2/checkout/applications/{id}/token`; null if the session has ended. */
export const applicationTokenSchema = z.looseObject({
  sessionToken: storableText(2048).min(1).nullish(),
});

/** Returns the largest positive amount that `currency` can represent. */
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
