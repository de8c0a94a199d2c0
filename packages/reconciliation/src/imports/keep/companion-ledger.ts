import type { LedgerEntry } from '@financing-checkout/contract/back-office';
import type { DuckDBConnection } from '../../platform/duckdb.ts';
import type { Database } from '../../analytics/session.ts';
import { meta, OutdatedFileError, setMeta } from '../../analytics/database.ts';
import { metaKeys } from '../../analytics/schema.ts';
import { sha256 } from '../../platform/digest.ts';
import { orderKeyOf } from '../../platform/order-key.ts';

/** The companion's own ledger, read by cursor. It is append-only: entries never change. */
export interface MerchantLedger {
  /** Returns entries with a greater id, sorted by id; an empty page marks the end. */
  entries(after: number, limit: number, signal?: AbortSignal): Promise<LedgerEntry[]>;
}

/** Entries per page. */
const PAGE = 1_000;

export interface CompanionLedgerContext {
  analytics: Database;
  ledger: MerchantLedger;
  /**
   * Updates the currencies of fundings whose order's currency has changed, in the same transaction.
   */
  reprice: (connection: DuckDBConnection) => Promise<void>;
  /** Called when the last entry read is missing or different, before the database is rebuilt. */
  onReplaced?: (entry: { seq: number; digest: string }) => Promise<void>;
}

/** Result of reading the companion's ledger. */
export interface LedgerReading {
  entries: number;
  /** Lines that differ from an earlier import: the companion's version takes precedence. */
  differing: number;
  /** Entries that yield no line because their amount is too large or too precise. */
  unreadable: number;
}

/**
 * Reads the companion's ledger from the cursor to its end and converts entries to lines. A
 * transaction's last entry decides: `accepted` becomes a line; `unknown` and `absent` do not,
 * because the outcome is not established.
 *
 * Each page begins with the last entry read. If that entry is missing or different, the companion's
 * store was restored from a backup and reuses the IDs of lost entries, so the database is rebuilt.
 * @throws {CompanionError} if the companion does not respond; entries read before that are kept
 */
export async function readCompanionLedger(
  { analytics, ledger, reprice, onReplaced }: CompanionLedgerContext,
  signal?: AbortSignal,
): Promise<LedgerReading> {
  const total: LedgerReading = { entries: 0, differing: 0, unreadable: 0 };
  for (;;) {
    const from = await analytics.read(async (connection) =>
      Number((await meta(connection, metaKeys.ledger)) ?? 0),
    );
    const page = await ledger.entries(Math.max(from - 1, 0), PAGE, signal);
    const known = from === 0 ? undefined : page[0];
    const isSame = from === 0 || (known !== undefined && (await isLastRead(analytics, known)));
    const entries = known === undefined ? page : page.slice(1);
    if (isSame && entries.length === 0) return total;
    const read = await analytics.write(async (connection) => {
      // The file may have been rebuilt since the request. Its cursor differs then.
      if (Number((await meta(connection, metaKeys.ledger)) ?? 0) !== from) return undefined;
      if (!isSame) {
        const last = (await meta(connection, metaKeys.lastEntry)) ?? '';
        await onReplaced?.({ seq: from, digest: sha256(last) });
        throw new OutdatedFileError('the ledger of the companion was restored');
      }
      const step = await project(connection, entries);
      await reprice(connection);
      return step;
    });
    if (read === undefined) continue;
    total.entries += read.entries;
    total.differing += read.differing;
    total.unreadable += read.unreadable;
  }
}

/** Returns whether an entry is the one at the cursor. */
async function isLastRead(analytics: Database, entry: LedgerEntry): Promise<boolean> {
  return analytics.read(async (connection) => {
    if (Number(await meta(connection, metaKeys.ledger)) !== entry.id) return false;
    const last = await meta(connection, metaKeys.lastEntry);
    // Files of earlier versions contain only the cursor.
    return last === undefined || last === fingerprintOf(entry);
  });
}

/** Returns the part of an entry that is the same in every version. */
const fingerprintOf = (entry: LedgerEntry) =>
  [entry.type, entry.merchantTransactionId, entry.state, entry.occurredAt].join(' ');

/** Converts entries to lines and advances the cursor in the same transaction. */
async function project(
  connection: DuckDBConnection,
  entries: readonly LedgerEntry[],
): Promise<LedgerReading> {
  const last = entries.at(-1);
  if (last === undefined) return { entries: 0, differing: 0, unreadable: 0 };
  await connection.run(
    `create or replace temp table entries as
     select unnest(from_json($1, '[{"entry":"BIGINT","order_key":"VARCHAR","merchant_order_id":"VARCHAR",
       "type":"VARCHAR","state":"VARCHAR","amount":"BIGINT","currency":"VARCHAR","occurred_at":"BIGINT",
       "transaction_id":"VARCHAR","merchant_transaction_id":"VARCHAR","charge_id":"VARCHAR",
       "lender_reference_id":"VARCHAR"}]'), recursive := true)`,
    [JSON.stringify(entries.map(rowOf))],
  );
  for (const statement of statements) await connection.run(statement);
  const counts = await connection.runAndReadAll(
    `select (select count(*) from conflicting),
       (select count(*) from latest where state = 'accepted' and not usable and type in ('Settle', 'Refund'))`,
  );
  for (const table of ['entries', 'latest', 'conflicting', 'taken_over', 'named_own']) {
    await connection.run(`drop table ${table}`);
  }
  await setMeta(connection, metaKeys.ledger, String(last.id));
  await setMeta(connection, metaKeys.lastEntry, fingerprintOf(last));
  const [differing, unreadable] = counts.getRows()[0] ?? [];
  return {
    entries: entries.length,
    differing: Number(differing),
    unreadable: Number(unreadable),
  };
}

