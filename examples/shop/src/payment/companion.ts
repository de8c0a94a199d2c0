import { checkoutRecordSchema, fundingsSchema } from '@financing-checkout/contract';
import type { CheckoutRecord, Funding } from '@financing-checkout/contract';
import { z } from 'zod';
import { createAsk } from '../ask.ts';
import type { AskOptions } from '../ask.ts';

export interface FundingsReport {
  fundings: Funding[];
  /** Number of fundings that could not be read. */
  unreadable: number;
}

/** Client of the companion's back office. */
export interface Companion {
  /** Returns the checkouts of an order, those with a charge first. @throws {AskError} */
  checkouts(merchantOrderId: string): Promise<CheckoutRecord[]>;
  /** Returns the fundings report, with transactions that match nothing at the service. @throws {AskError} */
  fundings(): Promise<FundingsReport>;
}

const checkoutsSchema = z.object({
  checkouts: z.array(checkoutRecordSchema),
  next: z.string().optional(),
});

/** Returns a client that calls the companion's back office over HTTP, inside the merchant's network. */
export function createCompanion(options: Omit<AskOptions, 'name' | 'tokenVariable'>): Companion {
  const ask = createAsk({
    ...options,
    name: 'The companion',
    tokenVariable: 'COMPANION_BACK_OFFICE_TOKEN',
  });
  return {
    // The first page is enough: checkouts with a charge come first, and only they pay for an order.
    checkouts: async (merchantOrderId) =>
      (await ask(checkoutsSchema, 'checkouts', { query: { merchantOrderId } })).checkouts,
    async fundings() {
      const query = { showMissing: 'true' };
      const { records, unreadableCount } = await ask(fundingsSchema, 'fundings/report', { query });
      return { fundings: records, unreadable: unreadableCount ?? 0 };
    },
  };
}
