import type {
  AmountDifference,
  LedgerState,
  LedgerType,
} from '@financing-checkout/contract/back-office';
import type { Money } from '@financing-checkout/contract/money';
import type { Environment } from '@financing-checkout/contract/storefront';
import {
  amountDifferenceReasons,
  ledgerStates,
  ledgerTypes,
} from '@financing-checkout/contract/back-office';
import { environmentSchema } from '@financing-checkout/contract/storefront';
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
  /** Undefined if the service's amount cannot be represented exactly. */
  amount: Money | undefined;
  merchantTransactionId: string;
  transactionId: string | undefined;
  /** The lender's reference of the transaction, which also appears in its funding. */
  lenderReferenceId?: string | undefined;
  /** Amount of the order if the charge differs from it, and the reason. */
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
  after: number;
  limit: number;
}

export type LedgerRepository = ReturnType<typeof ledger>;

/** The companion's ledger, as reconciliation reads it. */
export function ledger({ db }: Database) {
  return {
    async ledgerEntries({
      environment,
      merchantOrderId,
      from,
      to,
      after,
      limit,
    }: LedgerQuery): Promise<LedgerEntryRow[]> {
      let query = db
        .selectFrom('ledger')
        .selectAll()
        .where('environment', '=', environment)
        .where('id', '>', after);
      if (merchantOrderId !== undefined)
        query = query.where('merchantOrderId', '=', merchantOrderId);
      if (from !== undefined) query = query.where('occurredAt', '>=', from);
      if (to !== undefined) query = query.where('occurredAt', '<', to);
      const rows = await query.orderBy('id').limit(limit).execute();
      return rows.map(toEntry);
    },
  };
}

/**
 * Appends entries at the end of the transaction that writes their outcome. Ids come from one row
 * that stays locked until the commit, not from a sequence: with a sequence a lower id can become
 * visible after a higher one, and a reader that pages by id would never see it.
 */
export async function appendToLedger(
  tx: Transaction<Schema>,
  entries: readonly NewLedgerEntry[],
  now: number,
): Promise<void> {
  if (entries.length === 0) return;
  const head = await tx
    .updateTable('ledgerHead')
    .set((eb) => ({ lastId: eb('lastId', '+', entries.length) }))
    .returning('lastId')
    .executeTakeFirstOrThrow();
  const first = head.lastId - entries.length + 1;
  await tx
    .insertInto('ledger')
    .values(
      entries.map(({ amount, ordered, ...entry }, index) => ({
        ...entry,
        id: first + index,
        amount: amount?.value,
        currency: amount?.currency,
        orderAmount: ordered?.amount.value,
        orderAmountReason: ordered?.reason,
        createdAt: now,
      })),
    )
    .execute();
}

const differenceReason = z.enum(amountDifferenceReasons);
const type = z.enum(ledgerTypes);
const state = z.enum(ledgerStates);

function toEntry(columns: Selectable<LedgerTable>): LedgerEntryRow {
  const { amount, currency, orderAmount, orderAmountReason, createdAt, ...row } = columns;
  // The time at which the row was written is not part of an entry.
  void createdAt;
  const money = (value: number | undefined) =>
    value === undefined || currency === undefined ? undefined : { value, currency };
  const ordered = money(orderAmount);
  return {
    ...row,
    id: Number(row.id),
    environment: environmentSchema.parse(row.environment),
    type: type.parse(row.type),
    amount: money(amount),
    ordered:
      ordered === undefined || orderAmountReason === undefined
        ? undefined
        : { amount: ordered, reason: differenceReason.parse(orderAmountReason) },
    state: state.parse(row.state),
  };
}
