import type { StatementSync } from 'node:sqlite';
import type { TransactionType } from '../charges/charge.ts';
import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../store/database.ts';
import { PageCache } from './page-cache.ts';
import { recordColumns, recordsBytes, type RecordRow } from './record.ts';
import { columns, statementOf, valuesOf, type FundingRow } from './rows.ts';
import type { KnownTransaction, LenderStatement, StatementChange } from './statement.ts';
import type { Vocabulary } from './verdict.ts';

/** Which fundings a page shows. Times in milliseconds, both ends included. */
export interface FundingFilter {
  environment: EnvironmentName;
  from: number | undefined;
  to: number | undefined;
  /** Whether those without a match are shown too (specification 4.1, 4.2). */
  showMissing: boolean;
}

/** What a person names fundings by; the first that is given counts. */
export interface FundingName {
  lenderReferenceId?: string | undefined;
  transactionId?: string | undefined;
  merchantOrderId?: string | undefined;
}

interface Bookmark {
  filter: string;
  generation: number;
  /** Offset of what comes after the last of {@link places}. */
  end: number;
  /** Where the last rows of the page stand. */
  places: { fundedAt: number; seq: number }[];
}

/** Pages that were just read and can be continued by key instead of by counting rows again. */
const BOOKMARKS = 32;
/** How far back a page may be continued: who wants to be sure reads some records twice. */
const PLACES = 100;

/** Fundings in the store, newest first: what arrives shifts the pages, as it would at a lender. */
export class FundingStore {
  readonly #database: Database;
  readonly #insert: StatementSync;
  /** Grows with each write: a bookmark of an older one would skip or repeat. */
  #generation = 0;
  #bookmarks: Bookmark[] = [];
  readonly #pages = new PageCache();

