import type { Funding, MigrationLine, UnreadableFunding } from '@financing-checkout/contract';
import { Calendar } from '../../fundings/calendar.ts';
import { fundingPages, type FundingsContext } from '../../fundings/pages.ts';
import type { FundingsOperation } from '../../service/client.ts';
import { compareDay, MigrationSums } from './compare.ts';

const DAY_MS = 86_400_000;
/** A date without a zone is in UTC, wherever this runs. */
const calendar = new Calendar('UTC');

type UnreadableLine = Extract<MigrationLine, { kind: 'unreadable' }>;

/** What is asked of the service for each part of the comparison. */
const operations = {
  report: 'report',
  recordsV1: 'records-v1',
  recordsV2: 'records-v2',
} as const satisfies Record<UnreadableLine['operation'], FundingsOperation>;

/**
 * Runs the same days through the report and both records operations, and tells what differs: line
 * by line the orders and what cannot be read, at the end the sums. A day is in memory at a time.
 * @param window days in UTC; `to` is not in it
 * @throws {ProblemError} when the service fails
 */
export async function* migrateReport(
  ctx: FundingsContext,
  window: { from: string; to: string },
  requestId: string,
): AsyncGenerator<MigrationLine> {
  const sums = new MigrationSums();
  const end = Date.parse(window.to);
  for (let start = Date.parse(window.from); start < end; start += DAY_MS) {
    const unreadable: UnreadableLine[] = [];
    const read = async (operation: UnreadableLine['operation']) => {
      const day = await readDay(ctx, operations[operation], start, requestId);
      const place = { kind: 'unreadable', operation, day: isoDay(start) } as const;
      for (const { merchantOrderId, reason } of day.unreadable) {
        unreadable.push({ ...place, reason, ...(merchantOrderId ? { merchantOrderId } : {}) });
      }
      sums.unreadable[operation] += day.unreadable.length;
      return day.fundings;
    };
    // One after the other: the service has shoppers to serve, too.
    const report = await read('report');
    const recordsV1 = await read('recordsV1');
    const recordsV2 = await read('recordsV2');
    yield* unreadable;
    yield* compareDay({ report, recordsV1, recordsV2 }, sums);
  }
  yield {
    kind: 'summary',
    ...window,
    read: sums.read,
    unreadable: sums.unreadable,
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
): Promise<{ fundings: Funding[]; unreadable: UnreadableFunding[] }> {
  const from = new Date(start).toISOString();
  const to = new Date(start + DAY_MS - 1).toISOString();
  const fundings: Funding[] = [];
  const unreadable: UnreadableFunding[] = [];
  const request = { operation, from, to, showMissing: true };
  for await (const page of fundingPages(ctx, request, requestId, (record) =>
    unreadable.push(record),
  )) {
    fundings.push(
      ...page.filter(({ fundedAt }) => {
        const time = calendar.read(fundedAt);
        // A date that is none belongs to no day: it is shown where the service put it.
        return time === undefined || (time >= start && time < start + DAY_MS);
      }),
    );
  }
  return { fundings, unreadable };
}

function isoDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
