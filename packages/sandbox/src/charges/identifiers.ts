import { createHash } from 'node:crypto';
import type { EnvironmentName } from '../environments/environment.ts';

/** Returns an id in the form the service gives its own: 24 hexadecimal digits. */
function objectId(seed: string): string {
  return createHash('sha256').update(seed).digest('hex').slice(0, 24);
}

/** Returns the id of the one merchant of an environment. */
export function merchantIdOf(environment: EnvironmentName): string {
  return objectId(`merchant ${environment}`);
}

/** Returns the number that the service gives an order, whether the merchant named it or not. */
export function orderReferenceOf(chargeId: string): string {
  return String(
    1_000_000_000 + (Number.parseInt(objectId(`order ${chargeId}`).slice(0, 8), 16) % 9e9),
  );
}

/** Returns the approval code that a lender gives a charge or a transaction. */
export function approvalCodeOf(id: string): string {
  return String(100_000 + (Number.parseInt(objectId(`approval ${id}`).slice(0, 8), 16) % 900_000));
}
