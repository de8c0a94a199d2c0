import type { Environment, Funding, UnreadableFunding } from '@financing-checkout/contract';
import { missingStatuses } from '@financing-checkout/contract';
import type { FundingsOperation, ServiceClient } from '../service/client.ts';
import { FundingRecordError, readFundingRecord, toFunding } from '../service/fundings.ts';
import { serviceProblem } from '../checkout/service-problem.ts';
import { isKeepableText } from '../store/keepable-text.ts';
import type { Store } from '../store/store.ts';

export interface FundingsRequest {
  operation: FundingsOperation;
  from?: string | undefined;
  to?: string | undefined;
  showMissing: boolean;
}

export interface FundingsContext {
  environment: Environment;
  service: ServiceClient;
  store: Store;
  defaultCurrency: string;
}

const PAGE_SIZE = 1_000;

/**
 * All fundings of a window, page by page to the end. The end is an empty page, not a short one: a
 * service that gives fewer than asked for would otherwise be cut short without a word. A service
 * that ignores `offset` gives the same page again; that one is the end, too.
 * @param onUnreadable is told of a record that cannot be read, and is left out
 * @throws {ProblemError} when the service fails
 */
export async function* fundingPages(
  ctx: FundingsContext,
  request: FundingsRequest,
  requestId: string,
  onUnreadable: (record: UnreadableFunding) => void,
): AsyncGenerator<Funding[]> {
  let offset = 0;
  let previous = '';
  for (;;) {
    const query = { ...request, offset, limit: PAGE_SIZE };
    const result = await ctx.service.fundings(query, requestId);
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
  onUnreadable: (record: UnreadableFunding) => void,
): Promise<Funding[]> {
  const orders = new Set(records.flatMap((record) => orderOf(record) ?? []));
  const currencies = await ctx.store.currenciesOfOrders(ctx.environment, [...orders]);
  const fundings: Funding[] = [];
  for (const [index, record] of records.entries()) {
    const merchantOrderId = orderOf(record);
    try {
      const read = readFundingRecord(record);
      // Specification 4, rule 1: without showMissing none, whatever the service does.
      if (!showMissing && missingStatuses.includes(read.status)) continue;
      const known = currencies.get(merchantOrderId ?? '');
      const funding = toFunding(read, known ?? ctx.defaultCurrency);
      fundings.push(known === undefined ? { ...funding, currencyAssumed: true } : funding);
    } catch (error) {
      if (!(error instanceof FundingRecordError)) throw error;
      onUnreadable({
        at: offset + index,
        ...(merchantOrderId === undefined ? {} : { merchantOrderId }),
        reason: error.message,
      });
    }
  }
  return fundings;
}

const MAX_ORDER_ID = 1_024;

/** The order that it names, without blanks around it as in the books, if a store can be asked for it. */
function orderOf(record: unknown): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const value = 'merchantOrderId' in record ? record.merchantOrderId : undefined;
  const id = typeof value === 'string' ? value.trim() : '';
  return id !== '' && id.length <= MAX_ORDER_ID && isKeepableText(id) ? id : undefined;
}
