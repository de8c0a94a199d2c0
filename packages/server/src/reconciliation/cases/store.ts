import type { CaseState, ExceptionCode } from '@financing-checkout/contract';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Database } from '../../store/database.ts';
import type { Schema } from '../../store/schema.ts';
import {
  type CaseEvent,
  type CaseRow,
  type ExceptionPlace,
  type ExceptionRow,
  fromCase,
  fromEvent,
  toCase,
  toEvent,
  toException,
} from './rows.ts';
import { type ChainHead, GENESIS } from './trail.ts';

/** What changes together. Nothing of it is written when the chain has moved on from `seen`. */
export interface CaseChanges {
  environment: string;
  seen: ChainHead;
  head: ChainHead;
  events: readonly CaseEvent[];
  cases: readonly CaseRow[];
  /** Messages to finance, by case. */
  messages?: readonly { id: string; caseId: string; body: string }[];
  now: number;
}

export interface CaseQuery {
  environment: string;
  state?: CaseState | undefined;
  code?: ExceptionCode | undefined;
  currency?: string | undefined;
  assignee?: string | undefined;
  orderKey?: string | undefined;
  /** Of the amount, without its sign. */
  least?: number | undefined;
  /** Only cases that are wrong since before this moment. */
  before?: number | undefined;
  /** Only those nobody was told of yet. */
  untold?: boolean | undefined;
  /** Cases behind this id. */
  after?: string | undefined;
  limit: number;
}

export interface CaseStore {
  /** Where the audit trail ends. */
  caseChain(environment: string): Promise<ChainHead>;
  /** False, and nothing written: somebody else has changed a case since `seen`. */
  writeCases(changes: CaseChanges): Promise<boolean>;
  /**
   * Does `work` while nobody else changes a case, as one transaction of the store it is given. It
   * may be run again, as any transaction.
   */
  withCasesHeld<Result>(
    environment: string,
    work: (store: CaseStore) => Promise<Result>,
  ): Promise<Result>;
  findCase(environment: string, id: string): Promise<CaseRow | undefined>;
  /** By id. */
  findCases(query: CaseQuery): Promise<CaseRow[]>;
  /** Of the orders of these exceptions. */
  casesOfExceptions(environment: string, of: readonly ExceptionRow[]): Promise<CaseRow[]>;
  /** Cases that have not ended by the arithmetic, though their exception is gone for good; by id. */
  casesWithoutException(environment: string, after: string, limit: number): Promise<CaseRow[]>;
  /** By place, of orders of which no line has changed since they were judged. */
  exceptions(
    environment: string,
    after: ExceptionPlace | undefined,
    limit: number,
  ): Promise<ExceptionRow[]>;
  /** In the order of the trail. */
  caseEvents(query: {
    environment: string;
    caseIds?: readonly string[];
    after: number;
    limit: number;
  }): Promise<CaseEvent[]>;
  caseEventOfKey(environment: string, key: string): Promise<CaseEvent | undefined>;
}

