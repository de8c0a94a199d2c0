import { hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { onTestFinished } from 'vitest';
import { SqliteBulk } from '../../node/sqlite-bulk.ts';
import { type Counters, createCounters } from '../../observe/counters.ts';
import type { LogFields, Logger } from '../../observe/logger.ts';
import type { Schema } from '../../store/schema.ts';
import { places } from '../places.fixture.ts';
import { defaultPolicy, type JudgingPolicy } from '../policy.ts';
import type { BulkConnection } from './bulk.ts';
import type { Workshop } from './engine.ts';
import { inProcessWorker } from './in-process.ts';
import { type BookedOrder, DAY_MS, environment, NOW } from './orders.fixture.ts';
import { createRecompute } from './recompute.ts';

export const sha256 = (text: string) => hash('sha256', text);

export interface Bench {
  db: Kysely<Schema>;
  bulk: BulkConnection;
  /** A recompute by a policy, at a moment; `how` changes the way it works. */
  recompute: (setting?: Setting) => ReturnType<typeof createRecompute>;
  logged: { event: string; fields: LogFields | undefined }[];
  counters: Counters;
}

interface Setting {
  policy?: JudgingPolicy;
  policyHash?: string;
  now?: number;
  complete?: boolean;
  workshop?: Partial<Workshop>;
}

/** The store's own connections on both databases, and the one that a thread has on SQLite. */
export const benches = places.flatMap(([name, open]): [string, () => Promise<Bench>][] => {
  const make = (own: boolean) => async (): Promise<Bench> => {
    const { store, db } = await open();
    const bulk = own ? await ownConnection(db) : store.bulk;
    const counters = createCounters();
    const logged: Bench['logged'] = [];
    const logger: Logger = { log: (_, event, fields) => void logged.push({ event, fields }) };
    const recompute = (setting: Setting = {}) => {
      const { policy = defaultPolicy, policyHash = 'one', now = NOW, complete = true } = setting;
      const worker = inProcessWorker({
        bulk,
        now: () => now,
        hash: sha256,
        chunkRows: 3,
        surveyFrom: 1,
        rangeRows: 5,
        ...setting.workshop,
      });
      return createRecompute({
        environment,
        store,
        worker,
        policy,
        policyHash,
        isComplete: () => Promise.resolve(complete),
        clock: { now: () => now, after: () => () => undefined },
        logger,
        counters,
      });
    };
    return { db, bulk, counters, recompute, logged };
  };
  const both: [string, () => Promise<Bench>][] = [[name, make(false)]];
  if (name === 'SQLite') both.push(['SQLite with a connection of its own', make(true)]);
  return both;
});

/** To the file that the store has open. */
async function ownConnection(db: Kysely<Schema>): Promise<BulkConnection> {
  const { rows } = await sql<{ file: string }>`select file from pragma_database_list`.execute(db);
  const bulk = new SqliteBulk(rows[0]?.file ?? '');
  onTestFinished(() => bulk.close());
  return bulk;
}

/** An order of one settle, funded in full. */
export const settle = (key: string, change: Partial<BookedOrder> = {}): BookedOrder => ({
  orderKey: `order:${key}`,
  currency: 'USD',
  ledger: [
    {
      id: `m:Settle:${key}`,
      type: 'Settle',
      amount: 10_000,
      occurredAt: NOW - 10 * DAY_MS,
      transactionId: `t-${key}`,
    },
  ],
  fundings: [
    {
      id: `f-${key}`,
      status: 'RECONCILED',
      transactionType: 'Settle',
      transactionAmount: 10_000,
      discountAmount: 290,
      netAmount: 9_710,
      fundedAt: NOW - 9 * DAY_MS,
      updatedAt: NOW - 9 * DAY_MS,
      lenderName: 'Tamberley Credit',
      transactionId: `t-${key}`,
    },
  ],
  ...change,
});

/** An order whose lines are each funded in full. */
export function withLines(
  key: string,
  lines: readonly {
    type: 'Settle' | 'Refund';
    amount: number;
    discountAmount: number;
    netAmount?: number;
  }[],
): BookedOrder {
  const parts = lines.map(({ type, amount, discountAmount, ...line }, index) => {
    const { ledger, fundings } = settle(`${key}-${index}`);
    const { netAmount = amount - discountAmount } = line;
    const paid = { transactionType: type, transactionAmount: amount, discountAmount, netAmount };
    return {
      ledger: ledger.map((line) => ({ ...line, type, amount })),
      fundings: fundings.map((line) => ({ ...line, ...paid })),
    };
  });
  return settle(key, {
    ledger: parts.flatMap(({ ledger }) => ledger),
    fundings: parts.flatMap(({ fundings }) => fundings),
  });
}
