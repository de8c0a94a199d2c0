import type { Environment, Funding } from '@financing-checkout/contract';
import { missingStatuses, MoneyError } from '@financing-checkout/contract';
import { ProblemError } from '../problem/problem.ts';
import type { FundingsOperation, ServiceClient } from '../service/client.ts';
import { type FundingRecord, toFunding } from '../service/fundings.ts';
import { serviceProblem } from '../checkout/service-problem.ts';
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
 * @throws {ProblemError} when the service fails or a record cannot be read
 */
export async function* fundingPages(
  ctx: FundingsContext,
  request: FundingsRequest,
  requestId: string,
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
    const wanted = request.showMissing ? records : records.filter(isMatched);
    yield await readFundings(ctx, wanted, offset);
    offset += records.length;
  }
}

/** Specification 4, rule 1: without showMissing no missing transaction, whatever the service does. */
function isMatched(record: FundingRecord): boolean {
  return !missingStatuses.includes(record.status);
}

async function readFundings(
  ctx: FundingsContext,
  records: FundingRecord[],
  offset: number,
): Promise<Funding[]> {
  const orders = records.flatMap(({ merchantOrderId }) => merchantOrderId ?? []);
  const currencies = await ctx.store.currenciesOfOrders(ctx.environment, [...new Set(orders)]);
  return records.map((record, index) => {
    const currency = currencies.get(record.merchantOrderId ?? '') ?? ctx.defaultCurrency;
    try {
      return toFunding(record, currency);
    } catch (error) {
      if (!(error instanceof MoneyError)) throw error;
      throw new ProblemError('service-answer-invalid', {
        detail: `An amount of record ${offset + index} of the service's answer cannot be held in ${currency}: ${error.message}`,
        retrySafe: true,
      });
    }
  });
}
