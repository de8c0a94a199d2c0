import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { orderKeyOf } from '../../order-key.ts';
import type { Database } from '../../store/database.ts';
import type { Schema } from '../../store/schema.ts';
import { setApart } from './alike.ts';
import { markDirtyOf } from './dirty.ts';
import { insertRows, isSqlite, type RowColumn } from './json-rows.ts';
import { lineId, type NewLedgerLine } from './line.ts';
import { holdProjection } from './projection.ts';
import { byIndex, inBooks, isSettledAsCharged, namelessTellingOf, tellingOf } from './telling.ts';
import { isOwn, withdrawStaged } from './withdrawal.ts';

/** What an import does with its lines: puts them into the books, or takes them out again. */
export type ImportAction = 'add' | 'withdraw';

/** An import under way. */
export interface ImportPlace {
  environment: string;
  id: string;
}

/** A line of a file, and its number there. */
export interface StagedLine {
  /** From 1. */
  number: number;
  line: NewLedgerLine;
}

/** A line that cannot stand beside another one with the same id. */
export interface LineConflict {
  number: number;
  /** Number of the line it contradicts; undefined: one that is in the books already. */
  other: number | undefined;
}

/** Lines from one id up to another, in the order of ids. */
export interface CheckedPage {
  /** The last id; undefined: this is the last page. */
  last: string | undefined;
  conflicts: LineConflict[];
  /**
   * Lines that change nothing: the file or the books say it already; or, where it is to be withdrawn,
   * the books do not say it, or the companion itself does.
   */
  repeated: number;
}

export interface LedgerImportStore {
  /** Begins an import. False while another one is under way. */
  beginImport(
    place: ImportPlace,
    beginning: { action: ImportAction; source: 'import' | 'api'; actor?: string | undefined },
    now: number,
    until: number,
  ): Promise<boolean>;
  /** Keeps lines for later. False: the import was given up by another one. */
  stageLines(place: ImportPlace, lines: readonly StagedLine[], until: number): Promise<boolean>;
  /**
   * Has PostgreSQL count the lines that are staged, and those of the books. It plans by what it knows,
   * which may be that there are none, and would read all of them for each one.
   */
  countLines(): Promise<void>;
  /**
   * Sets staged lines apart that nothing names and that say the same, before they are compared.
   * @returns undefined: the import was given up by another one
   */
  setApart(
    place: ImportPlace,
    page: { after: string; limit: number; until: number },
  ): Promise<{ last: string | undefined; alike: number } | undefined>;
  /**
   * Compares staged lines with one another, and with the books.
   * @returns undefined: the import was given up by another one
   */
  checkStaged(
    place: ImportPlace,
    action: ImportAction,
    page: { after: string; limit: number; until: number },
  ): Promise<CheckedPage | undefined>;
  /** From here on the import is carried through, by whoever comes next. */
  decideImport(place: ImportPlace, until: number): Promise<boolean>;
  /**
   * Does with the next staged lines what the import is for.
   * @returns how many are new in the books, or out of them; undefined at the end
   */
  applyStaged(
    place: ImportPlace,
    limit: number,
    now: number,
    until: number,
  ): Promise<number | undefined>;
  /** Takes the next staged lines away. False: there are none left. */
  discardStaged(place: ImportPlace, limit: number): Promise<boolean>;
  /** Ends an import that was applied or discarded. */
  endImport(place: ImportPlace, now: number): Promise<void>;
  /** Whether there is an import whose companion is gone. */
  isImportLeft(environment: string, now: number): Promise<boolean>;
  /** The import of which a part may be in the books, or out of them, already; times in milliseconds. */
  applyingImport(environment: string): Promise<{ since: number; until: number } | undefined>;
  /**
   * Takes on an import whose companion is gone. One that was not decided cannot be decided any more:
   * its companion may come back while it is cleared away.
   */
  takeOnImport(
    environment: string,
    now: number,
    until: number,
  ): Promise<{ id: string; state: 'discarding' | 'applying' } | undefined>;
  /**
   * An import that ended before a time, and by whose lines fundings have not been priced.
   * @returns how many lines it changed
   */
  findUnpriced(
    environment: string,
    before: number,
  ): Promise<(ImportPlace & { added: number }) | undefined>;
  /** Fundings have been priced by so many of its lines. */
  endPricing(place: ImportPlace, added: number): Promise<void>;
}

