import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Environment } from '@financing-checkout/contract';
import {
  type CurrencySums,
  type Fence,
  type FundingBatch,
  type FundingBooks,
  LeaseLostError,
  MOVED,
  orderIdsOf,
  type QuarantinedRecord,
} from '../../fundings/books.ts';
import type { StoredFunding } from '../../fundings/slice.ts';
import {
  fundingColumns,
  fundingValues,
  runColumns,
  runValues,
  sliceColumns,
  sliceValues,
  toRun,
  toSlice,
  toStored,
  toSums,
} from '../../fundings/rows.ts';
import { cutLog, WAL_PAGES } from '../sqlite-file.ts';
import { type SqliteRow, sqliteOrders } from './sqlite-orders.ts';

/** Milliseconds to wait for the companion's own commits, which come first. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * The books in a file of SQLite. Each call works through its statements without giving way to
 * others: it belongs in a thread of its own.
 */
export function openSqliteBooks(file: string, environment: Environment): FundingBooks {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  // NORMAL: a power cut may take the last transactions, and those alone, in their order. What they
  // held is read again: the same transactions said that it had been read.
  database.exec(
    `pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = ${WAL_PAGES};
    pragma cache_size = -8192; pragma temp_store = memory; ${cutLog}`,
  );
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string) => {
    let statement = prepared.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  };
  const all = (sql: string, ...values: SQLInputValue[]) =>
    prepare(sql).all(...values) as SqliteRow[];
  const orders = sqliteOrders(database, environment);
  const run = (sql: string, ...values: SQLInputValue[]) => prepare(sql).run(...values);

  /** Immediate: who reads first and writes later would fail, not wait. */
  function transact(work: () => void): void {
    database.exec('begin immediate');
    try {
      work();
      database.exec('commit');
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  }

  /** Statements of fixed texts: to put one together for each row would cost more than the row. */
  const insertFunding = prepare(
    `insert into fundings (environment, ${fundingColumns.join(', ')}, version)
     values (?, ${fundingColumns.map(() => '?').join(', ')}, ?)`,
  );
  const insertRecord = prepare(
    'insert or replace into funding_records (environment, id, raw) values (?, ?, ?)',
  );
  const lastVersion = prepare(
    'select max(version) as version from funding_versions where environment = ? and id = ?',
  );
  const hasVersions = prepare(
    'select 1 from funding_versions where environment = ? and id >= ? and id < ? limit 1',
  );
  const addDirty = prepare(
    `insert into dirty_orders (environment, order_key, generation) values (?, ?, 1)
     on conflict (environment, order_key) do update set generation = generation + 1`,
  );

  function keepVersion(stored: StoredFunding, now: number, reason: string): void {
    run(
      `insert into funding_versions (environment, id, version, hash, raw, slice_day, replaced_at, reason)
       select f.environment, f.id, f.version, f.hash, r.raw, f.slice_day, ?, ?
       from fundings f join funding_records r on r.environment = f.environment and r.id = f.id
       where f.environment = ? and f.id = ?`,
      now,
      reason,
      environment,
      stored.id,
    );
    // By its id alone: its currency may have become known since it was read.
    run('delete from fundings where environment = ? and id = ?', environment, stored.id);
  }

  function insertAll({ changed, records = [] }: FundingBatch): void {
    const days = new Map<string, boolean>();
    for (const { funding } of changed) {
      const { id, sliceDay } = funding;
      let versioned = days.get(sliceDay);
      if (versioned === undefined) {
        versioned = hasVersions.get(environment, `${sliceDay}:`, `${sliceDay};`) !== undefined;
        days.set(sliceDay, versioned);
      }
      const last = versioned ? Number(lastVersion.get(environment, id)?.version ?? 0) : 0;
      insertFunding.run(environment, ...fundingValues(funding), last + 1);
    }
    for (const { id, raw } of records) insertRecord.run(environment, id, raw);
  }

  function writeQuarantine(day: string, records: readonly QuarantinedRecord[], now: number): void {
    run('delete from funding_quarantine where environment = ? and slice_day = ?', environment, day);
    for (const record of records) {
      run(
        `insert or replace into funding_quarantine (environment, id, slice_day, order_key, reason, raw, seen_at)
         values (?, ?, ?, ?, ?, ?, ?)`,
        environment,
        record.id,
        day,
        record.orderKey,
        record.reason,
        record.raw,
        now,
      );
    }
  }

  function checkFence(fence: Fence): void {
    const held = all('select holder from leases where name = ?', fence.lease);
    if (held[0]?.holder !== fence.holder) throw new LeaseLostError('The lease was taken.');
  }

  function writeBatch(batch: FundingBatch): void {
    const dirty = new Set<string>();
    for (const { stored, reason } of batch.gone) {
      keepVersion(stored, batch.now, reason);
      run('delete from funding_records where environment = ? and id = ?', environment, stored.id);
      dirty.add(stored.orderKey);
    }
    for (const { funding, stored } of batch.changed) {
      if (stored) {
        keepVersion(stored, batch.now, 'superseded');
        dirty.add(stored.orderKey);
      }
      dirty.add(funding.orderKey);
    }
    insertAll(batch);
    // While a record of an order is in quarantine, nothing of the order is called missing.
    for (const orderKey of orders.quarantinedBy(batch)) dirty.add(orderKey);
    for (const orderKey of dirty) addDirty.run(environment, orderKey);
    for (const id of batch.freed ?? []) {
      run('delete from funding_quarantine where environment = ? and id = ?', environment, id);
    }
    for (const day of batch.unsummed ?? []) {
      run(
        `update funding_slices set sums = '{}' where environment = ? and day = ?`,
        environment,
        day,
      );
    }
    for (const day of batch.stale ?? []) {
      run(
        `update funding_slices set state = 'stale', reason = ?
         where environment = ? and day = ? and state = 'complete'`,
        MOVED,
        environment,
        day,
      );
    }
    const { sweep, quarantine, slice, run: runRow } = batch;
    if (sweep !== undefined) {
      run(
        `delete from funding_records where environment = ?1 and id >= ?2 and id < ?3 and not exists
           (select 1 from fundings f where f.environment = ?1 and f.id = funding_records.id)`,
        environment,
        `${sweep}:`,
        `${sweep};`,
      );
    }
    if (quarantine) writeQuarantine(quarantine.day, quarantine.records, batch.now);
    if (slice) replace('funding_slices', sliceColumns, sliceValues(slice));
    if (runRow) replace('funding_runs', runColumns, runValues(runRow));
  }

  function sumsOf(day: string): CurrencySums {
    const rows = all(
      `select currency, count(*) as count, cast(sum(transaction_amount) as text) as transactions,
         cast(sum(discount_amount) as text) as discounts, cast(sum(net_amount) as text) as nets
       from fundings where environment = ? and id >= ? and id < ? group by currency order by currency`,
      environment,
      `${day}:`,
      `${day};`,
    );
    return toSums(rows);
  }

  function replace(table: string, columns: readonly string[], values: SQLInputValue[]): void {
    run(
      `insert or replace into ${table} (environment, ${columns.join(', ')})
       values (?, ${columns.map(() => '?').join(', ')})`,
      environment,
      ...values,
    );
  }

  return {
    takeLease({ lease, holder }, now, until) {
      const { changes } = run(
        `insert into leases (name, holder, until) values (?, ?, ?)
         on conflict (name) do update set holder = excluded.holder, until = excluded.until
         where leases.until <= ? or leases.holder = excluded.holder`,
        lease,
        holder,
        until,
        now,
      );
      return Promise.resolve(changes === 1);
    },
    renewLease({ lease, holder }, until) {
      const { changes } = run(
        'update leases set until = ? where name = ? and holder = ?',
        until,
        lease,
        holder,
      );
      return Promise.resolve(changes === 1);
    },
    releaseLease({ lease, holder }) {
      run('delete from leases where name = ? and holder = ?', lease, holder);
      return Promise.resolve();
    },

    findRunning() {
      const [row] = all(
        `select * from funding_runs where environment = ? and state = 'running'
         order by started_at desc, id desc limit 1`,
        environment,
      );
      return Promise.resolve(row && toRun(row));
    },
    slices(fromDay, toDay) {
      const rows = all(
        'select * from funding_slices where environment = ? and day >= ? and day <= ? order by day',
        environment,
        fromDay,
        toDay,
      );
      return Promise.resolve(rows.map(toSlice));
    },

    stored(day) {
      const rows = all(
        `select id, hash, order_key, currency from fundings
         where environment = ? and id >= ? and id < ?`,
        environment,
        `${day}:`,
        `${day};`,
      );
      return Promise.resolve(rows.map(toStored));
    },
    elsewhere: (fundings) => Promise.resolve(orders.elsewhere(fundings)),
    currencies: (merchantOrderIds) => Promise.resolve(orders.currencies(merchantOrderIds)),
    sums: (day) => Promise.resolve(sumsOf(day)),
    async write(fence, batch) {
      transact(() => {
        checkFence(fence);
        writeBatch(batch);
      });
      // Between two transactions pages are taken in and asked for, and a checkout gets its turn.
      await setImmediate();
    },
    mispriced(after, limit) {
      const rows = all(
        // Of each order once, and by the ends of what its lines are in: its lines may be thousands.
        `select f.order_key from
           (select distinct environment, order_key, currency from fundings
             where environment = ? and order_key > ?) f
         where f.currency <> (select max(l.currency) from ledger_lines l
             where l.environment = f.environment and l.order_key = f.order_key)
           or f.currency <> (select min(l.currency) from ledger_lines l
             where l.environment = f.environment and l.order_key = f.order_key)
         union
         select w.order_key from
           (select distinct environment, order_key, currency from withdrawn_lines
             where environment = ? and order_key > ?) w
         where exists (select 1 from fundings f where f.environment = w.environment
             and f.order_key = w.order_key and f.currency = w.currency)
           and not exists (select 1 from ledger_lines l where l.environment = w.environment
             and l.order_key = w.order_key)
         order by 1 limit ?`,
        environment,
        after,
        environment,
        after,
        limit,
      );
      return Promise.resolve(rows.map((row) => String(row.order_key)));
    },
    quarantinedOrders() {
      const rows = all(
        'select distinct order_key from funding_quarantine where environment = ? and order_key is not null',
        environment,
      );
      return Promise.resolve(rows.map((row) => String(row.order_key)));
    },
    rewrite(orderKeys, work) {
      return new Promise((resolve) => {
        transact(() => {
          const records = orders.records(orderKeys);
          const ids = orderIdsOf(orderKeys);
          writeBatch(work(records, orders.currencies(ids)));
        });
        resolve();
      });
    },
    async sumAgain() {
      const days = all(
        `select day from funding_slices where environment = ? and sums = '{}' and rows > 0`,
        environment,
      );
      for (const { day } of days) {
        transact(() => {
          run(
            `update funding_slices set sums = ?1, quarantined = (select count(*)
               from funding_quarantine q where q.environment = ?2 and q.slice_day = ?3)
             where environment = ?2 and day = ?3 and state <> 'writing'`,
            JSON.stringify(sumsOf(String(day))),
            environment,
            String(day),
          );
        });
        await setImmediate();
      }
    },
    close() {
      database.close();
      return Promise.resolve();
    },
  };
}
