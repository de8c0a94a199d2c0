import { merchantOrderIdOf } from '../order-key.ts';
import { tryToHold } from './apply-slice.ts';
import type { FundingBatch, FundingBooks, RecordsOfOrders } from './books.ts';
import type { Calendar } from './calendar.ts';
import type { FiledRecord } from './record.ts';

export interface RepriceContext {
  books: FundingBooks;
  calendar: Calendar;
  defaultCurrency: string;
  now: () => number;
}

const ORDERS_AT_A_TIME = 500;
/** How many are asked for at once: whoever asks goes through all that are left. */
const ORDERS_ASKED = 50_000;

/**
 * Reads the records of orders again whose currency may have become known since: an amount of 1000
 * yen that was taken for 1000 dollars, or could not be held at all, is put right.
 * @returns how many fundings changed
 */
export async function reprice(ctx: RepriceContext, orderKeys: readonly string[]): Promise<number> {
  let changed = 0;
  for (let start = 0; start < orderKeys.length; start += ORDERS_AT_A_TIME) {
    const part = orderKeys.slice(start, start + ORDERS_AT_A_TIME);
    let repriced = 0;
    await ctx.books.rewrite(part, (records, currencies) => {
      const batch = batchOf(ctx, records, currencies);
      repriced = batch.changed.length;
      return batch;
    });
    changed += repriced;
  }
  // Each day once, however many of its orders changed; also those of a process that was killed here.
  await ctx.books.sumAgain();
  return changed;
}

/**
 * {@link reprice} for every order whose ledger says another currency than its fundings are in, or says
 * no longer which: after an import. @returns how many fundings changed
 */
export async function repriceAll(ctx: RepriceContext): Promise<number> {
  let changed = await reprice(ctx, await ctx.books.quarantinedOrders());
  for (let after = ''; ;) {
    const orderKeys = await ctx.books.mispriced(after, ORDERS_ASKED);
    changed += await reprice(ctx, orderKeys);
    const last = orderKeys.at(-1);
    if (last === undefined || orderKeys.length < ORDERS_ASKED) return changed;
    after = last;
  }
}

function batchOf(
  { calendar, defaultCurrency, now }: RepriceContext,
  { held, quarantined }: RecordsOfOrders,
  currencies: ReadonlyMap<string, string>,
): FundingBatch {
  const changed: FundingBatch['changed'][number][] = [];
  const kept: { id: string; raw: string }[] = [];
  const freed: string[] = [];
  const currencyOf = (orderKey: string) =>
    currencies.get(merchantOrderIdOf(orderKey) ?? '') ?? defaultCurrency;
  for (const stored of held) {
    const currency = currencyOf(stored.orderKey);
    if (currency === stored.currency) continue;
    const outcome = tryToHold(
      filed(stored, stored.day, stored.hash),
      currency,
      calendar,
      undefined,
    );
    // In its new currency it cannot be held: as it is, it at least says that it is there.
    if (!('funding' in outcome)) continue;
    changed.push({ funding: outcome.funding, stored });
    kept.push(stored);
  }
  for (const waiting of quarantined) {
    // Its hash is not kept: the next look at its day finds it changed, and reads it once more.
    const outcome = tryToHold(
      filed(waiting, waiting.day, ''),
      currencyOf(waiting.orderKey),
      calendar,
      undefined,
    );
    if (!('funding' in outcome)) continue;
    changed.push({ funding: outcome.funding, stored: undefined });
    kept.push(waiting);
    freed.push(waiting.id);
  }
  const unsummed = [...new Set(changed.map(({ funding }) => funding.sliceDay))];
  return { now: now(), changed, records: kept, gone: [], freed, unsummed };
}

function filed(
  { id, orderKey, raw }: { id: string; orderKey: string; raw: string },
  day: string,
  hash: string,
): FiledRecord {
  return { id, day, orderKey, merchantOrderId: merchantOrderIdOf(orderKey), hash, raw };
}
