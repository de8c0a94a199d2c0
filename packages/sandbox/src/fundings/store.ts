import type { EnvironmentName } from '../environments/environment.ts';
import type { Database } from '../state/database.ts';
import { execute, findRows, rowInserter, updateRow, type RowValues } from '../state/rows.ts';
import { PageCache } from './page-cache.ts';
import { recordColumns, recordsBytes, type RecordRow } from './record.ts';
import { matched, type Funding } from './funding.ts';
import type { KnownTransaction, LenderStatement, StatementChange } from './statement.ts';
import type { Vocabulary } from './verdict.ts';

/** The fundings that a page includes. Times are in milliseconds; both bounds are inclusive. */
interface FundingFilter {
  environment: EnvironmentName;
  from: number | undefined;
  to: number | undefined;
  /** Whether the page includes fundings without a match (specification 4.1, 4.2). */
  showMissing: boolean;
}

/** An id that identifies fundings; the first field that is set applies. */
export interface FundingName {
  lenderReferenceId?: string | undefined;
  transactionId?: string | undefined;
  merchantOrderId?: string | undefined;
}

interface Bookmark {
  filter: string;
  generation: number;
  /** Offset of the row after the last of {@link places}. */
  end: number;
  /** Keys of the last rows of the page. */
  places: { fundedAt: number; seq: number }[];
}

/** Number of recent pages whose next page uses keyset pagination instead of counting rows again. */
const BOOKMARKS = 32;
/** Maximum number of rows by which pages may overlap: a careful client reads some records twice. */
const PLACES = 100;

/** Fundings in the store, newest first: a new funding shifts the pages, as in the real service. */
export class FundingStore {
  readonly #database: Database;
  readonly #insert: (funding: RowValues) => number;
  /** Incremented by each write: a bookmark of an older generation would skip or repeat rows. */
  #generation = 0;
  #bookmarks: Bookmark[] = [];
  readonly #pages = new PageCache();

  constructor(database: Database) {
    this.#database = database;
    this.#insert = rowInserter(database, 'fundings');
  }

  /** Matches a statement with the service's transactions and stores it. @returns the row number */
  insert(statement: LenderStatement): number {
    return this.insertKnown(statement, this.#knownOf(statement));
  }

  /** Like {@link insert}, for a caller that already has the transaction. */
  insertKnown(statement: LenderStatement, known: KnownTransaction | undefined): number {
    this.#generation += 1;
    return this.#insert({ ...matched(statement, known) });
  }

  /** Changes a lender's statement, matches it again and sets `updatedAt` to `at`. */
  change(seq: number, change: StatementChange, at: number): void {
    const sql = 'SELECT * FROM fundings WHERE seq = ?';
    const funding = findRows<Funding>(this.#database, sql, seq)[0];
    if (!funding) throw new Error('The funding to change does not exist.');
    const statement = { ...funding, ...change, updatedAt: at };
    this.#generation += 1;
    const row = { ...matched(statement, this.#knownOf(statement)) };
    updateRow(this.#database, 'fundings', seq, row, 'seq');
  }

  /** Removes a funding, as if the lender withdrew it. */
  remove(seq: number): void {
    this.#generation += 1;
    execute(this.#database, 'DELETE FROM funding_changes WHERE funding = ?', seq);
    execute(this.#database, 'DELETE FROM fundings WHERE seq = ?', seq);
  }

  /**
   * Returns the fundings with an id, oldest first. A full scan: for manual use, not for programs.
   */
  find(environment: EnvironmentName, by: FundingName): Funding[] {
    const [column, value] =
      by.lenderReferenceId !== undefined
        ? ['lender_reference_id', by.lenderReferenceId]
        : by.transactionId !== undefined
          ? ['transaction_id', by.transactionId]
          : ['merchant_order_id', by.merchantOrderId ?? ''];
    const sql = `SELECT * FROM fundings WHERE environment = ? AND ${column} = ? ORDER BY seq`;
    return findRows(this.#database, sql, environment, value);
  }

  /** Invalidates pages and bookmarks after a reset or a load has changed the rows. */
  forget(): void {
    this.#generation += 1;
  }

  /** Returns one page as a response body. */
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
   * Reads one page. A page that starts where the last one ended, or a little before, costs the same
   * at any offset; a jump to an arbitrary offset scans the index.
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
    // Written exactly as in the partial index; otherwise SQLite would not use the index.
    if (!filter.showMissing) conditions.push('hidden = 0');
    if (filter.from !== undefined) {
      conditions.push('funded_at >= ?');
      values.push(filter.from);
    }
    if (after) {
      // The only upper bound: with a second one, SQLite may scan the index from that one.
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
    // Creating an object with named fields for each row would take longer than reading the row.
    statement.setReturnArrays(true);
    const rows: unknown[] = statement.all(...values, limit, after ? 0 : offset);
    return rows as RecordRow[];
  }

  /** Finds the service's transaction and charge for a statement; by order id, only the charge. */
  #knownOf({ environment, transactionId, merchantOrderId }: LenderStatement) {
    const shared = `c.id AS charge_id, c.merchant_order_id, c.product_type, c.promo_code,
      a.first_name, a.last_name, a.email`;
    if (transactionId !== null) {
      const row = findRows<KnownRow>(
        this.#database,
        `SELECT t.type, t.amount, t.created_at, t.merchant_transaction_id, ${shared}
         FROM transactions t JOIN charges c ON c.id = t.charge_id
         JOIN applications a ON a.id = c.application_id WHERE t.id = ? AND t.environment = ?`,
        transactionId,
        environment,
      )[0];
      if (row) return knownFromRow(row);
    }
    if (merchantOrderId === null) return undefined;
    const row = findRows<KnownRow>(
      this.#database,
      `SELECT NULL AS type, NULL AS amount, NULL AS created_at, NULL AS merchant_transaction_id,
         ${shared} FROM charges c JOIN applications a ON a.id = c.application_id
       WHERE c.merchant_order_id = ? AND c.environment = ?
       ORDER BY c.rowid DESC LIMIT 1`,
      merchantOrderId,
      environment,
    )[0];
    return row && knownFromRow(row);
  }
}

type KnownRow = Omit<KnownTransaction, 'transaction'> &
  (
    | NonNullable<KnownTransaction['transaction']>
    | { type: null; amount: null; createdAt: null; merchantTransactionId: null }
  );

function knownFromRow(row: KnownRow): KnownTransaction {
  const { type, amount, createdAt, merchantTransactionId, ...charge } = row;
  const transaction = type === null ? null : { type, amount, createdAt, merchantTransactionId };
  return { transaction, ...charge };
}