  constructor(database: Database) {
    this.#database = database;
    this.#insert = database.prepare(
      `INSERT INTO fundings (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
  }

  /** Matches a statement with the service's own transactions and stores both. @returns its number */
  insert(statement: LenderStatement): number {
    return this.insertKnown(statement, this.#knownOf(statement));
  }

  /** As {@link insert}, by who has just written the transaction and need not look for it. */
  insertKnown(statement: LenderStatement, known: KnownTransaction | undefined): number {
    this.#generation += 1;
    return Number(this.#insert.run(...valuesOf(statement, known)).lastInsertRowid);
  }

  /** A lender changes what it stated: it is matched anew, and `updatedAt` moves to `at`. */
  change(seq: number, change: StatementChange, at: number): void {
    const row = this.#database.prepare('SELECT * FROM fundings WHERE seq = ?').get(seq) as
      FundingRow | undefined;
    if (!row) throw new Error('A funding that is to change is not there.');
    const statement = { ...statementOf(row), ...change, updatedAt: at };
    this.#generation += 1;
    this.#database
      .prepare(
        `UPDATE fundings SET ${columns.map((name) => `${name} = ?`).join(', ')} WHERE seq = ?`,
      )
      .run(...valuesOf(statement, this.#knownOf(statement)), seq);
  }

  /** Takes a funding out, as a lender that thinks again does. */
  remove(seq: number): void {
    this.#generation += 1;
    this.#database.prepare('DELETE FROM funding_changes WHERE funding = ?').run(seq);
    this.#database.prepare('DELETE FROM fundings WHERE seq = ?').run(seq);
  }

  /** The fundings that carry an id, oldest first. Looks at each: for a person, not for a program. */
  find(environment: EnvironmentName, by: FundingName): FundingRow[] {
    const [column, value] =
      by.lenderReferenceId !== undefined
        ? ['lender_reference_id', by.lenderReferenceId]
        : by.transactionId !== undefined
          ? ['transaction_id', by.transactionId]
          : ['merchant_order_id', by.merchantOrderId ?? ''];
    return this.#database
      .prepare(`SELECT * FROM fundings WHERE environment = ? AND ${column} = ? ORDER BY seq`)
      .all(environment, value) as unknown[] as FundingRow[];
  }

  /** The rows were changed by somebody else: a reset, a state that was loaded. */
  forget(): void {
    this.#generation += 1;
  }

  /** One page as the wire has it. */
  pageJson(
    filter: FundingFilter,
    offset: number,
    limit: number,
    vocabulary: Vocabulary,
  ): Uint8Array<ArrayBuffer> {
    return this.#pages.get(
      this.#generation,
      JSON.stringify([filter, offset, limit, vocabulary]),
      () => recordsBytes(this.#page(filter, offset, limit, vocabulary), vocabulary),
    );
  }

  /**
   * One page. Reading on where the last page ended, or a little before, costs the same at any
   * offset; jumping to an offset costs a walk over the index.
   */
  #page(filter: FundingFilter, offset: number, limit: number, vocabulary: Vocabulary): RecordRow[] {
    const key = JSON.stringify(filter);
    const bookmark = this.#bookmarks.find(
      ({ filter, generation, end, places }) =>
        filter === key &&
        generation === this.#generation &&
        offset <= end &&
        offset > end - places.length,
    );
    const place = bookmark?.places.at(offset - bookmark.end - 1);
    const rows = this.#read(filter, offset, limit, place, vocabulary);
    if (rows.length === limit) {
      const places = rows.slice(-PLACES).map(([seq, fundedAt]) => ({ fundedAt, seq }));
      const next = { filter: key, generation: this.#generation, end: offset + limit, places };
      this.#bookmarks = [
        next,
        ...this.#bookmarks.filter((candidate) => candidate !== bookmark),
      ].slice(0, BOOKMARKS);
    }
    return rows;
  }

  #read(
    filter: FundingFilter,
    offset: number,
    limit: number,
    after: Bookmark['places'][number] | undefined,
    vocabulary: Vocabulary,
  ): RecordRow[] {
    const conditions = ['environment = ?'];
    const values: (string | number)[] = [filter.environment];
    // Spelled as in the partial index, or it would not be used.
    if (!filter.showMissing) conditions.push('hidden = 0');
    if (filter.from !== undefined) {
      conditions.push('funded_at >= ?');
      values.push(filter.from);
    }
    if (after) {
      // Alone: beside another upper bound, the index may be walked from that one.
      conditions.push('(funded_at, seq) < (?, ?)');
      values.push(after.fundedAt, after.seq);
    } else if (filter.to !== undefined) {
      conditions.push('funded_at <= ?');
      values.push(filter.to);
    }
    const statement = this.#database.prepare(
      `SELECT ${recordColumns(vocabulary)} FROM fundings WHERE ${conditions.join(' AND ')}
       ORDER BY funded_at DESC, seq DESC LIMIT ? OFFSET ?`,
    );
    // An object for each row, with its names, would take longer than what is read into it.
    statement.setReturnArrays(true);
    const rows: unknown[] = statement.all(...values, limit, after ? 0 : offset);
    return rows as RecordRow[];
  }

  /** The service's own transaction and charge that a statement names; the charge alone by order. */
  #knownOf({ environment, transactionId, merchantOrderId }: LenderStatement) {
    const shared = `c.id AS charge_id, c.merchant_order_id, c.product_type, c.promo_code,
      a.first_name, a.last_name, a.email`;
    if (transactionId !== null) {
      const row = this.#database
        .prepare(
          `SELECT t.type, t.amount, t.created_at, t.merchant_transaction_id, ${shared}
           FROM transactions t JOIN charges c ON c.id = t.charge_id
           JOIN applications a ON a.id = c.application_id WHERE t.id = ? AND t.environment = ?`,
        )
        .get(transactionId, environment) as KnownRow | undefined;
      if (row) return knownFromRow(row);
    }
    if (merchantOrderId === null) return undefined;
    const row = this.#database
      .prepare(
        `SELECT NULL AS type, NULL AS amount, NULL AS created_at, NULL AS merchant_transaction_id,
           ${shared} FROM charges c JOIN applications a ON a.id = c.application_id
         WHERE c.merchant_order_id = ? AND c.environment = ?
         ORDER BY c.rowid DESC LIMIT 1`,
      )
      .get(merchantOrderId, environment) as KnownRow | undefined;
    return row && knownFromRow(row);
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

function knownFromRow(row: KnownRow): KnownTransaction {
  const { type, amount, created_at: createdAt } = row;
  return {
    transaction:
      type === null || amount === null || createdAt === null
        ? null
        : { type, amount, createdAt, merchantTransactionId: row.merchant_transaction_id },
    chargeId: row.charge_id,
    merchantOrderId: row.merchant_order_id,
    productType: row.product_type,
    promoCode: row.promo_code,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
  };
}
