import { linkDeliveries, type LinkDelivery } from '@financing-checkout/contract/back-office';
import {
  type Environment,
  environmentSchema,
  linkStates,
} from '@financing-checkout/contract/storefront';
import type { Kysely, Selectable, Transaction } from 'kysely';
import { z } from 'zod';
import type { Database } from './database.ts';
import type { OrderOf } from './prime-budget.ts';
import type { LinksTable, Schema } from './schema.ts';
import { isIn, worklist } from './worklist.ts';

/** A new link. Times are milliseconds since 1970. */
export interface NewLink {
  checkoutId: string;
  environment: Environment;
  merchantOrderId: string;
  /** Undefined, like `url`, while the service's response is lost. */
  linkId: string | undefined;
  correlationId: string;
  url: string | undefined;
  /** PNG in Base64. */
  qrCode: string | undefined;
  delivery: LinkDelivery | undefined;
  createdAt: number;
  expiresAt: number;
  attentionAt: number;
}

export interface LinkRow extends Omit<NewLink, 'attentionAt'> {
  state: (typeof linkStates)[number];
  /** Statuses of the link and its applications at the service. */
  progress: string;
  changedAt: number;
  /** When the link is next read from the service. Undefined means that nothing is left to do. */
  attentionAt: number | undefined;
  /** Number of reads since the last change, for the backoff. */
  attentionTries: number;
}

/** An application of a link that was confirmed but not charged. */
export interface SecondConfirmation {
  applicationId: string;
  seenAt: number;
}

export type LinkRepository = ReturnType<typeof links>;

export function links({ db, transact }: Database) {
  const work = worklist(db, 'links');
  const find = (environment: Environment) =>
    db.selectFrom('links').selectAll().where('environment', '=', environment);
  return {
    async findLink(checkoutId: string): Promise<LinkRow | undefined> {
      const row = await db
        .selectFrom('links')
        .selectAll()
        .where('checkoutId', '=', checkoutId)
        .executeTakeFirst();
      return row && toLink(row);
    },

    /** Returns the links of an order, newest first, at most 100. */
    async findLinksOfOrder({ environment, merchantOrderId }: OrderOf): Promise<LinkRow[]> {
      const rows = await find(environment)
        .where('merchantOrderId', '=', merchantOrderId)
        .orderBy('createdAt', 'desc')
        .orderBy('checkoutId')
        .limit(100)
        .execute();
      return rows.map(toLink);
    },

    /** Returns the newest link with the given service id or correlation id. */
    async findLinkOf(
      environment: Environment,
      { linkId, correlationId }: { linkId: string | undefined; correlationId: string | undefined },
    ): Promise<LinkRow | undefined> {
      // Older notifications have the id of the link as their correlation id.
      const ids = [linkId, correlationId].filter((id) => id !== undefined);
      for (const id of ids) {
        const row = await find(environment)
          .where('linkId', '=', id)
          .orderBy('createdAt', 'desc')
          .executeTakeFirst();
        if (row) return toLink(row);
      }
      if (correlationId === undefined) return undefined;
      const row = await find(environment)
        .where('correlationId', '=', correlationId)
        .orderBy('createdAt', 'desc')
        .executeTakeFirst();
      return row && toLink(row);
    },

    dueLinks: (environment: Environment, now: number, limit: number) =>
      work.due(now, limit, isIn(environment)),
    claimLinkAttention: work.claim,

    /**
     * Writes the result of a read. An attention time that was set since `attentionSeen` is kept.
     */
    async updateLink(
      checkoutId: string,
      attentionSeen: number | undefined,
      set: Pick<LinkRow, 'state' | 'progress' | 'changedAt' | 'attentionAt' | 'attentionTries'>,
    ): Promise<void> {
      const { state, progress, changedAt, attentionAt, attentionTries } = set;
      await transact(async (tx) => {
        await tx
          .updateTable('links')
          .set({ state, progress, changedAt })
          .where('checkoutId', '=', checkoutId)
          .execute();
        if (attentionSeen === undefined) return;
        await tx
          .updateTable('links')
          .set({ attentionAt: attentionAt ?? null, attentionTries })
          .where('checkoutId', '=', checkoutId)
          .where('attentionAt', '=', attentionSeen)
          .execute();
      });
    },

    /** Makes a link due now; with `linkId`, completes a link whose creation response was lost. */
    async hurryLink(checkoutId: string, now: number, linkId?: string): Promise<void> {
      await transact(async (tx) => {
        if (linkId !== undefined) {
          await tx
            .updateTable('links')
            .set({ linkId })
            .where('checkoutId', '=', checkoutId)
            .where('linkId', 'is', null)
            .execute();
        }
        await tx
          .updateTable('links')
          .set({ attentionAt: now, attentionTries: 0 })
          .where('checkoutId', '=', checkoutId)
          .execute();
      });
    },

    /** Stores a confirmation that was not charged. Returns false when it is already stored. */
    async putSecondConfirmation(
      checkoutId: string,
      { applicationId, seenAt }: SecondConfirmation,
    ): Promise<boolean> {
      const inserted = await db
        .insertInto('secondConfirmations')
        .values({ checkoutId, applicationId, seenAt })
        .onConflict((conflict) => conflict.columns(['checkoutId', 'applicationId']).doNothing())
        .executeTakeFirst();
      return inserted.numInsertedOrUpdatedRows === 1n;
    },

    /** Returns the confirmations of a checkout that were not charged, oldest first. */
    findSecondConfirmations: (checkoutId: string): Promise<SecondConfirmation[]> =>
      secondConfirmations(db, checkoutId),
  };
}

/** Returns the confirmations of a checkout that were not charged, oldest first. */
export async function secondConfirmations(
  db: Kysely<Schema>,
  checkoutId: string,
): Promise<SecondConfirmation[]> {
  return db
    .selectFrom('secondConfirmations')
    .select(['applicationId', 'seenAt'])
    .where('checkoutId', '=', checkoutId)
    .orderBy('seenAt')
    .orderBy('applicationId')
    .execute();
}

export async function insertLink(tx: Transaction<Schema>, link: NewLink): Promise<void> {
  await tx
    .insertInto('links')
    .values({
      ...link,
      state: 'waiting',
      progress: '',
      changedAt: link.createdAt,
      attentionTries: 0,
    })
    .execute();
}

const stateSchema = z.enum(linkStates);
const deliverySchema = z.enum(linkDeliveries);

export function toLink(row: Selectable<LinksTable>): LinkRow {
  return {
    ...row,
    environment: environmentSchema.parse(row.environment),
    delivery: deliverySchema.optional().parse(row.delivery),
    state: stateSchema.parse(row.state),
  };
}
