import { checkoutRecordSchema, fundingsSchema } from '@financing-checkout/contract';
import type { CheckoutRecord, Funding } from '@financing-checkout/contract';
import { z } from 'zod';
import { createAsk } from '../ask.ts';
import type { AskOptions } from '../ask.ts';

export interface FundingsReport {
  fundings: Funding[];
  /** How many more there are, which could not be read. */
  unreadable: number;
}

/** What the shop asks the companion's back office. */
export interface Companion {
  /** The checkouts of an order, those with a charge first. @throws {AskError} */
  checkouts(merchantOrderId: string): Promise<CheckoutRecord[]>;
  /** The fundings report, with transactions the service has no match for. @throws {AskError} */
  fundings(): Promise<FundingsReport>;
}

const checkoutsSchema = z.object({
  checkouts: z.array(checkoutRecordSchema),
  next: z.string().optional(),
});

/** The companion's back office over HTTP, inside the merchant's network. */
export function createCompanion(options: Omit<AskOptions, 'name' | 'tokenVariable'>): Companion {
  const ask = createAsk({
    ...options,
    name: 'The companion',
    tokenVariable: 'COMPANION_BACK_OFFICE_TOKEN',
  });
  return {
    // One page is enough: a checkout with a charge comes first, and nothing else pays for an order.
    checkouts: async (merchantOrderId) =>
      (await ask(checkoutsSchema, 'checkouts', { query: { merchantOrderId } })).checkouts,
    async fundings() {
      const query = { showMissing: 'true' };
      const { records, unreadableCount } = await ask(fundingsSchema, 'fundings/report', { query });
      return { fundings: records, unreadable: unreadableCount ?? 0 };
    },
  };
}
