import { createHash, randomUUID } from 'node:crypto';
import { errorCodes, ServiceError } from '../platform/service-error.ts';
import type { Behavior } from '../state/behavior.ts';
import type { Application } from '../checkout/application.ts';
import type { Applications } from '../checkout/applications.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { Lenders } from '../lenders/terms.ts';
import { noSums, type Charge, type Transaction } from './charge.ts';

export interface ChargeRequest {
  confirmationToken: string;
  merchantOrderId?: string | undefined;
  /** Id of the authorization; it makes the creation idempotent. */
  merchantTransactionId?: string | undefined;
  tags?: Record<string, string> | undefined;
}

/** A charge with the transactions that were created with it. */
export interface CreatedCharge {
  charge: Charge;
  authorization: Transaction;
  /** The settle that was requested with the charge. */
  settle: Transaction | undefined;
  /** Whether the charge existed before the request. */
  isOriginal: boolean;
}

/** Last name on the application that makes the settle of `?settle=true` fail (status 202). */
const SETTLE_FAILS = 'settlefails';

/** Whether the lender rejects the settle that is requested with the charge. */
export function refusesSettle({ applicant }: Application): boolean {
  return applicant.lastName.trim().toLowerCase() === SETTLE_FAILS;
}

/**
 * Finds the application for a confirmation token.
 * @throws {ServiceError} 404, or 400 code 2004, for an unknown token; 400 code 2002 for a used one
 */
export function confirmedApplication(
  applications: Applications,
  environment: EnvironmentName,
  token: string,
  { unknownConfirmation }: Behavior,
): Application {
  const application = applications.byConfirmationToken(environment, token);
  if (!application) {
    const status = unknownConfirmation === 'not-found' ? 404 : 400;
    throw new ServiceError(status, errorCodes.confirmationNotFound, 'confirmation not found');
  }
  if (application.state === 'Authorized') {
    const description = 'charge already has assigned confirmation';
    throw new ServiceError(400, errorCodes.alreadyConfirmed, description);
  }
  return application;
}

/** Creates the charge of a confirmed offer, authorized at `now`. */
export function newCharge(
  application: Application,
  request: ChargeRequest,
  lenders: Lenders,
  now: number,
): Charge {
  const { session } = application;
  const offer = application.offers.find(({ code }) => code === application.offerCode);
  if (!offer) throw new Error('A confirmed application has no offer.');
  const id = randomUUID();
  // Without a merchant order id, the charge gets the service's own order number.
  const named = [request.merchantOrderId, session.merchantOrderId].find(Boolean);
  return {
    id,
    environment: application.environment,
    applicationId: application.id,
    merchantOrderId: named ?? orderReferenceOf(id),
    channel: session.channel ?? 'E_COMMERCE',
    storeId: session.storeId ?? null,
    settleId: null,
    state: 'Authorized',
    currency: session.currency,
    total: offer.amount,
    ...noSums,
    lenderId: offer.lenderId,
    discountBasisPoints: lenders.byId(offer.lenderId).discountBasisPoints,
    productType: offer.productType,
    promoCode: session.promoCode ?? null,
    tags: request.tags ?? {},
    createdAt: now,
    updatedAt: now,
  };
}

/** Returns an id in the service's format: 24 hexadecimal digits. */
function objectId(seed: string): string {
  return createHash('sha256').update(seed).digest('hex').slice(0, 24);
}

export function merchantIdOf(environment: EnvironmentName): string {
  return objectId(`merchant ${environment}`);
}

/** Returns the service's own order number. */
export function orderReferenceOf(chargeId: string): string {
  return String(
    1_000_000_000 + (Number.parseInt(objectId(`order ${chargeId}`).slice(0, 8), 16) % 9e9),
  );
}

/** Returns the lender's approval code for a charge or a transaction. */
export function approvalCodeOf(id: string): string {
  return String(100_000 + (Number.parseInt(objectId(`approval ${id}`).slice(0, 8), 16) % 900_000));
}