const columns: readonly RowColumn[] = [
  ['import_id', 'text'],
  ['id', 'text'],
  ['line', 'bigint'],
  ['order_key', 'text'],
  ['currency', 'text'],
  ['merchant_order_id', 'text'],
  ['type', 'text'],
  ['amount', 'bigint'],
  ['occurred_at', 'bigint'],
  ['transaction_id', 'text'],
  ['merchant_transaction_id', 'text'],
  ['charge_id', 'text'],
];

/** Whether two lines of one id say different things. Dates are not compared: sources round them. */
const contradicts = (one: string, other: string) => sql<boolean>`(
  ${sql.ref(`${one}.order_key`)} <> ${sql.ref(`${other}.order_key`)}
  or ${sql.ref(`${one}.currency`)} <> ${sql.ref(`${other}.currency`)}
  or ${sql.ref(`${one}.amount`)} <> ${sql.ref(`${other}.amount`)}
  or ${sql.ref(`${one}.transaction_id`)} <> ${sql.ref(`${other}.transaction_id`)})`;

/**
 * Number of the first staged line with the id of `s`. Looked up for each line: PostgreSQL may take
 * the table for empty, from before, and would join it by reading all of it for each line.
 */
const firstLine = sql`(select min(x.line) from ledger_import_lines x
  where x.import_id = s.import_id and x.id = s.id)`;
/** Whether an earlier staged line has the id of `s`. */
const repeats = sql`exists (select 1 from ledger_import_lines x
  where x.import_id = s.import_id and x.id = s.id and x.line < s.line)`;

