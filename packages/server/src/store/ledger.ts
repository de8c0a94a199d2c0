import type {
  AmountDifference,
  Environment,
  LedgerState,
  LedgerType,
  Money,
} from '@financing-checkout/contract';
import {
  amountDifferenceReasons,
  environmentSchema,
  ledgerStates,
  ledgerTypes,
} from '@financing-checkout/contract';
import type { Selectable, Transaction } from 'kysely';
import { z } from 'zod';
import type { Database } from './database.ts';
import type { LedgerTable, Schema } from './schema.ts';

/** A transaction that the companion made, or may have made. Amounts are minor units. */
export interface NewLedgerEntry {
  environment: Environment;
  merchantOrderId: string;
  chargeId: string | undefined;
  type: LedgerType;
  /** Undefined: the service's amount cannot be represented exactly. */
  amount: Money | undefined;
  merchantTransactionId: string;
  transactionId: string | undefined;
  /** The lender's reference of the transaction, which is in its funding. */
  lenderReferenceId?: string | undefined;
  /** Amount of the order where the charge differs from it, and the reason. */
  ordered?: AmountDifference | undefined;
  state: LedgerState;
  /** Milliseconds since 1970. */
  occurredAt: number;
}

export interface LedgerEntryRow extends NewLedgerEntry {
  id: number;
}

export interface LedgerQuery {
  environment: Environment;
  merchantOrderId?: string | undefined;
  /** Milliseconds: `occurredAt` at or after `from`, before `to`. */
  from?: number | undefined;
  to?: number | undefined;
  /** Entries with a greater id. */
  after: number;
  limit: number;
}

export interface LedgerRepository {
  /** Returns entries in the order of their writing. */
  ledgerEntries(query: LedgerQuery): Promise<LedgerEntryRow[]>;
}

/** The companion's ledger, as reconciliation reads it. */
export function ledger({ db }: Database): LedgerRepository {
  return {
    async ledgerEntries({ environment, merchantOrderId, from, to, after, limit }) {
      let query = db
        .selectFrom('ledger')
        .selectAll()
        .where('environment', '=', environment)
        .where('id', '>', after);
      if (merchantOrderId !== undefined)
        query = query.where('merchant_order_id', '=', merchantOrderId);
      if (from !== undefined) query = query.where('occurred_at', '>=', from);
      if (to !== undefined) query = query.where('occurred_at', '<', to);
      const rows = await query.orderBy('id').limit(limit).execute();
      return rows.map(toEntry);
    },
  };
}

/**
 * Appends entries at the end of the transaction that writes their outcome. Ids come from one row that stays
 * locked until the commit, not from a sequence: with a sequence a lower id can become visible after a
 * higher one, and a reader that pages by id would never see it.
 */
export async function appendToLedger(
  tx: Transaction<Schema>,
  entries: readonly NewLedgerEntry[],
  now: number,
): Promise<void> {
  if (entries.length === 0) return;
  const head = await tx
    .updateTable('ledger_head')
    .set((eb) => ({ last_id: eb('last_id', '+', entries.length).$castTo<number>() }))
    .returning('last_id')
    .executeTakeFirstOrThrow();
  const first = Number(head.last_id) - entries.length + 1;
  await tx
    .insertInto('ledger')
    .values(
      entries.map((entry, index) => ({
        id: first + index,
        environment: entry.environment,
        merchant_order_id: entry.merchantOrderId,
        charge_id: entry.chargeId ?? null,
        type: entry.type,
        amount: entry.amount?.value ?? null,
        currency: entry.amount?.currency ?? null,
        merchant_transaction_id: entry.merchantTransactionId,
        transaction_id: entry.transactionId ?? null,
        lender_reference_id: entry.lenderReferenceId ?? null,
        order_amount: entry.ordered?.amount.value ?? null,
        order_amount_reason: entry.ordered?.reason ?? null,
        state: entry.state,
        occurred_at: entry.occurredAt,
        created_at: now,
      })),
    )
    .execute();
}

const differenceReason = z.enum(amountDifferenceReasons);
const type = z.enum(ledgerTypes);
const state = z.enum(ledgerStates);

function toEntry(row: Selectable<LedgerTable>): LedgerEntryRow {
  return {
    id: Number(row.id),
    environment: environmentSchema.parse(row.environment),
    merchantOrderId: row.merchant_order_id,
    chargeId: row.charge_id ?? undefined,
    type: type.parse(row.type),
    amount:
      row.amount === null || row.currency === null
        ? undefined
        : { value: Number(row.amount), currency: row.currency },
    merchantTransactionId: row.merchant_transaction_id,
    transactionId: row.transaction_id ?? undefined,
    lenderReferenceId: row.lender_reference_id ?? undefined,
    ordered:
      row.order_amount === null || row.order_amount_reason === null || row.currency === null
        ? undefined
        : {
            amount: { value: Number(row.order_amount), currency: row.currency },
            reason: differenceReason.parse(row.order_amount_reason),
          },
    state: state.parse(row.state),
    occurredAt: Number(row.occurred_at),
  };
}
