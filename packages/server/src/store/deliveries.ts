import type { DeliveryState, Environment } from '@financing-checkout/contract';
import type { Expression, ExpressionBuilder, Selectable, SqlBool, Transaction } from 'kysely';
import { randomId } from '../platform/id.ts';
import { webhookBody } from './checkout-record.ts';
import type { CheckoutRow } from './checkout-row.ts';
import type { Database } from './database.ts';
import type { OutboxTable, Schema } from './schema.ts';

export interface DeliveryRow {
  id: string;
  /** The checkout whose change the message reports. */
  checkoutId: string;
  /** The exact text that is signed and sent. */
  body: string;
  tries: number;
  createdAt: number;
}

export interface DeliveryQuery {
  /** Undefined: all environments. */
  environment: Environment | undefined;
  state: DeliveryState | undefined;
  /** Returns deliveries after this one, in the order of the list. */
  after: { createdAt: number; id: string } | undefined;
  limit: number;
}

/** A message without its text. Times are milliseconds since 1970. */
export interface ListedDelivery {
  id: string;
  checkoutId: string;
  tries: number;
  reason: string | undefined;
  createdAt: number;
  nextAttemptAt: number | undefined;
  deliveredAt: number | undefined;
}

export type DeliveryResult =
  | { kind: 'delivered' }
  | { kind: 'retry'; at: number; reason: string }
  | { kind: 'dead'; reason: string };

export interface DeliveryRepository {
  /** Claims messages that are due; until `until` no other companion gets them. */
  claimDeliveries(
    environment: Environment,
    now: number,
    until: number,
    limit: number,
  ): Promise<DeliveryRow[]>;
  /**
   * Writes how a try ended, unless the message was claimed or replayed since.
   * @param tries the count of tries in the claim
   */
  finishDelivery(id: string, tries: number, result: DeliveryResult, now: number): Promise<void>;
  /** Returns messages without their bodies, oldest first. */
  listDeliveries(query: DeliveryQuery): Promise<ListedDelivery[]>;
  /**
   * Makes a message of an environment due again, with all its tries. False when it does not exist.
   */
  replayDelivery(environment: Environment, id: string, now: number): Promise<boolean>;
}

/** The outbox: messages for the shop's backend, written together with the change they report. */
export function deliveries({ db }: Database): DeliveryRepository {
  return {
    async listDeliveries({ environment, state, after, limit }) {
      let query = db.selectFrom('outbox').select(listedColumns);
      if (environment !== undefined) query = query.where((eb) => isOf(eb, environment));
      if (state === 'waiting') {
        // A waiting message is not delivered. Stated, it is found by the index of due messages, not by age.
        query = query.where('next_attempt_at', 'is not', null).where('delivered_at', 'is', null);
      }
      if (state === 'delivered') query = query.where('delivered_at', 'is not', null);
      if (state === 'dead') {
        query = query.where('next_attempt_at', 'is', null).where('delivered_at', 'is', null);
      }
      if (after !== undefined) {
        query = query.where((eb) =>
          eb.or([
            eb('created_at', '>', after.createdAt),
            eb.and([eb('created_at', '=', after.createdAt), eb('id', '>', after.id)]),
          ]),
        );
      }
      const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute();
      return rows.map(toListedDelivery);
    },

    async replayDelivery(environment, id, now) {
      const result = await db
        .updateTable('outbox')
        .set({ next_attempt_at: now, tries: 0, delivered_at: null, last_reason: null })
        .where('id', '=', id)
        .where((eb) => isOf(eb, environment))
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    async claimDeliveries(environment, now, until, limit) {
      const due = await db
        .selectFrom('outbox')
        .select(['id', 'next_attempt_at'])
        .where('next_attempt_at', '<=', now)
        .where((eb) => isOf(eb, environment))
        .orderBy('next_attempt_at')
        .limit(limit)
        .execute();
      const claimed = [];
      for (const { id, next_attempt_at } of due) {
        const row = await db
          .updateTable('outbox')
          .set((eb) => ({ next_attempt_at: until, tries: eb('tries', '+', 1) }))
          .where('id', '=', id)
          .where('next_attempt_at', '=', next_attempt_at)
          .returning(['id', 'checkout_id', 'body', 'tries', 'created_at'])
          .executeTakeFirst();
        if (row) {
          claimed.push({
            id: row.id,
            checkoutId: row.checkout_id,
            body: row.body,
            tries: row.tries,
            createdAt: Number(row.created_at),
          });
        }
      }
      return claimed;
    },

    async finishDelivery(id, tries, result, now) {
      await db
        .updateTable('outbox')
        .set({
          next_attempt_at: result.kind === 'retry' ? result.at : null,
          delivered_at: result.kind === 'delivered' ? now : null,
          last_reason: result.kind === 'delivered' ? null : result.reason,
        })
        .where('id', '=', id)
        .where('tries', '=', tries)
        .execute();
    },
  };
}

/** The columns of a message without its text. */
export const listedColumns = [
  'id',
  'checkout_id',
  'tries',
  'last_reason',
  'created_at',
  'next_attempt_at',
  'delivered_at',
] as const;

/** Returns a message without its text from its columns. */
export function toListedDelivery(
  row: Pick<Selectable<OutboxTable>, (typeof listedColumns)[number]>,
): ListedDelivery {
  return {
    id: row.id,
    checkoutId: row.checkout_id,
    tries: row.tries,
    reason: row.last_reason ?? undefined,
    createdAt: Number(row.created_at),
    nextAttemptAt: row.next_attempt_at === null ? undefined : Number(row.next_attempt_at),
    deliveredAt: row.delivered_at === null ? undefined : Number(row.delivered_at),
  };
}

type OutboxBuilder = ExpressionBuilder<Schema, 'outbox'>;

/** Returns the condition that a message reports a checkout of this environment: a store may hold several. */
function isOf(eb: OutboxBuilder, environment: Environment): Expression<SqlBool> {
  return eb.exists(
    eb
      .selectFrom('checkouts')
      .select('checkouts.id')
      .whereRef('checkouts.id', '=', 'outbox.checkout_id')
      .where('checkouts.environment', '=', environment),
  );
}

/** Puts a change of a checkout in the outbox, if it changes the content of {@link webhookBody}. */
export async function insertDelivery(
  tx: Transaction<Schema>,
  before: CheckoutRow,
  after: CheckoutRow,
): Promise<void> {
  const isReported =
    before.status !== after.status ||
    before.retrySafe !== after.retrySafe ||
    before.chargeId !== after.chargeId ||
    before.chargeState !== after.chargeState ||
    before.charged?.amount.value !== after.charged?.amount.value;
  if (!isReported) return;
  await tx
    .insertInto('outbox')
    .values({
      id: randomId('msg'),
      checkout_id: after.id,
      body: webhookBody(after),
      created_at: after.updatedAt,
      tries: 0,
      next_attempt_at: after.updatedAt,
      delivered_at: null,
      last_reason: null,
    })
    .execute();
}