/** Imports of ledger lines: staged and checked as a whole before the first one counts. */
export function ledgerImports({ db, transact }: Database): LedgerImportStore {
  /** The last of the next `limit` ids. */
  async function lastId(
    tx: Transaction<Schema> | typeof db,
    { id }: ImportPlace,
    after: string,
    limit: number,
  ): Promise<string | undefined> {
    const row = await tx
      .selectFrom('ledger_import_lines')
      .select('id')
      .where('import_id', '=', id)
      .where('id', '>', after)
      .orderBy('id')
      .offset(limit - 1)
      .limit(1)
      .executeTakeFirst();
    return row?.id;
  }

  /** Keeps an import that is not decided from being cleared away. False: it was. */
  async function hold(
    tx: Transaction<Schema> | typeof db,
    { environment, id }: ImportPlace,
    until: number,
    staged: number,
  ): Promise<boolean> {
    const held = await tx
      .updateTable('ledger_imports')
      .set({ until, lines: sql<number>`lines + ${staged}` })
      .where('environment', '=', environment)
      .where('id', '=', id)
      .where('state', '=', 'checking')
      .executeTakeFirst();
    return held.numUpdatedRows > 0n;
  }

  return {
    async beginImport({ environment, id }, { action, source, actor = null }, now, until) {
      const kind = { source, action, actor };
      const row = { id, state: 'checking', ...kind, lines: 0, added: 0, until };
      // The one before it may not have come to that: then this one has to, whatever it adds.
      const repriced = sql<number>`case when ledger_imports.added > ledger_imports.repriced
        then -1 else 0 end`;
      const result = await db
        .insertInto('ledger_imports')
        .values({ environment, ...row, repriced: 0, created_at: now, finished_at: null })
        .onConflict((conflict) =>
          conflict
            .column('environment')
            .doUpdateSet({ ...row, repriced, created_at: now, finished_at: null })
            // One that died is first taken on, and ended.
            .where('ledger_imports.state', '=', 'done'),
        )
        .executeTakeFirst();
      return Number(result.numInsertedOrUpdatedRows ?? 0n) === 1;
    },

    stageLines: (place, lines, until) =>
      transact(async (tx) => {
        if (!(await hold(tx, place, until, lines.length))) return false;
        const { id } = place;
        const rows = lines.map(({ number, line }) => [
          id,
          lineId(line),
          number,
          orderKeyOf(line.merchantOrderId),
          line.currency,
          line.merchantOrderId,
          line.type,
          line.amount,
          line.occurredAt,
          line.transactionId ?? null,
          line.merchantTransactionId ?? null,
          line.chargeId ?? null,
        ]);
        await insertRows(tx, 'ledger_import_lines', columns, rows);
        return true;
      }),

    async countLines() {
      if (!isSqlite(db)) await sql`analyze ledger_import_lines, ledger_lines`.execute(db);
    },

    setApart: (place, { after, limit, until }) =>
      transact(async (tx) => {
        if (!(await hold(tx, place, until, 0))) return undefined;
        await byIndex(tx);
        const last = await lastId(tx, place, after, limit);
        const alike = await setApart(tx, place.id, { after, last });
        // Lines with names come behind them (`lineId`).
        return { last: last?.startsWith('c') === true ? last : undefined, alike };
      }),

    async checkStaged(place, action, { after, limit, until }) {
      if (!(await hold(db, place, until, 0))) return undefined;
      const { environment, id } = place;
      const last = await lastId(db, place, after, limit);
      const { isTold, isToldOtherwise } = tellingOf(environment, last);
      const nameless = namelessTellingOf(environment);
      /** Whether the line is in the books, so that something holds for it there. */
      const isThere = (condition?: RawBuilder<unknown>) =>
        sql<boolean>`((select 1 ${inBooks(environment, sql`s.id`, condition)} limit 1) is not null)`;
      const isContradicted = isThere(contradicts('s', 'b'));
      const isAdded = action === 'add';
      const otherwise = isAdded
        ? sql`${isContradicted} or ${isToldOtherwise} or ${nameless.isToldOtherwise}`
        : sql`(not ${isThere(isOwn)} and ${isContradicted})`;
      const standing = isAdded
        ? sql`${isThere()} or ${isTold} or ${nameless.isTold} or ${isSettledAsCharged(environment)}`
        : sql`not ${isThere()} or ${isThere(isOwn)} or ${isContradicted}`;
      // Built, not written as SQL: so SQLite's driver sees that it only reads, and takes no lock.
      const read = (from: Kysely<Schema>) => {
        const lines = from
          .selectFrom('ledger_import_lines as s')
          .select([
            's.line as line',
            sql<number | null>`coalesce(nullif(${firstLine}, s.line), ${nameless.line})`.as(
              'other',
            ),
            sql<number>`case when ${otherwise} or exists (
              select 1 from ledger_import_lines f where f.import_id = s.import_id and f.id = s.id
                and f.line = ${firstLine} and ${contradicts('s', 'f')})
            then 1 else 0 end`.as('differs'),
          ])
          .where('s.import_id', '=', id)
          .where('s.id', '>', after)
          .where(sql<boolean>`(${standing} or ${repeats})`);
        return (last === undefined ? lines : lines.where('s.id', '<=', last)).execute();
      };
      const rows = isSqlite(db)
        ? await read(db)
        : await transact(async (tx) => {
            await byIndex(tx);
            return read(tx);
          });
      const conflicts = rows.flatMap(({ line, other, differs }) =>
        differs === 1 ? [{ number: Number(line), other: other ?? undefined }] : [],
      );
      return { last, conflicts, repeated: rows.length - conflicts.length };
    },

    async decideImport({ environment, id }, until) {
      const result = await db
        .updateTable('ledger_imports')
        .set({ state: 'applying', until })
        .where('environment', '=', environment)
        .where('id', '=', id)
        .where('state', '=', 'checking')
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },

    applyStaged: (place, limit, now, until) =>
      transact(async (tx) => {
        const { environment, id } = place;
        const held = await tx
          .updateTable('ledger_imports')
          .set({ until })
          .where('environment', '=', environment)
          .where('id', '=', id)
          .where('state', '=', 'applying')
          .returning(['action', 'source', 'actor'])
          .executeTakeFirst();
        if (!held) return undefined;
        // What the companion itself does meanwhile is seen by this, or sees this.
        await holdProjection(tx, environment);
        await byIndex(tx);
        const last = await lastId(tx, place, '', limit);
        const count =
          held.action === 'withdraw'
            ? await withdrawStaged(tx, place, last, { actor: held.actor, now })
            : await addStaged(tx, place, last, { source: held.source, now });
        const gone = await sql`
          delete from ledger_import_lines where import_id = ${id}
          ${last === undefined ? sql`` : sql`and id <= ${last}`}
        `.execute(tx);
        // Before another line there is always one, which may have been passed over.
        if (last === undefined && Number(gone.numAffectedRows ?? 0n) === 0) return undefined;
        await tx
          .updateTable('ledger_imports')
          .set({ added: sql<number>`added + ${count}` })
          .where('environment', '=', environment)
          .where('id', '=', id)
          .execute();
        return count;
      }),

    discardStaged: (place, limit) =>
      transact(async (tx) => {
        const last = await lastId(tx, place, '', limit);
        let query = tx.deleteFrom('ledger_import_lines').where('import_id', '=', place.id);
        if (last !== undefined) query = query.where('id', '<=', last);
        const { numDeletedRows } = await query.executeTakeFirst();
        return numDeletedRows > 0n;
      }),

    async endImport({ environment, id }, now) {
      await db
        .updateTable('ledger_imports')
        .set({ state: 'done', until: 0, finished_at: now })
        .where('environment', '=', environment)
        .where('id', '=', id)
        .execute();
    },

    async isImportLeft(environment, now) {
      const row = await db
        .selectFrom('ledger_imports')
        .select('id')
        .where('environment', '=', environment)
        .where('state', '<>', 'done')
        .where('until', '<', now)
        .executeTakeFirst();
      return row !== undefined;
    },

    async applyingImport(environment) {
      const row = await db
        .selectFrom('ledger_imports')
        .select(['created_at', 'until'])
        .where('environment', '=', environment)
        .where('state', '=', 'applying')
        .executeTakeFirst();
      return row && { since: Number(row.created_at), until: Number(row.until) };
    },

    async takeOnImport(environment, now, until) {
      const row = await db
        .updateTable('ledger_imports')
        .set({
          until,
          state: sql<string>`case when state = 'checking' then 'discarding' else state end`,
        })
        .where('environment', '=', environment)
        .where('state', '<>', 'done')
        .where('until', '<', now)
        .returning(['id', 'state'])
        .executeTakeFirst();
      if (!row) return undefined;
      return { id: row.id, state: row.state === 'applying' ? 'applying' : 'discarding' };
    },

    async findUnpriced(environment, before) {
      const row = await db
        .selectFrom('ledger_imports')
        .select(['id', 'added'])
        .where('environment', '=', environment)
        .where('state', '=', 'done')
        .where('finished_at', '<=', before)
        .whereRef('added', '>', 'repriced')
        .executeTakeFirst();
      return row && { environment, id: row.id, added: Number(row.added) };
    },

    async endPricing({ environment, id }, added) {
      await db
        .updateTable('ledger_imports')
        .set({ repriced: added })
        .where('environment', '=', environment)
        .where('id', '=', id)
        .execute();
    },
  };
}

