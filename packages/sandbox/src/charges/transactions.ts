import { randomUUID } from 'node:crypto';
import { invalidFields } from '../api/errors.ts';
import type { SandboxClock } from '../clock/clock.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import { fundingDate } from '../lender/settlement.ts';
import type { Lenders } from '../lender/terms.ts';
import type { Database } from '../store/database.ts';
import type { Charge, Transaction, TransactionState, TransactionType } from './charge.ts';
import type { EndState, ForcedTransactions } from './forced.ts';
import { transactionFromRow, type TransactionRow } from './rows.ts';

/** A transaction as it is made. Minor units. */
export interface MadeTransaction {
  charge: Charge;
  type: TransactionType;
  amount: number;
  discount: number;
  merchantTransactionId?: string | undefined;
  /** Whether the merchant's id may be another transaction's too. */
  sharesId?: boolean | undefined;
  /** Whether the lender refuses it at once. */
  fails?: boolean | undefined;
  /** Set for one that is booked without the lender: when, and under which reference. */
  synthetic?: { reconciliationId: string | undefined; createdAt: number | undefined } | undefined;
}

interface Course {
  state: TransactionState;
  endsAt: number | null;
  endsAs: EndState | null;
}

/** The transactions of charges in the store. What changes them is within a transaction of its own. */
export class Transactions {
  readonly #database: Database;
  readonly #clock: SandboxClock;
  readonly #lenders: Lenders;
  readonly #forced: ForcedTransactions;
  readonly #completed: (charge: Charge, transaction: Transaction) => void;

  /** @param completed hears of each transaction that a lender completes; part of its transaction */
  constructor(
    database: Database,
    clock: SandboxClock,
    lenders: Lenders,
    forced: ForcedTransactions,
    completed: (charge: Charge, transaction: Transaction) => void = () => undefined,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#lenders = lenders;
    this.#forced = forced;
    this.#completed = completed;
  }

  /** @throws {ServiceError} 422 when the merchant's id is another transaction's */
  record(made: MadeTransaction): Transaction {
    const { charge, type, amount, discount, merchantTransactionId, synthetic } = made;
    const { environment } = charge;
    if (
      merchantTransactionId !== undefined &&
      made.sharesId !== true &&
      this.byMerchantId(environment, merchantTransactionId)
    ) {
      const field = 'merchantTransactionId';
      throw invalidFields([{ field, error: 'must be unique: another transaction has this id' }]);
    }
    const now = this.#clock.now();
    const { state, endsAt, endsAs } = this.#courseOf(made, now);
    const transaction: Transaction = {
      id: randomUUID(),
      environment,
      chargeId: charge.id,
      type,
      state,
      amount,
      discount,
      merchantTransactionId: merchantTransactionId ?? null,
      reconciliationId: synthetic?.reconciliationId ?? null,
      createdAt: synthetic?.createdAt ?? now,
      fundAt: state === 'Completed' && !synthetic ? this.#fundAt(type, now, charge) : null,
    };
    this.#database
      .prepare(
        `INSERT INTO transactions (id, environment, charge_id, type, state, amount, discount,
          merchant_transaction_id, reconciliation_id, created_at, fund_at, ends_at, ends_as)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        transaction.id,
        environment,
        charge.id,
        type,
        transaction.state,
        amount,
        discount,
        transaction.merchantTransactionId,
        transaction.reconciliationId,
        transaction.createdAt,
        transaction.fundAt,
        endsAt,
        endsAs,
      );
    if (state === 'Completed' && !synthetic) this.#completed(charge, transaction);
    return transaction;
  }

  /** The state that a new transaction has, and the end of one that is pending at first. */
  #courseOf({ charge, type, fails, synthetic }: MadeTransaction, now: number): Course {
    const atOnce = (state: EndState) => ({ state, endsAt: null, endsAs: null });
    if (fails === true) return atOnce('Failed');
    const forced = synthetic ? undefined : this.#forced.take(charge.environment, type);
    if (!forced) return atOnce('Completed');
    if (forced.endsAfterMs === 0) return atOnce(forced.state);
    return { state: 'Pending', endsAt: now + forced.endsAfterMs, endsAs: forced.state };
  }

  /** Ends a pending one. One that is completed is funded as if it had been made at that moment. */
  end(transaction: Transaction, charge: Charge, state: EndState, at: number): Transaction {
    const fundAt = state === 'Completed' ? this.#fundAt(transaction.type, at, charge) : null;
    this.#database
      .prepare(
        'UPDATE transactions SET state = ?, fund_at = ?, ends_at = NULL, ends_as = NULL WHERE id = ?',
      )
      .run(state, fundAt, transaction.id);
    const ended = { ...transaction, state, fundAt };
    if (state === 'Completed') this.#completed(charge, ended);
    return ended;
  }

  /** The pending ones whose end has come, in that order. */
  due(): { transaction: Transaction; state: EndState; at: number }[] {
    const rows = this.#database
      .prepare('SELECT * FROM transactions WHERE ends_at <= ? ORDER BY ends_at, seq')
      .all(this.#clock.now()) as unknown[] as (TransactionRow & {
      ends_at: number;
      ends_as: EndState;
    })[];
    return rows.map((row) => ({
      transaction: transactionFromRow(row),
      state: row.ends_as,
      at: row.ends_at,
    }));
  }

  /** Oldest first. */
  ofCharge(chargeId: string): Transaction[] {
    const rows = this.#database
      .prepare('SELECT * FROM transactions WHERE charge_id = ? ORDER BY seq')
      .all(chargeId) as unknown[];
    return rows.map((row) => transactionFromRow(row as TransactionRow));
  }

  /** @param environment undefined: wherever it is */
  byId(id: string, environment?: EnvironmentName): Transaction | undefined {
    const row = this.#database
      .prepare(
        'SELECT * FROM transactions WHERE id = ?1 AND environment = coalesce(?2, environment)',
      )
      .get(id, environment ?? null) as TransactionRow | undefined;
    return row && transactionFromRow(row);
  }

  /** The first one of several that share the id. */
  byMerchantId(environment: EnvironmentName, id: string): Transaction | undefined {
    const row = this.#database
      .prepare(
        `SELECT * FROM transactions WHERE environment = ? AND merchant_transaction_id = ?
         ORDER BY seq LIMIT 1`,
      )
      .get(environment, id) as TransactionRow | undefined;
    return row && transactionFromRow(row);
  }

  #fundAt(type: TransactionType, at: number, { lenderId }: Charge): number | null {
    const movesMoney = type !== 'Authorize' && type !== 'Void';
    return movesMoney ? fundingDate(at, this.#lenders.byId(lenderId)) : null;
  }
}
