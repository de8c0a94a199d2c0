import { randomUUID } from 'node:crypto';
import type { TransactionType } from '../charges/charge.ts';
import type { SandboxClock } from '../state/clock.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import { statementOf, type StatedTransaction, type StatementChange } from './statement.ts';
import type { FundingName, FundingStore } from './store.ts';
import { inTransaction, type Database } from '../state/database.ts';
import { findRows } from '../state/rows.ts';
import { StatementChanges } from './changes.ts';
import { postingsOf } from './fault.ts';
import { FundingFaults } from './faults.ts';
import { type Lender, lenderReferenceOf } from '../lenders/lenders.ts';
import type { Lenders } from '../lenders/terms.ts';

/** Transactions funded per database transaction: limits memory and the time of each write. */
const BATCH = 500;

/** A lender transaction that has no service transaction. Amounts are in minor units. */
interface LooseFunding {
  environment: EnvironmentName;
  lender: Lender;
  transactionType: TransactionType;
  amount: number;
  discount: number;
  currency: string;
  /** The service transaction that this funding refers to, if any. */
  transactionId?: string | undefined;
  merchantOrderId?: string | undefined;
}

/** The lenders' side: pays due transactions, and posts fundings that the service does not expect. */
export class Settlement {
  readonly #database: Database;
  readonly #clock: SandboxClock;
  readonly #fundings: FundingStore;
  readonly #lenders: Lenders;
  readonly #changes: StatementChanges;
  readonly #before: () => void;
  /** Forced lender mistakes. */
  readonly faults: FundingFaults;

  /** @param before brings the charges up to date before the lenders look for due transactions */
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

  /** Posts a funding for each due transaction, then applies the due changes to earlier fundings. */
  run(): void {
    this.#before();
    const now = this.#clock.now();
    for (let batch = BATCH; batch === BATCH;) {
      batch = inTransaction(this.#database, () => this.#fund(now));
    }
    for (let batch = BATCH; batch === BATCH;) {
      batch = inTransaction(this.#database, () => this.#changes.makeDue(now, BATCH));
    }
  }

  /** Posts one unexpected lender transaction, and matches it like any other. */
  post(loose: LooseFunding): void {
    const now = this.#clock.now();
    inTransaction(this.#database, () => {
      this.#fundings.insert({
        environment: loose.environment,
        fundedAt: now,
        updatedAt: now,
        lenderName: loose.lender.name,
        // Random, because a lender may repeat a statement while the clock is frozen.
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

  /** Changes or removes posted fundings. @returns the number of affected fundings */
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
    const due = findRows<DueRow>(
      this.#database,
      `SELECT t.id, t.environment, t.type, t.amount, t.discount, t.fund_at, t.charge_id,
           c.lender_id, c.currency, c.merchant_order_id
         FROM transactions t JOIN charges c ON c.id = t.charge_id
         WHERE t.fund_at IS NOT NULL AND t.fund_at <= ?
         ORDER BY t.fund_at, t.seq LIMIT ${BATCH}`,
      now,
    );
    if (due.length === 0) return 0;
    const done = this.#database.prepare('UPDATE transactions SET fund_at = NULL WHERE id = ?');
    const faultOf = this.faults.waiting();
    const names = new Map(this.#lenders.list().map(({ id, name }) => [id, name]));
    for (const row of due) {
      const fault = faultOf({
        environment: row.environment,
        merchantOrderId: row.merchantOrderId,
        chargeId: row.chargeId,
        transactionId: row.id,
        transactionType: row.type,
      });
      for (const { statement, later } of postingsOf(
        statementOf({ ...row, lenderName: names.get(row.lenderId) ?? row.lenderId }),
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

type DueRow = Omit<StatedTransaction, 'lenderName'> & { chargeId: string; lenderId: string };
