import { errorCodes, invalidFields, ServiceError } from '../platform/service-error.ts';
import type { ChargeBalance, Refusal, Transaction } from './charge.ts';

export function chargeNotFound(): ServiceError {
  return new ServiceError(400, errorCodes.chargeNotFound, 'charge not found');
}

export function notPermitted(reason: string): ServiceError {
  return new ServiceError(400, errorCodes.notPermitted, reason);
}

/** Returns the transaction that a lookup found. @throws {ServiceError} 404 if it found none */
export function existing(transaction: Transaction | undefined): Transaction {
  if (transaction) return transaction;
  throw new ServiceError(404, errorCodes.notFound, 'No transaction has this id.');
}

/** Returns the balance after an operation. @throws {ServiceError} 400 code 2006, or 422 */
export function permitted(outcome: ChargeBalance | Refusal): ChargeBalance {
  if (!('refused' in outcome)) return outcome;
  if (outcome.refused === 'amount') {
    throw invalidFields([{ field: 'amount', error: outcome.reason }]);
  }
  throw notPermitted(outcome.reason);
}
