import { createHash } from 'node:crypto';
import type { EnvironmentName } from '../environments/environment.ts';

/** Returns an id in the service's format: 24 hexadecimal digits. */
function objectId(seed: string): string {
  return createHash('sha256').update(seed).digest('hex').slice(0, 24);
}

export function merchantIdOf(environment: EnvironmentName): string {
  return objectId(`merchant ${environment}`);
}

/** Returns the service's own number of an order. */
export function orderReferenceOf(chargeId: string): string {
  return String(
    1_000_000_000 + (Number.parseInt(objectId(`order ${chargeId}`).slice(0, 8), 16) % 9e9),
  );
}

/** Returns the lender's approval code for a charge or a transaction. */
export function approvalCodeOf(id: string): string {
  return String(100_000 + (Number.parseInt(objectId(`approval ${id}`).slice(0, 8), 16) % 900_000));
}
