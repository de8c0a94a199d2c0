import type { DeliveryResult } from '@financing-checkout/kit/outbox';
import type { DeliveryState } from '@financing-checkout/contract/back-office';
import type { Environment } from '@financing-checkout/contract/storefront';
import { type Row, worklist } from '@financing-checkout/kit/sql';
import {
  type Expression,
  expressionBuilder,
  type ExpressionBuilder,
  type SqlBool,
  type Transaction,
} from 'kysely';
import { randomId } from '../platform/id.ts';
import { webhookBody } from './checkout-record.ts';
import type { Database } from './database.ts';
import { type CheckoutRow, type Schema, tables } from './schema.ts';

export interface DeliveryQuery {
  /** Undefined means all environments. */
  environment: Environment | undefined;
  state: DeliveryState | undefined;
  /** Created at or after `from` and before `to`, in milliseconds since 1970. */
  from?: number | undefined;
  to?: number | undefined;
  /** Returns the deliveries that follow this one in the list order. */
  after: { createdAt: number; id: string } | undefined;
  limit: number;
}

/** The outbox: messages for the shop's backend, written together with the change they report. */
export function deliveries({ db }: Database) {
  const work = worklist(db, tables.outbox);
  return {
    /** Returns messages without their bodies, oldest first. */
    async listDeliveries({
      environment,
      state,
      from,
      to,
      after,
      limit,
    }: DeliveryQuery): Promise<ListedDelivery[]> {
      let query = db.selectFrom('outbox').select(listedColumns);
      if (environment !== undefined) query = query.where((eb) => isOf(eb, environment));
      if (state === 'waiting') {
        // A waiting message is by definition undelivered. Stating this condition lets the query use
        // the index of due messages instead of scanning by age.
        query = query.where('nextAttemptAt', 'is not', null).where('deliveredAt', 'is', null);
      }
      if (state === 'delivered') query = query.where('deliveredAt', 'is not', null);
      if (state === 'dead') {
        query = query.where('nextAttemptAt', 'is', null).where('deliveredAt', 'is', null);
      }
      if (from !== undefined) query = query.where('createdAt', '>=', from);
      if (to !== undefined) query = query.where('createdAt', '<', to);
      if (after !== undefined) {
        query = query.where((eb) =>
          eb.or([
            eb('createdAt', '>', after.createdAt),
            eb.and([eb('createdAt', '=', after.createdAt), eb('id', '>', after.id)]),
          ]),
        );
      }
      return query.orderBy('createdAt').orderBy('id').limit(limit).execute();
    },

    /**
     * Makes a message of an environment due again, with a fresh attempt count. Returns false when
     * the message does not exist.
     */
    async replayDelivery(environment: Environment, id: string, now: number): Promise<boolean> {
      const result = await db
        .updateTable('outbox')
        .set({ nextAttemptAt: now, tries: 0, deliveredAt: null, reason: null })
        .where('id', '=', id)
        .where((eb) => isOf(eb, environment))
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    /** Claims messages that are due. No other companion gets them before `until`. */
    claimDeliveries: (
      environment: Environment,
      ...due: [now: number, until: number, limit: number]
    ): Promise<DeliveryRow[]> =>
      work.claimDue(claimedColumns, due, isOf(expressionBuilder(), environment)),

    /**
     * Records the result of an attempt, unless the message was claimed or replayed since.
     * @param tries the attempt count at the time of the claim
     */
    async finishDelivery(
      id: string,
      tries: number,
      result: DeliveryResult,
      now: number,
    ): Promise<void> {
      await db
        .updateTable('outbox')
        .set({
          nextAttemptAt: result.kind === 'retry' ? result.at : null,
          deliveredAt: result.kind === 'delivered' ? now : null,
          reason: result.kind === 'delivered' ? null : result.reason,
        })
        .where('id', '=', id)
        .where('tries', '=', tries)
        .execute();
    },
  };
}

const claimedColumns = ['id', 'checkoutId', 'body', 'tries', 'createdAt'] as const;
export type DeliveryRow = Pick<Row<typeof tables.outbox>, (typeof claimedColumns)[number]>;

export const listedColumns = [
  'id',
  'checkoutId',
  'tries',
  'reason',
  'createdAt',
  'nextAttemptAt',
  'deliveredAt',
] as const;
/** A message without its body. */
export type ListedDelivery = Pick<Row<typeof tables.outbox>, (typeof listedColumns)[number]>;

type OutboxBuilder = ExpressionBuilder<Schema, 'outbox'>;

/**
 * Returns the condition that a message is about a checkout of this environment; a store may contain
 * several.
 */
function isOf(eb: OutboxBuilder, environment: Environment): Expression<SqlBool> {
  return eb.exists(
    eb
      .selectFrom('checkouts')
      .select('checkouts.id')
      .whereRef('checkouts.id', '=', 'outbox.checkoutId')
      .where('checkouts.environment', '=', environment),
  );
}

/** Writes a change to a checkout to the outbox if it changes the content of {@link webhookBody}. */
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
      checkoutId: after.id,
      body: webhookBody(after),
      createdAt: after.updatedAt,
      tries: 0,
      nextAttemptAt: after.updatedAt,
    })
    .execute();
}
