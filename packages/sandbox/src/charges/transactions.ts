import { randomUUID } from 'node:crypto';
import type { EnvironmentName } from '../environments/environment.ts';
import { fundingDate } from '../lenders/lenders.ts';
import type { Lenders } from '../lenders/terms.ts';
import { invalidFields } from '../platform/service-error.ts';
import type { SandboxClock } from '../state/clock.ts';
import type { Database } from '../state/database.ts';
import { execute, findRows, insertRow } from '../state/rows.ts';
import type { Charge, Transaction, TransactionState, TransactionType } from './charge.ts';
import type { EndState, ForcedTransactions } from './forced.ts';

/** A transaction to record. Amounts are in minor units. */
export interface NewTransaction {
  charge: Charge;
  type: TransactionType;
  amount: number;
  discount: number;
  merchantTransactionId?: string | undefined;
  /** Whether another transaction may have the same merchant transaction id. */
  sharesId?: boolean | undefined;
  /** Whether the lender rejects the transaction immediately. */
  fails?: boolean | undefined;
  /** Set for a transaction that is recorded without the lender: its reference and its time. */
  synthetic?: { reconciliationId: string | undefined; createdAt: number | undefined } | undefined;
}

/** The initial state of a transaction and, if it starts as pending, how and when it ends. */
interface Course {
  state: TransactionState;
  endsAt: number | null;
  endsAs: EndState | null;
}

/** The transactions in the store. The caller opens the database transaction of each change. */
export class Transactions {
  readonly #database: Database;
  readonly #clock: SandboxClock;
  readonly #lenders: Lenders;
  readonly #forced: ForcedTransactions;
  readonly #completed: (charge: Charge, transaction: Transaction) => void;

  /**
   * @param completed called for each transaction that a lender completes, within the same database
   * transaction
   */
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

  /** @throws {ServiceError} 422 when another transaction has the same merchant transaction id */
  record(made: NewTransaction): Transaction {
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
    insertRow(this.#database, 'transactions', { ...transaction, endsAt, endsAs });
    if (state === 'Completed' && !synthetic) this.#completed(charge, transaction);
    return transaction;
  }

  #courseOf({ charge, type, fails, synthetic }: NewTransaction, now: number): Course {
    const atOnce = (state: EndState) => ({ state, endsAt: null, endsAs: null });
    if (fails === true) return atOnce('Failed');
    const forced = synthetic ? undefined : this.#forced.take(charge.environment, type);
    if (!forced) return atOnce('Completed');
    if (forced.endsAfterMs === 0) return atOnce(forced.state);
    return { state: 'Pending', endsAt: now + forced.endsAfterMs, endsAs: forced.state };
  }

  /** Ends a pending transaction. If it completes, it is funded as if it was created at `at`. */
  end(transaction: Transaction, charge: Charge, state: EndState, at: number): Transaction {
    const fundAt = state === 'Completed' ? this.#fundAt(transaction.type, at, charge) : null;
    execute(
      this.#database,
      'UPDATE transactions SET state = ?, fund_at = ?, ends_at = NULL, ends_as = NULL WHERE id = ?',
      state,
      fundAt,
      transaction.id,
    );
    const ended = { ...transaction, state, fundAt };
    if (state === 'Completed') this.#completed(charge, ended);
    return ended;
  }

  /** Returns the pending transactions that are due to end, in the order of their due times. */
  due(): { transaction: Transaction; state: EndState; at: number }[] {
    return findRows<Transaction & { endsAt: number; endsAs: EndState }>(
      this.#database,
      `SELECT ${columns}, ends_at, ends_as FROM transactions WHERE ends_at <= ?
       ORDER BY ends_at, seq`,
      this.#clock.now(),
    ).map(({ endsAt, endsAs, ...transaction }) => ({ transaction, state: endsAs, at: endsAt }));
  }

  /** Oldest first. */
  ofCharge(chargeId: string): Transaction[] {
    const sql = `SELECT ${columns} FROM transactions WHERE charge_id = ? ORDER BY seq`;
    return findRows(this.#database, sql, chargeId);
  }

  /** @param environment any environment if null */
  byId(id: string, environment: EnvironmentName | null = null): Transaction | undefined {
    const sql = `SELECT ${columns} FROM transactions
      WHERE id = ?1 AND environment = coalesce(?2, environment)`;
    return findRows<Transaction>(this.#database, sql, id, environment)[0];
  }

  /** Returns the first transaction with the merchant transaction id. */
  byMerchantId(environment: EnvironmentName, id: string): Transaction | undefined {
    const sql = `SELECT ${columns} FROM transactions
      WHERE environment = ? AND merchant_transaction_id = ? ORDER BY seq LIMIT 1`;
    return findRows<Transaction>(this.#database, sql, environment, id)[0];
  }

  #fundAt(type: TransactionType, at: number, { lenderId }: Charge): number | null {
    const movesMoney = type !== 'Authorize' && type !== 'Void';
    return movesMoney ? fundingDate(at, this.#lenders.byId(lenderId)) : null;
  }
}

const columns = `id, environment, charge_id, type, state, amount, discount,
  merchant_transaction_id, reconciliation_id, created_at, fund_at`;
