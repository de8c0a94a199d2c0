import type { StatementSync } from 'node:sqlite';
import type { TransactionType } from '../charges/charge.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../store/database.ts';
import { verdictOf, type Verdict } from './verdict.ts';

/** A lender's transaction as the lender states it. Minor units, milliseconds. */
export interface LenderStatement {
  environment: EnvironmentName;
  fundedAt: number;
  updatedAt: number;
  lenderName: string;
  lenderReferenceId: string;
  transactionType: TransactionType;
  amount: number;
  discount: number;
  currency: string;
  transactionId: string | null;
  merchantOrderId: string | null;
}

/** A funding: the lender's statement, what it was matched with, and the verdict. */
export interface FundingRow {
  seq: number;
  verdict: Verdict;
  funded_at: number;
  updated_at: number;
  lender_name: string;
  lender_reference_id: string;
  transaction_type: TransactionType;
  amount: number;
  discount: number;
  currency: string;
  transaction_id: string | null;
  transaction_date: number | null;
  merchant_transaction_id: string | null;
  merchant_order_id: string | null;
  charge_id: string | null;
  product_type: string | null;
  promo_code: string | null;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
}

/** Which fundings a page shows. Times in milliseconds, both ends included. */
export interface FundingFilter {
  environment: EnvironmentName;
  from: number | undefined;
  to: number | undefined;
  /** Whether those without a match are shown too (specification 4.1, 4.2). */
  showMissing: boolean;
}

interface Bookmark {
  filter: string;
  offset: number;
  generation: number;
  fundedAt: number;
  seq: number;
}

/** Pages that were just read and can be continued by key instead of by counting rows again. */
const BOOKMARKS = 32;

/** Fundings in the store, newest first: what arrives shifts the pages, as it would at a lender. */
export class FundingStore {
  readonly #database: Database;
  readonly #insert: StatementSync;
  /** Grows with each write: a bookmark of an older one would skip or repeat. */
  #generation = 0;
  #bookmarks: Bookmark[] = [];

  constructor(database: Database) {
    this.#database = database;
    this.#insert = database.prepare(
      `INSERT INTO fundings (environment, verdict, hidden, funded_at, updated_at, lender_name,
        lender_reference_id, transaction_type, amount, discount, currency, transaction_id,
        transaction_date, merchant_transaction_id, merchant_order_id, charge_id, product_type,
        promo_code, first_name, last_name, email)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  /** Matches a statement with the service's own transactions and stores both. */
  insert(statement: LenderStatement): void {
    const known = this.#knownOf(statement);
    const verdict = verdictOf({
      funding: statement,
      transaction:
        known?.type && known.amount !== null
          ? { type: known.type, amount: known.amount }
          : undefined,
      chargeKnown: known !== undefined,
    });
    this.#generation += 1;
    this.#insert.run(
      statement.environment,
      verdict,
      verdict === 'missing' ? 1 : 0,
      statement.fundedAt,
      statement.updatedAt,
      statement.lenderName,
      statement.lenderReferenceId,
      statement.transactionType,
      statement.amount,
      statement.discount,
      statement.currency,
      statement.transactionId,
      known?.created_at ?? null,
      known?.merchant_transaction_id ?? null,
      known?.merchant_order_id ?? statement.merchantOrderId,
      known?.charge_id ?? null,
      known?.product_type ?? null,
      known?.promo_code ?? null,
      known?.first_name ?? null,
      known?.last_name ?? null,
      known?.email ?? null,
    );
  }

  count(): number {
    const row = this.#database.prepare('SELECT COUNT(*) AS fundings FROM fundings').get();
    return Number(row?.fundings ?? 0);
  }

  /**
   * One page. Reading on where the last page ended costs the same at any offset; jumping to an
   * offset costs a walk over the index.
   */
  page(filter: FundingFilter, offset: number, limit: number): FundingRow[] {
    const key = JSON.stringify(filter);
    const bookmark = this.#bookmarks.find(
      (candidate) =>
        candidate.filter === key &&
        candidate.offset === offset &&
        candidate.generation === this.#generation,
    );
    const rows = this.#read(filter, offset, limit, bookmark);
    const last = rows.at(-1);
    if (last && rows.length === limit) {
      this.#bookmarks = [
        {
          filter: key,
          offset: offset + limit,
          generation: this.#generation,
          fundedAt: last.funded_at,
          seq: last.seq,
        },
        ...this.#bookmarks.filter((candidate) => candidate !== bookmark),
      ].slice(0, BOOKMARKS);
    }
    return rows;
  }

  #read(
    filter: FundingFilter,
    offset: number,
    limit: number,
    bookmark: Bookmark | undefined,
  ): FundingRow[] {
    const conditions = ['environment = ?'];
    const values: (string | number)[] = [filter.environment];
    // Spelled as in the partial index, or it would not be used.
    if (!filter.showMissing) conditions.push('hidden = 0');
    if (filter.from !== undefined) {
      conditions.push('funded_at >= ?');
      values.push(filter.from);
    }
    if (filter.to !== undefined) {
      conditions.push('funded_at <= ?');
      values.push(filter.to);
    }
    if (bookmark) {
      conditions.push('(funded_at, seq) < (?, ?)');
      values.push(bookmark.fundedAt, bookmark.seq);
    }
    return this.#database
      .prepare(
        `SELECT * FROM fundings WHERE ${conditions.join(' AND ')}
         ORDER BY funded_at DESC, seq DESC LIMIT ? OFFSET ?`,
      )
      .all(...values, limit, bookmark ? 0 : offset) as unknown[] as FundingRow[];
  }

  /** The service's own transaction and charge that a statement names; the charge alone by order. */
  #knownOf(statement: LenderStatement): KnownRow | undefined {
    const columns = `c.id AS charge_id, c.merchant_order_id, c.product_type, c.promo_code,
      a.first_name, a.last_name, a.email`;
    if (statement.transactionId !== null) {
      return this.#database
        .prepare(
          `SELECT t.type, t.amount, t.created_at, t.merchant_transaction_id, ${columns}
           FROM transactions t JOIN charges c ON c.id = t.charge_id
           JOIN applications a ON a.id = c.application_id WHERE t.id = ? AND t.environment = ?`,
        )
        .get(statement.transactionId, statement.environment) as KnownRow | undefined;
    }
    if (statement.merchantOrderId === null) return undefined;
    return this.#database
      .prepare(
        `SELECT NULL AS type, NULL AS amount, NULL AS created_at, NULL AS merchant_transaction_id,
           ${columns} FROM charges c JOIN applications a ON a.id = c.application_id
         WHERE c.merchant_order_id = ? AND c.environment = ?
         ORDER BY c.created_at DESC LIMIT 1`,
      )
      .get(statement.merchantOrderId, statement.environment) as KnownRow | undefined;
  }
}

interface KnownRow {
  type: TransactionType | null;
  amount: number | null;
  created_at: number | null;
  merchant_transaction_id: string | null;
  charge_id: string;
  merchant_order_id: string;
  product_type: string;
  promo_code: string | null;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
}
