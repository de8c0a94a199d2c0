import { createHash } from 'node:crypto';
import type { TransactionType } from '../charges/charge.ts';
import type { SandboxClock } from '../clock/clock.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { FundingStore } from '../fundings/store.ts';
import { inTransaction, type Database } from '../store/database.ts';
import { lenderById, type Lender } from './lenders.ts';

const DAY = 86_400_000;
/** Transactions funded in one stored step: bounds memory, and how long a step holds the store. */
const BATCH = 500;

/** When a lender funds a transaction of `at`: at midnight UTC, its lag in days later. */
export function fundingDate(at: number, lender: Lender): number {
  return (Math.floor(at / DAY) + lender.fundingLagDays) * DAY;
}

/** A lender transaction that is not the answer to one of the service's own. Minor units. */
export interface LooseFunding {
  environment: EnvironmentName;
  lender: Lender;
  transactionType: TransactionType;
  amount: number;
  discount: number;
  currency: string;
  /** The service's transaction it claims to be, if any. */
  transactionId?: string | undefined;
  merchantOrderId?: string | undefined;
}

/** The lenders' side: pays what is due, and posts what the service does not expect. */
export class Settlement {
  readonly #database: Database;
  readonly #clock: SandboxClock;
  readonly #fundings: FundingStore;

  constructor(database: Database, clock: SandboxClock, fundings: FundingStore) {
    this.#database = database;
    this.#clock = clock;
    this.#fundings = fundings;
  }

  /** Posts a funding for each transaction that is due by now. @returns how many */
  run(): number {
    let funded = 0;
    for (;;) {
      const batch = this.#runBatch();
      funded += batch;
      if (batch < BATCH) return funded;
    }
  }

  /** Posts one lender transaction out of the blue, matched with the service's own as any other. */
  post(loose: LooseFunding): void {
    const now = this.#clock.now();
    inTransaction(this.#database, () => {
      this.#fundings.insert({
        environment: loose.environment,
        fundedAt: now,
        updatedAt: now,
        lenderName: loose.lender.name,
        lenderReferenceId: reference(
          `${loose.transactionId ?? ''}|${now}|${this.#fundings.count()}`,
        ),
        transactionType: loose.transactionType,
        amount: loose.amount,
        discount: loose.discount,
        currency: loose.currency,
        transactionId: loose.transactionId ?? null,
        merchantOrderId: loose.merchantOrderId ?? null,
      });
    });
  }

  #runBatch(): number {
    return inTransaction(this.#database, () => {
      const due = this.#database
        .prepare(
          `SELECT t.id, t.environment, t.type, t.amount, t.discount, t.fund_at, c.lender_id, c.currency
           FROM transactions t JOIN charges c ON c.id = t.charge_id
           WHERE t.fund_at IS NOT NULL AND t.fund_at <= ?
           ORDER BY t.fund_at, t.seq LIMIT ${BATCH}`,
        )
        .all(this.#clock.now()) as unknown[] as DueRow[];
      const done = this.#database.prepare('UPDATE transactions SET fund_at = NULL WHERE id = ?');
      for (const row of due) {
        this.#fundings.insert({
          environment: row.environment,
          fundedAt: row.fund_at,
          updatedAt: row.fund_at,
          lenderName: lenderById(row.lender_id).name,
          lenderReferenceId: reference(row.id),
          transactionType: row.type,
          amount: row.amount,
          discount: row.discount,
          currency: row.currency,
          transactionId: row.id,
          merchantOrderId: null,
        });
        done.run(row.id);
      }
      return due.length;
    });
  }
}

interface DueRow {
  id: string;
  environment: EnvironmentName;
  type: TransactionType;
  amount: number;
  discount: number;
  fund_at: number;
  lender_id: string;
  currency: string;
}

/** A lender's own reference, the same for the same transaction. */
function reference(seed: string): string {
  return createHash('sha256').update(seed).digest('hex').slice(0, 16).toUpperCase();
}
