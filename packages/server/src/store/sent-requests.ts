import type { ChargeOperationKind } from '@financing-checkout/contract/back-office';
import type { Environment } from '@financing-checkout/contract/storefront';

/** A request that moves money and that this process recorded before sending it. */
export interface SentRequest {
  /** Id of the attempt that creates a charge, or of the operation on a charge. */
  id: string;
  kind: 'charge' | ChargeOperationKind;
  environment: Environment;
  merchantOrderId: string;
  merchantTransactionId: string;
  sentAt: number;
}

const REMEMBERED = 10_000;

export type SentRequests = ReturnType<typeof sentRequests>;

/**
 * Remembers the last requests of this process: after a promotion they show which records are no
 * longer in the store.
 */
export function sentRequests() {
  const all = new Map<string, SentRequest>();
  return {
    add(request: SentRequest): void {
      all.set(request.id, request);
      const [oldest] = all.keys();
      if (all.size > REMEMBERED && oldest !== undefined) all.delete(oldest);
    },
    all: (): SentRequest[] => [...all.values()],
    forget: (id: string): void => void all.delete(id),
  };
}
