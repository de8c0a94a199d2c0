import { z } from 'zod';
import { storableText } from './fields.ts';
import { readApplicationStatus } from './vocabulary.ts';

const optional = (max: number) => storableText(max).min(1).nullish().catch(undefined);

/** The fields of an application that the companion uses. */
export interface Application {
  /** "Approved", "PendingLender", …; an open vocabulary. Undefined until the shopper chooses a lender. */
  status: string | undefined;
  /** Authorizes one charge. Present once the shopper has confirmed an offer. */
  confirmationToken: string | undefined;
  /** Kind of financing of the confirmed offer: "LeaseToOwn", …; an open vocabulary. */
  financialProductType: string | undefined;
}

/**
 * The answer to a status request for an application (reference: Checkout Management, status of an
 * application). It has neither `status` nor `state`.
 */
export const applicationSchema = z
  .looseObject({
    // An answer without it comes from an intermediary.
    flowType: z.string().max(64),
    applicationStatus: optional(64),
    confirmationToken: optional(2048),
    confirmedOffer: z
      .looseObject({ financialProductType: optional(64) })
      .nullish()
      .catch(undefined),
  })
  .transform(({ applicationStatus, confirmationToken, confirmedOffer }): Application => ({
    status: applicationStatus ? readApplicationStatus(applicationStatus) : undefined,
    confirmationToken: confirmationToken ?? undefined,
    financialProductType: confirmedOffer?.financialProductType ?? undefined,
  }));

/** States in which the shopper has confirmed an offer. */
const confirmedStates = new Set(['Approved', 'Authorized']);
const endStates = new Set(['Declined', 'Expired', 'Cancelled']);
const shopperStates = new Set(['New', 'CheckoutInProgress', 'Prequalified']);

/** Returns whether an application has ended without a loan. */
export function hasEnded({ status }: Application): boolean {
  return status !== undefined && endStates.has(status);
}

/** Returns whether an application waits for the shopper. */
export function waitsForShopper({ status, confirmationToken }: Application): boolean {
  return confirmationToken === undefined && status !== undefined && shopperStates.has(status);
}

/** Returns whether the shopper has confirmed an offer. */
export function isConfirmed(application: Application): boolean {
  const { status, confirmationToken } = application;
  if (hasEnded(application)) return false;
  return confirmationToken !== undefined || (status !== undefined && confirmedStates.has(status));
}

/** Returns whether an application waits for a lender, or for documents that the shopper sends later. */
export function isPending({ status }: Application): boolean {
  return status?.startsWith('Pending') ?? false;
}
