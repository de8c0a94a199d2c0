import {
  checkoutRecordSchema,
  fundingsSchema,
  linkRecordSchema,
  linksSchema,
} from '@financing-checkout/contract/back-office';
import type { CheckoutRecord, Funding, LinkRecord } from '@financing-checkout/contract/back-office';
import type { Order } from '@financing-checkout/contract/storefront';
import { z } from 'zod';
import { createAsk } from '../ask.ts';
import type { AskOptions } from '../ask.ts';

export interface FundingsReport {
  fundings: Funding[];
  /** Number of fundings that could not be read. */
  unreadable: number;
}

/** Client for the companion's back office. */
export interface Companion {
  /** Returns an order's checkouts, those with a charge first. @throws {AskError} */
  checkouts(merchantOrderId: string): Promise<CheckoutRecord[]>;
  /**
   * Creates an order's link, or returns the active one.
   * @param deliver how the service also sends it, if at all
   * @throws {AskError}
   */
  createLink(order: Order, deliver: 'email' | 'sms' | undefined): Promise<LinkRecord>;
  /** Returns an order's latest link. @throws {AskError} */
  findLink(merchantOrderId: string): Promise<LinkRecord | undefined>;
  /**
   * Returns the fundings report, including transactions that match nothing at the service. @throws
   * {AskError}
   */
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
    // The first page suffices: checkouts with a charge come first, and only they pay for an order.
    checkouts: async (merchantOrderId) =>
      (await ask(checkoutsSchema, 'checkouts', { query: { merchantOrderId } })).checkouts,
    createLink: (order, deliver) =>
      ask(linkRecordSchema, 'links', {
        body: { order, ...(deliver && { deliver }) },
        // The companion has one link per order, whatever the key.
        key: crypto.randomUUID() + crypto.randomUUID(),
      }),
    findLink: async (merchantOrderId) =>
      (await ask(linksSchema, 'links', { query: { merchantOrderId } })).links[0],
    async fundings() {
      const query = { showMissing: 'true' };
      const { records, unreadableCount } = await ask(fundingsSchema, 'fundings/report', { query });
      return { fundings: records, unreadable: unreadableCount ?? 0 };
    },
  };
}
