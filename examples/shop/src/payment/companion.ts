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

/** Client of the companion's back office. */
export interface Companion {
  /** Returns the checkouts of an order, those with a charge first. @throws {AskError} */
  checkouts(merchantOrderId: string): Promise<CheckoutRecord[]>;
  /**
   * Creates the link for an order, or returns the active one.
   * @param deliver whether the service sends it, too
   * @throws {AskError}
   */
  createLink(order: Order, deliver: 'email' | 'sms' | undefined): Promise<LinkRecord>;
  /** Returns the latest link of an order. @throws {AskError} */
  findLink(merchantOrderId: string): Promise<LinkRecord | undefined>;
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
    createLink: (order, deliver) =>
      ask(linkRecordSchema, 'links', {
        body: { order, ...(deliver && { deliver }) },
        // The companion has one link for an order, whatever the key.
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
