import type { ChargeOperationKind, Environment, Money } from '@financing-checkout/contract';
import type { Transaction } from 'kysely';
import type { Database } from './database.ts';
import { appendToLedger, type NewLedgerEntry } from './ledger.ts';
import { identity } from './pending-operations.ts';
import { toOperation } from './rows.ts';
import type { Schema } from './schema.ts';
import type { AttemptState, StoredProblem } from './store.ts';

/** Something that is to be done to a charge. */
export interface NewChargeOperation {
  id: string;
  environment: Environment;
  chargeId: string;
  merchantOrderId: string;
  kind: ChargeOperationKind;
  /** Undefined only for a void of a charge whose amount cannot be held exactly. */
  amount: Money | undefined;
  merchantTransactionId: string;
  /** Idempotency-Key of the request. */
  key: string;
  /** SHA-256 of the request's payload. */
  fingerprint: string;
  /** How far the charge had got before, in minor units: what was settled, refunded or voided. */
  progressBefore: number;
  /** Our request it is sent for. */
  requestId?: string | undefined;
}

/** Who said what became of an operation, and why. */
export interface Resolution {
  by: string;
  note: string;
}

/** It is recorded before it is sent, and holds its charge until it is known how it went. */
export interface ChargeOperationRow extends NewChargeOperation {
  state: AttemptState;
  transactionId: string | undefined;
  /** The lender's reference, which the funding of the transaction carries. */
  lenderReferenceId: string | undefined;
  /**
   * Whether it is a settle that was requested with its charge. `merchantTransactionId` is the charge's
   * then, and names the authorization at the service: only the charge itself shows the settle.
   */
  isWithCharge: boolean;
  serviceRequestId: string | undefined;
  reason: string | undefined;
  /** What the request was refused with. */
  problem: StoredProblem | undefined;
  resolution: Resolution | undefined;
  createdAt: number;
  /** When it was last about to be sent. */
  sentAt: number;
  updatedAt: number;
  attentionAt: number | undefined;
  attentionTries: number;
}

export interface EndChargeOperation {
  id: string;
  /** Which sending of it this tells of, in milliseconds: one that moved nothing may be sent again. */
  sentAt: number;
  now: number;
  state: Exclude<AttemptState, 'recorded'>;
  transactionId?: string | undefined;
  lenderReferenceId?: string | undefined;
  serviceRequestId?: string | undefined;
  reason?: string | undefined;
  problem?: StoredProblem | undefined;
  resolution?: Resolution | undefined;
  /** Against what a person has said of it, which is kept: only of one that was said not to be done. */
  overrules?: boolean;
  /** Of one that the service has accepted and not completed: its reason is `pending`. */
  follows?: boolean;
  ledger: readonly NewLedgerEntry[];
  /** When to look it up: for `unknown`, for what is pending, and for what a person says was not done. */
  attentionAt?: number | undefined;
}

export interface ChargeOperationStore {
  findChargeOperation(key: string): Promise<ChargeOperationRow | undefined>;
  /** Oldest first. */
  findChargeOperations(environment: Environment, chargeId: string): Promise<ChargeOperationRow[]>;
  /** Counts the operations begun on a charge. `busy`: one of them has not ended. */
  chargeTurn(
    environment: Environment,
    chargeId: string,
  ): Promise<{ revision: number; busy: boolean }>;
  /**
   * Records an operation and takes the charge for it. `stale`: another one has begun since
   * `revision` was read; `key-taken`: the key belongs to a request that has not provably failed.
   */
  beginChargeOperation(
    operation: NewChargeOperation,
    revision: number,
    now: number,
    leaseUntil: number,
  ): Promise<'begun' | 'stale' | 'key-taken'>;
  /**
   * Writes how an operation went, with its ledger entries; gives the charge back unless that is
   * unknown. False when it has ended before, or was sent again meanwhile.
   */
  endChargeOperation(end: EndChargeOperation): Promise<boolean>;
  dueChargeOperations(
    environment: Environment,
    now: number,
    limit: number,
  ): Promise<ChargeOperationRow[]>;
  /** Like `claimAttention`. */
  claimChargeOperation(
    id: string,
    seen: number,
    until: number | undefined,
    isAnswered?: boolean,
  ): Promise<boolean>;
}

