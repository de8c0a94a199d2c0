import { sql, type Transaction } from 'kysely';
import type { Database } from '../../store/database.ts';
import type { Schema } from '../../store/schema.ts';
import { markDirtyOf } from './dirty.ts';
import type { ImportPlace } from './import-store.ts';

/** Whether the companion believes in the transaction of the line `b` of the books by itself. */
const isBelieved = sql<boolean>`exists (
  select 1 from ledger l
  where l.environment = b.environment and l.merchant_order_id = b.merchant_order_id
    and l.type = b.type and l.merchant_transaction_id = b.merchant_transaction_id
    and l.state = 'accepted' and not exists (
      select 1 from ledger n where n.environment = l.environment
        and n.merchant_order_id = l.merchant_order_id and n.type = l.type
        and n.merchant_transaction_id = l.merchant_transaction_id
        and n.id > l.id and n.state <> 'accepted'))`;

/** Whether the line `b` of the books is the companion's own, which no file takes away. */
export const isOwn = sql<boolean>`(b.source = 'companion' or ${isBelieved})`;

/**
 * Takes the lines of the books that are staged, from the first id up to `last`, out of them. What
 * the companion did itself stays, and is from then on its own alone.
 * @param last undefined: all of them
 * @returns how many were taken out
 */
export async function withdrawStaged(
  tx: Transaction<Schema>,
  { environment, id }: ImportPlace,
  last: string | undefined,
  { actor, now }: { actor: string | null; now: number },
): Promise<number> {
  // Both together, which the index by id has: of the environment alone SQLite would read all lines.
  const named = sql`(b.environment, b.id) in (
    select cast(${environment} as text), s.id from ledger_import_lines s where s.import_id = ${id}
      ${last === undefined ? sql`` : sql`and s.id <= ${last}`}) and b.source <> 'companion'`;
  await sql`update ledger_lines as b set source = 'companion' where ${named} and ${isBelieved}`.execute(
    tx,
  );
  const orders = sql`(select distinct b.order_key from ledger_lines b where ${named})`;
  await markDirtyOf(tx, environment, orders);
  await sql`
    insert into withdrawn_lines (environment, order_key, currency, id, merchant_order_id, type,
      amount, occurred_at, transaction_id, merchant_transaction_id, charge_id, source, created_at,
      withdrawn_at, import_id, actor)
    select b.environment, b.order_key, b.currency, b.id, b.merchant_order_id, b.type, b.amount,
      b.occurred_at, b.transaction_id, b.merchant_transaction_id, b.charge_id, b.source,
      b.created_at, ${now}, ${id}, ${actor}
    from ledger_lines b where ${named}
  `.execute(tx);
  const gone = await sql`delete from ledger_lines as b where ${named}`.execute(tx);
  return Number(gone.numAffectedRows ?? 0n);
}

/** A line that was taken out of the books. Amount in minor units, times in milliseconds since 1970. */
export interface WithdrawnLine {
  id: string;
  type: string;
  amount: number;
  currency: string;
  withdrawnAt: number;
  /** Who took it out; null where nobody was named. */
  actor: string | null;
}

export function withdrawals({ db }: Database) {
  return {
    async withdrawnLines(environment: string, orderKey: string): Promise<WithdrawnLine[]> {
      const rows = await db
        .selectFrom('withdrawn_lines')
        .select(['id', 'type', 'amount', 'currency', 'withdrawn_at', 'actor'])
        .where('environment', '=', environment)
        .where('order_key', '=', orderKey)
        .orderBy('withdrawn_at', 'desc')
        .limit(1_000)
        .execute();
      return rows.map(({ withdrawn_at: at, ...row }) => ({
        ...row,
        amount: Number(row.amount),
        withdrawnAt: Number(at),
      }));
    },
  };
}