function rowOf(entry: LedgerEntry) {
  return {
    entry: entry.id,
    order_key: orderKeyOf(entry.merchantOrderId),
    merchant_order_id: entry.merchantOrderId,
    type: entry.type,
    state: entry.state,
    amount: entry.amount?.value ?? null,
    currency: entry.amount?.currency ?? null,
    occurred_at: Date.parse(entry.occurredAt),
    transaction_id: entry.transactionId ?? null,
    merchant_transaction_id: entry.merchantTransactionId,
    charge_id: entry.chargeId ?? null,
    lender_reference_id: entry.lenderReferenceId ?? null,
  };
}

const statements = [
  // Selects each transaction's last entry. Only the entry for the original response has the
  // lender's reference.
  `create or replace temp table latest as
   select arg_max(columns(* exclude (type, merchant_transaction_id, entry, lender_reference_id)), entry),
     type, merchant_transaction_id, max(entry) as entry,
     arg_max(lender_reference_id, entry) filter (where lender_reference_id is not null)
       as lender_reference_id,
     'm:' || type || ':' || merchant_transaction_id as id,
     coalesce(arg_max(amount, entry) > 0 and arg_max(currency, entry) is not null, false) as usable
   from entries group by type, merchant_transaction_id`,
  `delete from authorizations where merchant_transaction_id in
     (select merchant_transaction_id from latest where type = 'Authorize')`,
  `insert into authorizations
   select order_key, currency, merchant_transaction_id, charge_id, amount, occurred_at from latest
   where type = 'Authorize' and state = 'accepted' and currency is not null`,
  `delete from voids where merchant_transaction_id in
     (select merchant_transaction_id from latest where type = 'Void')`,
  `insert into voids
   select merchant_transaction_id, charge_id from latest
   where type = 'Void' and state = 'accepted' and charge_id is not null`,

  // Removes lines that are no longer in the companion's ledger. Lines from the merchant's own
  // imports stay.
  `insert into dirty_orders
   select distinct b.order_key from ledger_lines b join latest s on s.id = b.id
   where b.source = 'companion' and not (s.state = 'accepted' and s.usable)
     and s.type in ('Settle', 'Refund')`,
  `delete from ledger_lines where source = 'companion' and id in
     (select id from latest where not (state = 'accepted' and usable))`,
  `update ledger_lines set own = false where own and id in
     (select id from latest where not (state = 'accepted' and usable))`,

  `create or replace temp table named_own as
   select * exclude (lender_reference_id),
     coalesce(lender_reference_id, (select any_value(b.lender_reference_id) from ledger_lines b where b.id = s.id))
       as lender_reference_id
   from latest s where type in ('Settle', 'Refund') and state = 'accepted' and usable`,
  // An imported line that has only the service's transaction id is the same line, and both would be
  // counted. The same goes for a settle made together with its charge, which shares no id with this
  // line.
  `create or replace temp table taken_over as
   select b.id, b.order_key, s.id as own_id, b.order_key <> s.order_key or b.currency <> s.currency
     or sum(b.amount) over (partition by s.id) <> s.amount as conflicts
   from named_own s join ledger_lines b on b.type = s.type and b.transaction_id = s.transaction_id
     and b.merchant_transaction_id is null
   union
   select b.id, b.order_key, s.id, false
   from named_own s
   join authorizations a on a.merchant_transaction_id = s.merchant_transaction_id
   join ledger_lines b on b.order_key = s.order_key and b.currency = s.currency and b.type = s.type
     and b.amount = s.amount and b.merchant_transaction_id is null
   where s.type = 'Settle' and s.transaction_id is null`,
  `insert into dirty_orders select distinct order_key from taken_over`,
  `delete from ledger_lines where id in (select id from taken_over)`,

  `create or replace temp table conflicting as
   select b.id from ledger_lines b join named_own s on s.id = b.id
   where b.source <> 'companion'
     and (b.order_key <> s.order_key or b.currency <> s.currency or b.amount <> s.amount)
   union all
   select own_id from taken_over where conflicts`,
  `insert into dirty_orders
   select distinct unnest([b.order_key, s.order_key]) from named_own s join ledger_lines b on b.id = s.id
   where (b.order_key, b.currency, b.amount) is distinct from (s.order_key, s.currency, s.amount)
     or b.transaction_id is distinct from s.transaction_id
     or b.lender_reference_id is distinct from s.lender_reference_id
   union
   select s.order_key from named_own s where not exists (select 1 from ledger_lines b where b.id = s.id)`,
  // An imported line keeps its source unless its content differed.
  `create or replace temp table entries as
   select s.order_key, hash_of_key(s.order_key) as key_hash, s.currency, s.id, s.merchant_order_id, s.type, s.amount, s.occurred_at,
     s.transaction_id, s.merchant_transaction_id, s.charge_id, s.lender_reference_id,
     case when b.id is null or (b.order_key, b.currency, b.amount) is distinct from (s.order_key, s.currency, s.amount)
       then 'companion' else b.source end as source, true as own
   from named_own s left join ledger_lines b on b.id = s.id`,
  `delete from ledger_lines where id in (select id from entries)`,
  `insert into ledger_lines by name select * from entries`,
];
