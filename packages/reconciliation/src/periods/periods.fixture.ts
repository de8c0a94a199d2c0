import type {
  Adjustments,
  FundingSync,
  PeriodDetail,
  Periods,
  SealVerification,
} from '@financing-checkout/contract';
import { settle, startCompanion, type TestCompanion } from '../companion/companion.fixture.ts';
import { readConfiguration } from '../config/config.ts';
import { type AtEnd, dayBefore, type Running, run, variablesOf } from '../program.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';

const HOUR_MS = 3_600_000;
/** Returns nine o'clock UTC of the day that is this number of days ago. */
export const at = (daysAgo: number) =>
  new Date(Date.parse(dayBefore(daysAgo)) + 9 * HOUR_MS).toISOString();

export const anna = { authorization: 'Bearer anna-token-0000001' };
export const ben = { authorization: 'Bearer ben-token-00000001' };

/** Two ended periods of four days, and the current one. */
export const periods = [
  { id: 'P1', from: dayBefore(10), to: dayBefore(7) },
  { id: 'P2', from: dayBefore(6), to: dayBefore(3) },
  { id: 'P3', from: dayBefore(2), to: dayBefore(-20) },
];

export interface Books {
  /** Path of the record store. */
  store: string;
  companion: TestCompanion;
  program: Running;
  /** Adds an order of 100.00 and the order's number in cents, settled and funded so many days ago. */
  order: (index: number, settled: number, funded?: number) => void;
  /** Returns the response of the API to Anna. */
  get: <Body>(path: string) => Promise<Body>;
  read: (id: string) => Promise<PeriodDetail>;
  list: () => Promise<Periods>;
  adjustments: (id: string) => Promise<Adjustments>;
  verify: () => Promise<SealVerification>;
  act: (
    id: string,
    action: string,
    person?: Record<string, string>,
    body?: object,
  ) => Promise<{ status: number; code: string | undefined; detail: string }>;
  /** Prepares and closes a period. */
  close: (id: string) => Promise<PeriodDetail>;
  /** Reads all days. @returns the ended run */
  sync: () => Promise<FundingSync>;
}

/**
 * Starts a program of two persons, with two orders in P1, of which one is paid in P2.
 * @param shared folder and end of books that several tests share
 */
export async function openBooks(
  change: Record<string, string> = {},
  shared?: { folder: string; atEnd: AtEnd },
): Promise<Books> {
  const companion = await startCompanion(shared?.atEnd);
  const own = {
    RECONCILIATION_TOKENS: [
      'anna periods,sync,imports,cases anna-token-0000001',
      'ben periods ben-token-00000001',
    ].join('\n'),
    RECONCILIATION_POLICY_FILE: '/policy',
    RECONCILIATION_DEFAULT_CURRENCY: 'USD',
    ...change,
  };
  const variables = variablesOf(companion, own, shared?.folder);
  const policy = JSON.stringify({ periods, slaDays: { default: 8 } });
  const program = await run(
    readConfiguration(variables, () => policy),
    {},
    shared?.atEnd,
  );
  const read = async <Body>(path: string): Promise<Body> => {
    const response = await program.app.request(path, { headers: anna });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  };
  const books: Books = {
    store: (variables.RECONCILIATION_STORE ?? '').replace(/^sqlite:/, ''),
    companion,
    program,
    order(index, settled, funded) {
      companion.entries.push(
        settle(companion.entries.length + 1, `A-${index}`, 10_000 + index, {
          transactionId: `txn-${index}`,
          merchantTransactionId: `mtx-${index}`,
          occurredAt: at(settled),
        }),
      );
      if (funded !== undefined) companion.records.push(wireRecord(index, at(funded)));
    },
    get: read,
    read: (id) => read(`/periods/${id}`),
    list: () => read('/periods'),
    adjustments: (id) => read(`/periods/${id}/adjustments`),
    verify: () => read('/periods/verification'),
    async act(id, action, person = anna, body = {}) {
      const response = await program.post(`/periods/${id}/${action}`, body, person);
      const { code, detail } = (await response.json()) as { code?: string; detail: string };
      return { status: response.status, code, detail };
    },
    async close(id) {
      for (const [action, person] of [
        ['preparation', anna],
        ['close', ben],
      ] as const) {
        const { status, detail } = await books.act(id, action, person);
        if (status !== 200) throw new Error(`${action} of ${id}: ${detail}`);
      }
      return books.read(id);
    },
    async sync() {
      const days = { from: dayBefore(11), to: dayBefore(0) };
      const begun = await program.post('/syncs', days, anna);
      const { id } = (await begun.json()) as { id: string };
      await (await program.app.request(`/syncs/${id}/events`, { headers: anna })).text();
      return read(`/syncs/${id}`);
    },
  };
  books.order(0, 10, 9);
  books.order(1, 8, 5);
  await books.sync();
  return books;
}
