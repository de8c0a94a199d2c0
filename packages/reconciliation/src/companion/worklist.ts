import {
  checkoutRecordSchema,
  deliveriesSchema,
  type Delivery,
  type UnclearOperation,
  unclearOperationsSchema,
} from '@financing-checkout/contract/back-office';
import { z } from 'zod';
import type { Clock } from '@financing-checkout/kit';
import { type CompanionClient, CompanionError } from './client.ts';

const MAX_BYTES = 8 * 1_048_576;
/** Short, because waiting would delay everything else on a page that shows this data. */
const DEADLINE_MS = 3_000;
/** Many thousands of items indicate an outage; their exact number does not matter then. */
const MAX_PAGES = 10;

/** Work at the companion that needs a person. The methods throw {@link CompanionError}. */
export interface CompanionWorklist {
  /** Operations whose outcome the companion cannot determine, oldest first. */
  unclearOperations(signal?: AbortSignal): Promise<UnclearOperation[]>;
  /** Messages to the shop that the companion gave up on, oldest first. */
  deadWebhooks(signal?: AbortSignal): Promise<Delivery[]>;
  /** Returns the order IDs of an application's checkouts, newest first. */
  ordersOfApplication(applicationId: string, signal?: AbortSignal): Promise<string[]>;
}

const checkoutsSchema = z.object({ checkouts: z.array(checkoutRecordSchema) });

/** Reads the companion's lists, each within three seconds and without a retry. */
export function createCompanionWorklist(
  client: Pick<CompanionClient, 'get'>,
  clock: Clock,
): CompanionWorklist {
  async function ask<Schema extends z.ZodType>(
    schema: Schema,
    path: string,
    query: Record<string, string>,
    signal: AbortSignal,
  ): Promise<z.infer<Schema>> {
    const bytes = await client.get({ path, query, maxBytes: MAX_BYTES, tries: 1, signal });
    try {
      return schema.parse(JSON.parse(new TextDecoder().decode(bytes)));
    } catch {
      throw new CompanionError('its answer cannot be read');
    }
  }

  async function inTime<Result>(
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const deadline = new AbortController();
    const cancel = clock.after(DEADLINE_MS, () =>
      deadline.abort(new CompanionError('it timed out')),
    );
    try {
      const { signal: ends } = deadline;
      return await work(signal === undefined ? ends : AbortSignal.any([ends, signal]));
    } finally {
      cancel();
    }
  }

  /** Reads all pages of a list by cursor. */
  async function all<Item>(
    page: (after: Record<string, string>) => Promise<{ items: Item[]; next?: string | undefined }>,
  ): Promise<Item[]> {
    const found: Item[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const { items, next } = await page(after === undefined ? {} : { after });
      found.push(...items);
      if (next === undefined) break;
      after = next;
    }
    return found;
  }

  return {
    unclearOperations: (signal) =>
      inTime(signal, (ends) =>
        all(async (after) => {
          const query = { state: 'unclear', ...after };
          const page = await ask(unclearOperationsSchema, 'charge-operations', query, ends);
          return { items: page.operations, next: page.next };
        }),
      ),

    deadWebhooks: (signal) =>
      inTime(signal, (ends) =>
        all(async (after) => {
          const query = { state: 'dead', ...after };
          const page = await ask(deliveriesSchema, 'webhooks', query, ends);
          return { items: page.deliveries, next: page.next };
        }),
      ),

    ordersOfApplication: (applicationId, signal) =>
      inTime(signal, async (ends) => {
        const { checkouts } = await ask(checkoutsSchema, 'checkouts', { applicationId }, ends);
        return [...new Set(checkouts.map(({ merchantOrderId }) => merchantOrderId))];
      }),
  };
}
