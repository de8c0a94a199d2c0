import type { Environment } from '@financing-checkout/contract';
import { type Selectable, sql, type Transaction } from 'kysely';
import type { Database } from '../../store/database.ts';
import type { LedgerTable, Schema } from '../../store/schema.ts';
import { markDirty } from './dirty.ts';
import { orderKeyOf } from '../../order-key.ts';
import { lineId, type NewLedgerLine } from './line.ts';

/** What a step of the projection has done. */
export interface ProjectionStep {
  /** Entries that were read; 0: there are no new ones. */
  entries: number;
  /** Lines that were added, changed or taken away. */
  changed: number;
  /** Lines that another source had stated otherwise: the companion's own holds. */
  differing: number;
  /** Entries whose amount cannot be held, and which so become no line. */
  unreadable: number;
}

const BATCH = 200;

/**
 * Turns entries of the companion's own ledger into ledger lines, from where it was left. Of several
 * entries of one transaction the last one holds: `accepted` is a line; `unknown` and `absent` are
 * none, for what may have happened is not yet believed.
 */
export function ledgerProjection({ db, transact }: Database) {
  return {
    async projectLedger(
      environment: Environment,
      now: number,
      tell: (step: ProjectionStep) => void = () => undefined,
    ): Promise<ProjectionStep> {
      return transact(async (tx) => {
        const from = await holdProjection(tx, environment);
        const entries = await tx
          .selectFrom('ledger')
          .selectAll()
          .where('id', '>', from)
          .orderBy('id')
          .limit(BATCH)
          .execute();
        const last = entries.at(-1)?.id;
        const step: ProjectionStep = { entries: 0, changed: 0, differing: 0, unreadable: 0 };
        if (last === undefined) return step;
        step.entries = entries.length;
        // Only the last one of each transaction: the ones before it were never read as lines.
        const standing = new Map<string, Selectable<LedgerTable>>();
        for (const entry of entries) {
          if (entry.environment !== environment) continue;
          if (entry.type !== 'Settle' && entry.type !== 'Refund') continue;
          const key = `${entry.type} ${entry.merchant_transaction_id}`;
          // Only the answer that made a transaction states the lender's reference.
          const reference = standing.get(key)?.lender_reference_id ?? null;
          const lender_reference_id = entry.lender_reference_id ?? reference;
          standing.set(key, { ...entry, lender_reference_id });
        }
        const changed = new Set<string>();
        for (const entry of standing.values()) {
          await projectEntry(tx, { environment, entry, now, step, changed });
        }
        await markDirty(tx, environment, [...changed]);
        await tx
          .updateTable('ledger_projections')
          .set({ last_id: Number(last) })
          .where('environment', '=', environment)
          .execute();
        // Before the COMMIT, whose answer may be lost: afterwards nobody would find it again.
        tell(step);
        return step;
      });
    },

    /** When the earliest line was written of; undefined: there is none. */
    async oldestLedgerLine(environment: Environment): Promise<number | undefined> {
      const { oldest } = await db
        .selectFrom('ledger_lines')
        .select((eb) => eb.fn.min<number | string | null>('occurred_at').as('oldest'))
        .where('environment', '=', environment)
        .executeTakeFirstOrThrow();
      return oldest === null ? undefined : Number(oldest);
    },
  };
}

/**
 * Where the projection is. Holds the row until the transaction ends: whoever changes lines of the books
 * takes turns, for each looks whether there is another line of the same transaction.
 */
