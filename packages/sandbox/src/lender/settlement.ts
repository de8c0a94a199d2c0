import { randomUUID } from 'node:crypto';
import type { TransactionType } from '../charges/charge.ts';
import type { SandboxClock } from '../clock/clock.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { LenderStatement, StatementChange } from '../fundings/statement.ts';
import type { FundingName, FundingStore } from '../fundings/store.ts';
import { inTransaction, type Database } from '../store/database.ts';
import { StatementChanges } from './changes.ts';
import { postingsOf } from './fault.ts';
import { FundingFaults } from './faults.ts';
import type { Lender } from './lenders.ts';
import { lenderReferenceOf } from './reference.ts';
import type { Lenders } from './terms.ts';

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
  readonly #lenders: Lenders;
  readonly #changes: StatementChanges;
  readonly #before: () => void;
  /** Mistakes that the lenders are asked to make. */
  readonly faults: FundingFaults;

  /** @param before what has to be up to date when the lenders look at what is due */
  constructor(
    database: Database,
    clock: SandboxClock,
    fundings: FundingStore,
    lenders: Lenders,
    before: () => void,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#fundings = fundings;
    this.#lenders = lenders;
    this.#before = before;
    this.#changes = new StatementChanges(database, fundings);
    this.faults = new FundingFaults(database);
  }

  /**
   * Posts a funding for each transaction that is due by now, and then makes the changes to earlier
   * ones that are. @returns how many were funded
   */
  run(): number {
    this.#before();
    const now = this.#clock.now();
    let funded = 0;
    for (let batch = BATCH; batch === BATCH; funded += batch) {
      batch = inTransaction(this.#database, () => this.#fund(now));
    }
    for (let batch = BATCH; batch === BATCH;) {
      batch = inTransaction(this.#database, () => this.#changes.makeDue(now, BATCH));
    }
    return funded;
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
        // At random: the same statement may be made twice, at one moment of a frozen clock.
        lenderReferenceId: lenderReferenceOf(randomUUID()),
        transactionType: loose.transactionType,
        amount: loose.amount,
        discount: loose.discount,
        net: null,
        currency: loose.currency,
        transactionId: loose.transactionId ?? null,
        merchantOrderId: loose.merchantOrderId ?? null,
      });
    });
  }

  /** Changes, or takes out, fundings that were posted before. @returns how many there were */
  amend(environment: EnvironmentName, by: FundingName, change: StatementChange | 'remove'): number {
    const now = this.#clock.now();
    return inTransaction(this.#database, () => {
      const found = this.#fundings.find(environment, by);
      for (const { seq } of found) {
        if (change === 'remove') this.#fundings.remove(seq);
        else this.#fundings.change(seq, change, now);
      }
      return found.length;
    });
  }

  #fund(now: number): number {
    const due = this.#database
      .prepare(
        `SELECT t.id, t.environment, t.type, t.amount, t.discount, t.fund_at, t.charge_id,
           c.lender_id, c.currency, c.merchant_order_id
         FROM transactions t JOIN charges c ON c.id = t.charge_id
         WHERE t.fund_at IS NOT NULL AND t.fund_at <= ?
         ORDER BY t.fund_at, t.seq LIMIT ${BATCH}`,
      )
      .all(now) as unknown[] as DueRow[];
    if (due.length === 0) return 0;
    const done = this.#database.prepare('UPDATE transactions SET fund_at = NULL WHERE id = ?');
    const faultOf = this.faults.waiting();
    const names = new Map(this.#lenders.list().map(({ id, name }) => [id, name]));
    for (const row of due) {
      const fault = faultOf({
        environment: row.environment,
        merchantOrderId: row.merchant_order_id,
        chargeId: row.charge_id,
        transactionId: row.id,
        transactionType: row.type,
      });
      for (const { statement, later } of postingsOf(
        statementFor(row, names.get(row.lender_id) ?? row.lender_id),
        fault,
      )) {
        const funding = this.#fundings.insert(statement);
        if (later) this.#changes.schedule(funding, later.at, later.change);
      }
      done.run(row.id);
    }
    return due.length;
  }
}

/** What the lender states when it makes no mistake. */
function statementFor(row: DueRow, lenderName: string): LenderStatement {
  return {
    environment: row.environment,
    fundedAt: row.fund_at,
    updatedAt: row.fund_at,
    lenderName,
    lenderReferenceId: lenderReferenceOf(row.id),
    transactionType: row.type,
    amount: row.amount,
    discount: row.discount,
    net: null,
    currency: row.currency,
    transactionId: row.id,
    merchantOrderId: row.merchant_order_id,
  };
}

interface DueRow {
  id: string;
  environment: EnvironmentName;
  type: TransactionType;
  amount: number;
  discount: number;
  fund_at: number;
  charge_id: string;
  lender_id: string;
  currency: string;
  merchant_order_id: string;
}
