import type { Funding, UnreadableFunding } from '@financing-checkout/contract/back-office';
import { missingStatuses } from '@financing-checkout/contract/back-office';
import type { ChargeContext } from '../charges/context.ts';
import type { FundingsQuery } from '../service/client.ts';
import { FundingRecordError, readFundingRecord, toFunding } from '../service/fundings.ts';
import { serviceProblem } from '../service/problem.ts';
import { isKeepableText } from '../platform/store-errors.ts';

type FundingsRequest = Omit<FundingsQuery, 'offset' | 'limit'>;

type FundingsContext = Pick<ChargeContext, 'defaultCurrency' | 'environment' | 'service' | 'store'>;

type OnUnreadable = (record: UnreadableFunding) => void;

const PAGE_SIZE = 1_000;

/**
 * Yields all fundings of a period, page by page. Only an empty page ends the sequence: the service
 * may return fewer records than requested, and a short page must not silently cut the report short.
 * If a service ignores `offset` and repeats a page, that ends the sequence too.
 * @param onUnreadable receives each unreadable record, which is omitted from the page
 * @throws {ProblemError} when the service fails
 */
export async function* fundingPages(
  ctx: FundingsContext,
  request: FundingsRequest,
  requestId: string,
  onUnreadable: OnUnreadable,
): AsyncGenerator<Funding[]> {
  let offset = 0;
  let previous = '';
  for (;;) {
    const query = { ...request, offset, limit: PAGE_SIZE };
    const result = await ctx.service.fundings(query, { priority: 'report', requestId });
    if (result.kind !== 'accepted') throw serviceProblem(result, { movesMoney: false });
    const records = result.body;
    if (records.length === 0) return;
    const text = JSON.stringify(records);
    if (text === previous) return;
    previous = text;
    yield await readFundings(ctx, { records, offset }, request.showMissing, onUnreadable);
    offset += records.length;
  }
}

async function readFundings(
  ctx: FundingsContext,
  { records, offset }: { records: readonly unknown[]; offset: number },
  showMissing: boolean,
  onUnreadable: OnUnreadable,
): Promise<Funding[]> {
  const orders = new Set(records.flatMap((record) => orderOf(record) ?? []));
  const currencies = await ctx.store.currenciesOfOrders(ctx.environment, [...orders]);
  const fundings: Funding[] = [];
  for (const [index, record] of records.entries()) {
    const merchantOrderId = orderOf(record);
    try {
      const read = readFundingRecord(record);
      // Specification 4, rule 1: without showMissing, missing records are omitted even if the
      // service returns some.
      if (!showMissing && missingStatuses.includes(read.status)) continue;
      const known = currencies.get(merchantOrderId ?? '');
      const funding = toFunding(read, known ?? ctx.defaultCurrency);
      fundings.push(known === undefined ? { ...funding, currencyAssumed: true } : funding);
    } catch (error) {
      if (!(error instanceof FundingRecordError)) throw error;
      onUnreadable({ at: offset + index, merchantOrderId, reason: error.message });
    }
  }
  return fundings;
}

const MAX_ORDER_ID = 1_024;

/**
 * Returns the order id of a record, trimmed as in the ledger, if the store can look up such an id.
 */
function orderOf(record: unknown): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const value = 'merchantOrderId' in record ? record.merchantOrderId : undefined;
  const id = typeof value === 'string' ? value.trim() : '';
  return id !== '' && id.length <= MAX_ORDER_ID && isKeepableText(id) ? id : undefined;
}

/** Maximum number of unreadable records in the response. */
const MAX_UNREADABLE = 100;

/**
 * Yields `{"records": […]}` with one record per line, so a report of a million records is never
 * held in memory as a whole. Unreadable records come last, so that they do not block the others.
 */
export async function* fundingsJson(
  read: (onUnreadable: OnUnreadable) => AsyncIterable<Funding[]>,
): AsyncGenerator<string> {
  const unreadable: UnreadableFunding[] = [];
  let unreadableCount = 0;
  const pages = read((record) => {
    unreadableCount += 1;
    if (unreadable.length < MAX_UNREADABLE) unreadable.push(record);
  });
  let before = '{"records":[\n';
  for await (const page of pages) {
    // A page may be empty after filtering.
    if (page.length === 0) continue;
    yield before + page.map((funding) => JSON.stringify(funding)).join(',\n');
    before = ',\n';
  }
  const rest =
    unreadableCount === 0 ? '' : `,${JSON.stringify({ unreadable, unreadableCount }).slice(1, -1)}`;
  yield `${before === ',\n' ? '\n' : before}]${rest}}`;
}