export async function holdProjection(
  tx: Transaction<Schema>,
  environment: string,
): Promise<number> {
  await tx
    .insertInto('ledger_projections')
    .values({ environment, last_id: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { last_id: last } = await tx
    .updateTable('ledger_projections')
    .set({ last_id: sql<number>`last_id` })
    .where('environment', '=', environment)
    .returning('last_id')
    .executeTakeFirstOrThrow();
  return Number(last);
}

interface Projected {
  environment: Environment;
  entry: Selectable<LedgerTable>;
  now: number;
  step: ProjectionStep;
  /** Keys of orders whose lines changed. */
  changed: Set<string>;
}

async function projectEntry(tx: Transaction<Schema>, projected: Projected): Promise<void> {
  const { environment, entry, now, step, changed } = projected;
  const line = lineOf(entry);
  if (!line) {
    if (entry.state === 'accepted') step.unreadable += 1;
    await takeAway(tx, projected);
    return;
  }
  const id = lineId(line);
  const orderKey = orderKeyOf(line.merchantOrderId);
  await takeOver(tx, projected, line);
  const known = await tx
    .selectFrom('ledger_lines')
    .selectAll()
    .where('environment', '=', environment)
    .where('id', '=', id)
    .executeTakeFirst();
  const lenderReferenceId = line.lenderReferenceId ?? known?.lender_reference_id ?? null;
  if (known) {
    const same =
      known.order_key === orderKey &&
      known.currency === line.currency &&
      Number(known.amount) === line.amount;
    const isNamed =
      known.transaction_id === (line.transactionId ?? null) &&
      known.lender_reference_id === lenderReferenceId;
    if (same && isNamed) return;
    if (!same && known.source !== 'companion') step.differing += 1;
    await tx
      .deleteFrom('ledger_lines')
      .where('environment', '=', environment)
      .where('id', '=', id)
      .execute();
    changed.add(known.order_key);
  }
  await tx
    .insertInto('ledger_lines')
    .values({
      environment,
      id,
      order_key: orderKey,
      merchant_order_id: line.merchantOrderId,
      currency: line.currency,
      type: line.type,
      amount: line.amount,
      occurred_at: line.occurredAt,
      transaction_id: line.transactionId ?? null,
      merchant_transaction_id: line.merchantTransactionId ?? null,
      lender_reference_id: lenderReferenceId,
      charge_id: line.chargeId ?? null,
      source: 'companion',
      created_at: now,
    })
    .execute();
  changed.add(orderKey);
  step.changed += 1;
}

/**
 * An imported line that knew the transaction by the service's name alone says the same as the
 * companion's own: both would be summed. So does one of the settle that was made with the charge,
 * which has no name in common with it (`isSettledAsCharged`).
 */
async function takeOver(
  tx: Transaction<Schema>,
  { environment, entry, step, changed }: Projected,
  line: NewLedgerLine,
): Promise<void> {
  let imported = tx.deleteFrom('ledger_lines').where('environment', '=', environment);
  if (line.transactionId !== undefined) {
    imported = imported.where('id', '=', lineId({ ...line, merchantTransactionId: undefined }));
  } else if (line.type === 'Settle') {
    imported = imported
      .where('order_key', '=', orderKeyOf(line.merchantOrderId))
      .where('currency', '=', line.currency)
      .where('type', '=', line.type)
      .where('amount', '=', line.amount)
      .where('merchant_transaction_id', 'is', null)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('ledger')
            .select('ledger.id')
            .where('ledger.environment', '=', environment)
            .where('ledger.merchant_order_id', '=', entry.merchant_order_id)
            .where('ledger.merchant_transaction_id', '=', entry.merchant_transaction_id)
            .where('ledger.type', '=', 'Authorize')
            .where('ledger.state', '=', 'accepted'),
        ),
      );
  } else return;
  const gone = await imported.returning(['order_key', 'currency', 'amount']).execute();
  for (const { order_key: orderKey, currency, amount } of gone) {
    changed.add(orderKey);
    const same =
      orderKey === orderKeyOf(line.merchantOrderId) &&
      currency === line.currency &&
      Number(amount) === line.amount;
    if (!same) step.differing += 1;
  }
}

/** Takes a line of the companion's away that it does not believe any more. */
async function takeAway(
  tx: Transaction<Schema>,
  { environment, entry, step, changed }: Projected,
): Promise<void> {
  const id = `m:${entry.type}:${entry.merchant_transaction_id}`;
  const gone = await tx
    .deleteFrom('ledger_lines')
    .where('environment', '=', environment)
    .where('id', '=', id)
    // What the merchant's own books state is theirs to take back.
    .where('source', '=', 'companion')
    .returning('order_key')
    .execute();
  for (const { order_key: orderKey } of gone) {
    changed.add(orderKey);
    step.changed += 1;
  }
}

function lineOf(entry: Selectable<LedgerTable>): NewLedgerLine | undefined {
  const { type, amount, currency } = entry;
  if (entry.state !== 'accepted' || (type !== 'Settle' && type !== 'Refund')) return undefined;
  if (amount === null || currency === null || Number(amount) <= 0) return undefined;
  return {
    merchantOrderId: entry.merchant_order_id,
    type,
    amount: Number(amount),
    currency,
    occurredAt: Number(entry.occurred_at),
    merchantTransactionId: entry.merchant_transaction_id,
    transactionId: entry.transaction_id ?? undefined,
    chargeId: entry.charge_id ?? undefined,
    lenderReferenceId: entry.lender_reference_id ?? undefined,
  };
}
