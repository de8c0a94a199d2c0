import type { Funding, MigrationLine } from '@financing-checkout/contract';
import { fundingPages, type FundingsContext } from '../../fundings/pages.ts';
import type { FundingsOperation } from '../../service/client.ts';
import { compareDay, MigrationSums } from './compare.ts';

const DAY_MS = 86_400_000;

/**
 * Runs the same days through the report and both records operations, and tells what differs: line
 * by line the orders, at the end the sums. A day is in memory at a time.
 * @param window days in UTC; `to` is not in it
 * @throws {ProblemError} when the service fails or a record cannot be read
 */
export async function* migrateReport(
  ctx: FundingsContext,
  window: { from: string; to: string },
  requestId: string,
): AsyncGenerator<MigrationLine> {
  const sums = new MigrationSums();
  const end = Date.parse(window.to);
  for (let start = Date.parse(window.from); start < end; start += DAY_MS) {
    const read = (operation: FundingsOperation) => readDay(ctx, operation, start, requestId);
    // One after the other: the service has shoppers to serve, too.
    const report = await read('report');
    const recordsV1 = await read('records-v1');
    const recordsV2 = await read('records-v2');
    yield* compareDay({ report, recordsV1, recordsV2 }, sums);
  }
  yield {
    kind: 'summary',
    ...window,
    read: sums.read,
    becomes: sums.becomes(),
    differs: sums.differs,
    orders: sums.orders,
  };
}

/** What was funded on a day. Whether the service counts the ends in is not documented: we do it. */
async function readDay(
  ctx: FundingsContext,
  operation: FundingsOperation,
  start: number,
  requestId: string,
): Promise<Funding[]> {
  const from = new Date(start).toISOString();
  const to = new Date(start + DAY_MS - 1).toISOString();
  const fundings: Funding[] = [];
  const request = { operation, from, to, showMissing: true };
  for await (const page of fundingPages(ctx, request, requestId)) {
    fundings.push(
      ...page.filter(({ fundedAt }) => {
        const time = Date.parse(fundedAt);
        // A date that is none belongs to no day: it is shown where the service put it.
        return Number.isNaN(time) || (time >= start && time < start + DAY_MS);
      }),
    );
  }
  return fundings;
}