/** Cases and their audit trail. */
export function caseStore({ db, transact }: Pick<Database, 'db' | 'transact'>): CaseStore {
  const casesOf = (environment: string) =>
    db.selectFrom('cases').selectAll().where('environment', '=', environment);

  return {
    async caseChain(environment) {
      const row = await db
        .selectFrom('case_chains')
        .selectAll()
        .where('environment', '=', environment)
        .executeTakeFirst();
      return row ? { seq: Number(row.last_seq), hash: row.last_hash } : { seq: 0, hash: GENESIS };
    },

    writeCases: (changes) =>
      transact(async (tx) => {
        const { environment, seen, head, events, cases, messages = [], now } = changes;
        await beginChain(tx, environment);
        // Every change of a case has its event: who moves the head has seen every case as it is.
        const moved = await tx
          .updateTable('case_chains')
          .set({ last_seq: head.seq, last_hash: head.hash })
          .where('environment', '=', environment)
          .where('last_seq', '=', seen.seq)
          .where('last_hash', '=', seen.hash)
          .executeTakeFirst();
        if (moved.numUpdatedRows === 0n) return false;
        await tx
          .insertInto('case_events')
          .values(events.map((event) => fromEvent(environment, event)))
          .execute();
        await tx
          .insertInto('cases')
          .values(cases.map((row) => fromCase(environment, row)))
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet((eb) => ({
              state: eb.ref('excluded.state'),
              amount: eb.ref('excluded.amount'),
              count: eb.ref('excluded.count'),
              since: eb.ref('excluded.since'),
              content_hash: eb.ref('excluded.content_hash'),
              assignee: eb.ref('excluded.assignee'),
              reason: eb.ref('excluded.reason'),
              updated_at: eb.ref('excluded.updated_at'),
              alerted_at: eb.ref('excluded.alerted_at'),
            })),
          )
          .execute();
        if (messages.length > 0) {
          await tx
            .insertInto('outbox')
            .values(
              messages.map(({ id, caseId, body }) => ({
                id,
                checkout_id: '',
                case_id: caseId,
                body,
                created_at: now,
                tries: 0,
                next_attempt_at: now,
                delivered_at: null,
                last_reason: null,
              })),
            )
            .execute();
        }
        return true;
      }),

    withCasesHeld: (environment, work) =>
      transact(async (tx) => {
        await beginChain(tx, environment);
        // Whoever writes cases writes this row.
        await tx
          .updateTable('case_chains')
          .set({ environment })
          .where('environment', '=', environment)
          .execute();
        return work(caseStore({ db: tx, transact: (inner) => inner(tx) }));
      }),

    async findCase(environment, id) {
      const row = await casesOf(environment).where('id', '=', id).executeTakeFirst();
      return row && toCase(row);
    },

    async findCases({ environment, after = '', limit, ...filters }) {
      let query = casesOf(environment).where('id', '>', after);
      if (filters.state !== undefined) query = query.where('state', '=', filters.state);
      if (filters.code !== undefined) query = query.where('code', '=', filters.code);
      if (filters.currency !== undefined) query = query.where('currency', '=', filters.currency);
      if (filters.assignee !== undefined) query = query.where('assignee', '=', filters.assignee);
      if (filters.orderKey !== undefined) query = query.where('order_key', '=', filters.orderKey);
      if (filters.before !== undefined) query = query.where('since', '<', filters.before);
      if (filters.untold === true) query = query.where('alerted_at', 'is', null);
      const { least } = filters;
      if (least !== undefined) {
        query = query.where((eb) => eb.or([eb('amount', '>=', least), eb('amount', '<=', -least)]));
      }
      const rows = await query.orderBy('id').limit(limit).execute();
      return rows.map(toCase);
    },

    async casesOfExceptions(environment, of) {
      if (of.length === 0) return [];
      const keys = new Set(of.map(({ orderKey }) => orderKey));
      const rows = await casesOf(environment)
        .where('order_key', 'in', [...keys])
        .execute();
      return rows.map(toCase);
    },

    async casesWithoutException(environment, after, limit) {
      const rows = await casesOf(environment)
        .where('state', 'in', ['open', 'resolved', 'ignored'])
        .where('id', '>', after)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('order_exceptions')
                .select('order_exceptions.code')
                .whereRef('order_exceptions.environment', '=', 'cases.environment')
                .whereRef('order_exceptions.order_key', '=', 'cases.order_key')
                .whereRef('order_exceptions.currency', '=', 'cases.currency')
                .whereRef('order_exceptions.code', '=', 'cases.code'),
            ),
          ),
        )
        .where(isJudgedWhole)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toCase);
    },

    async exceptions(environment, after, limit) {
      let query = db
        .selectFrom('order_exceptions')
        .selectAll()
        .where('environment', '=', environment)
        .where(isJudgedSince);
      if (after !== undefined) {
        query = query.where((eb) =>
          eb(
            eb.refTuple('order_key', 'currency', 'code'),
            '>',
            eb.tuple(after.orderKey, after.currency, after.code),
          ),
        );
      }
      const rows = await query
        .orderBy('order_key')
        .orderBy('currency')
        .orderBy('code')
        .limit(limit)
        .execute();
      return rows.map(toException);
    },

    async caseEvents({ environment, caseIds, after, limit }) {
      let query = db
        .selectFrom('case_events')
        .selectAll()
        .where('environment', '=', environment)
        .where('seq', '>', after);
      if (caseIds !== undefined) query = query.where('case_id', 'in', caseIds);
      const rows = await query.orderBy('seq').limit(limit).execute();
      return rows.map(toEvent);
    },

    async caseEventOfKey(environment, key) {
      const row = await db
        .selectFrom('case_events')
        .selectAll()
        .where('environment', '=', environment)
        .where('key', '=', key)
        .executeTakeFirst();
      return row && toEvent(row);
    },
  };
}

async function beginChain(tx: Transaction<Schema>, environment: string): Promise<void> {
  await tx
    .insertInto('case_chains')
    .values({ environment, last_seq: 0, last_hash: GENESIS })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function ofPlace(alias: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql`${column('environment')} = cases.environment
    and ${column('order_key')} = cases.order_key and ${column('currency')} = cases.currency`;
}

/** Whether an exception is of all lines that its order has by now. */
const isJudgedSince = sql<boolean>`not exists (
  select 1 from dirty_orders d
  where d.environment = order_exceptions.environment and d.order_key = order_exceptions.order_key)`;

/**
 * Whether the status of a case's order is of all there is: statuses were not computed while data was
 * missing, which another companion may find and do at any time, the order is not to be judged again,
 * no record of it is in quarantine or of a currency that nobody knows, and it could be judged: one that
 * cannot be summed, or has too many lines, has no status, and nobody knows what became of its exceptions.
 */
const isJudgedWhole = sql<boolean>`(exists (select 1 from order_statuses o where ${ofPlace('o')})
    or not exists (select 1 from fundings o where ${ofPlace('o')})
    and not exists (select 1 from ledger_lines o where ${ofPlace('o')}))
  and not exists (
    select 1 from recomputes r
    where r.environment = cases.environment and (r.complete = 0 or r.state <> 'complete'))
  and not exists (
    select 1 from dirty_orders d
    where d.environment = cases.environment and d.order_key = cases.order_key)
  and not exists (
    select 1 from funding_quarantine q
    where q.environment = cases.environment and q.order_key = cases.order_key)
  and not exists (
    select 1 from fundings f
    where f.environment = cases.environment and f.order_key = cases.order_key
      and f.currency = '')`;