export function chargeOperations({ db, transact }: Database): ChargeOperationStore {
  return {
    async findChargeOperation(key) {
      const query = db.selectFrom('charge_operations').selectAll().where('key', '=', key);
      const row = await query.executeTakeFirst();
      return row && toOperation(row);
    },

    async findChargeOperations(environment, chargeId) {
      const rows = await db
        .selectFrom('charge_operations')
        .selectAll()
        .where('environment', '=', environment)
        .where('charge_id', '=', chargeId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(toOperation);
    },

    async chargeTurn(environment, chargeId) {
      const row = await db
        .selectFrom('charge_turns')
        .select(['revision', 'operation_id'])
        .where('environment', '=', environment)
        .where('charge_id', '=', chargeId)
        .executeTakeFirst();
      return row === undefined
        ? { revision: 0, busy: false }
        : { revision: Number(row.revision), busy: row.operation_id !== null };
    },

    beginChargeOperation: (operation, revision, now, leaseUntil) =>
      transact((tx) => begin(tx, operation, revision, now, leaseUntil)).catch((error: unknown) => {
        if (error instanceof Undo) return error.result;
        throw error;
      }),

    endChargeOperation: (end) => transact((tx) => endOperation(tx, end)),

    async dueChargeOperations(environment, now, limit) {
      const rows = await db
        .selectFrom('charge_operations')
        .selectAll()
        .where('environment', '=', environment)
        .where('attention_at', '<=', now)
        .orderBy('attention_at')
        .limit(limit)
        .execute();
      return rows.map(toOperation);
    },

    async claimChargeOperation(id, seen, until, isAnswered = false) {
      const result = await db
        .updateTable('charge_operations')
        .set((eb) => ({
          attention_at: until ?? null,
          attention_tries: isAnswered ? 0 : eb('attention_tries', '+', 1),
        }))
        .where('id', '=', id)
        .where('attention_at', '=', seen)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
  };
}

/** Thrown inside a transaction to undo it. */
class Undo extends Error {
  readonly result: 'stale' | 'key-taken';

  constructor(result: Undo['result']) {
    super('undone');
    this.result = result;
  }
}

async function begin(
  tx: Transaction<Schema>,
  operation: NewChargeOperation,
  revision: number,
  now: number,
  leaseUntil: number,
): Promise<'begun'> {
  const { environment, chargeId } = operation;
  await tx
    .insertInto('charge_turns')
    .values({ environment, charge_id: chargeId, revision: 0, operation_id: null })
    .onConflict((conflict) => conflict.columns(['environment', 'charge_id']).doNothing())
    .execute();
  const turn = await tx
    .updateTable('charge_turns')
    .set({ revision: revision + 1, operation_id: operation.id })
    .where('environment', '=', environment)
    .where('charge_id', '=', chargeId)
    .where('revision', '=', revision)
    .where('operation_id', 'is', null)
    .executeTakeFirst();
  if (turn.numUpdatedRows === 0n) throw new Undo('stale');

  const again = {
    state: 'recorded',
    amount: operation.amount?.value ?? null,
    currency: operation.amount?.currency ?? null,
    progress_before: operation.progressBefore,
    reason: null,
    problem: null,
    sent_at: now,
    updated_at: now,
    attention_at: leaseUntil,
    attention_tries: 0,
    request_id: operation.requestId ?? null,
  };
  const taken = await tx
    .insertInto('charge_operations')
    .values({ ...identity(operation), created_at: now, ...again })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(again)
        .where('charge_operations.state', '=', 'not-sent')
        .where('charge_operations.fingerprint', '=', operation.fingerprint)
        .where('charge_operations.id', '=', operation.id),
    )
    .returning('id')
    .executeTakeFirst();
  if (taken === undefined) throw new Undo('key-taken');
  return 'begun';
}

async function endOperation(tx: Transaction<Schema>, end: EndChargeOperation): Promise<boolean> {
  const row = await tx
    .updateTable('charge_operations')
    .set({
      state: end.state,
      transaction_id: end.transactionId ?? null,
      lender_reference_id: end.lenderReferenceId ?? null,
      service_request_id: end.serviceRequestId ?? null,
      reason: end.reason ?? null,
      problem: end.problem === undefined ? null : JSON.stringify(end.problem),
      ...(end.overrules
        ? {}
        : {
            resolved_by: end.resolution?.by ?? null,
            resolution_note: end.resolution?.note ?? null,
          }),
      updated_at: end.now,
      attention_at: end.attentionAt ?? null,
      ...(end.attentionAt === undefined ? {} : { attention_tries: 0 }),
    })
    .where('id', '=', end.id)
    .where('sent_at', '=', end.sentAt)
    // An unknown one stays so until it is known; it does not become unknown a second time.
    .where((eb) => {
      if (end.overrules) {
        return eb.and([eb('state', '=', 'rejected'), eb('resolved_by', 'is not', null)]);
      }
      if (end.follows) {
        return eb.and([
          eb('state', '=', 'accepted'),
          eb('reason', '=', 'pending'),
          eb('resolved_by', 'is', null),
        ]);
      }
      return eb('state', 'in', end.state === 'unknown' ? ['recorded'] : ['recorded', 'unknown']);
    })
    .returning(['environment', 'charge_id'])
    .executeTakeFirst();
  if (row === undefined) return false;
  if (end.state !== 'unknown') {
    await tx
      .updateTable('charge_turns')
      .set({ operation_id: null })
      .where('environment', '=', row.environment)
      .where('charge_id', '=', row.charge_id)
      .where('operation_id', '=', end.id)
      .execute();
  }
  if (end.state === 'accepted' || end.follows || end.resolution !== undefined) {
    // The shop hears of the charge's new state: the checkout is looked at, now or after a crash. Where
    // a person had to look, somebody may have moved it by hand.
    await tx
      .updateTable('checkouts')
      .set({ attention_at: end.now, attention_tries: 0 })
      .where('environment', '=', row.environment)
      .where('charge_id', '=', row.charge_id)
      .where('status', 'in', ['approved', 'failed'])
      .execute();
  }
  await appendToLedger(tx, end.ledger, end.now);
  return true;
}
