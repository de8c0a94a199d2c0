import {
  orderStatusesSchema,
  syncSchema,
  syncsSchema,
} from '@financing-checkout/contract/reconciliation';
import type { FundingSync, OrderStatusRecord } from '@financing-checkout/contract/reconciliation';
import { createAsk } from '../ask.ts';
import type { AskOptions } from '../ask.ts';

/** Client for the reconciliation program (`financing-reconcile serve`). */
export interface Reconciler {
  /** Returns whether lenders paid for these orders. @throws {AskError} */
  statuses(merchantOrderIds: readonly string[]): Promise<OrderStatusRecord[]>;
  /** Returns the last time that fundings were read. @throws {AskError} */
  lastSync(): Promise<FundingSync | undefined>;
  /** Starts a sync of the fundings from the first to the last day, inclusive. @throws {AskError} */
  sync(from: string, to: string): Promise<void>;
}

/** Maximum number of orders in one request. */
const ASKED = 100;

/** Returns a client that calls reconciliation over HTTP, inside the merchant's network. */
export function createReconciler(options: Omit<AskOptions, 'name' | 'tokenVariable'>): Reconciler {
  const ask = createAsk({
    ...options,
    name: 'Reconciliation',
    tokenVariable: 'RECONCILIATION_TOKEN',
  });
  return {
    async statuses(merchantOrderIds) {
      const found: OrderStatusRecord[] = [];
      for (let from = 0; from < merchantOrderIds.length; from += ASKED) {
        const ids = merchantOrderIds.slice(from, from + ASKED);
        const query = ids.map((id): [string, string] => ['merchantOrderId', id]);
        let next: string | undefined;
        do {
          const page = await ask(orderStatusesSchema, 'orders', {
            query: next === undefined ? query : [...query, ['after', next]],
          });
          found.push(...page.orders);
          next = page.next;
        } while (next !== undefined);
      }
      return found;
    },
    lastSync: async () => (await ask(syncsSchema, 'syncs')).syncs[0],
    async sync(from, to) {
      await ask(syncSchema, 'syncs', { body: { from, to } });
    },
  };
}