/** Puts the staged lines, from the first id up to `last`, into the books. @returns how many are new */
async function addStaged(
  tx: Transaction<Schema>,
  { environment, id }: ImportPlace,
  last: string | undefined,
  { source, now }: { source: string; now: number },
): Promise<number> {
  const { isTold } = tellingOf(environment, last);
  const upTo = last === undefined ? sql`` : sql`and s.id <= ${last}`;
  // Passed over by a statement of its own: as conditions of those below these look-ups mislead
  // PostgreSQL about how many lines there are.
  await sql`
    delete from ledger_import_lines as s
    where s.import_id = ${id} ${upTo}
      and (${namelessTellingOf(environment).isTold} or ${isSettledAsCharged(environment)})
  `.execute(tx);
  const orders = sql`(
    select distinct s.order_key from ledger_import_lines s
    where s.import_id = ${id} ${upTo}
      and (select b.id ${inBooks(environment, sql`s.id`)} limit 1) is null and not ${isTold})`;
  await markDirtyOf(tx, environment, orders);
  const added = await sql`
    insert into ledger_lines (environment, id, order_key, currency, merchant_order_id, type,
      amount, occurred_at, transaction_id, merchant_transaction_id, charge_id, source, created_at)
    select ${environment}, s.id, s.order_key, s.currency, s.merchant_order_id, s.type, s.amount,
      s.occurred_at, s.transaction_id, s.merchant_transaction_id, s.charge_id, ${source},
      ${now}
    from ledger_import_lines s
    where s.import_id = ${id} ${upTo} and s.line = ${firstLine} and not ${isTold}
    on conflict (environment, id) do nothing
  `.execute(tx);
  return Number(added.numAffectedRows ?? 0n);
}
