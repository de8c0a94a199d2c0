import type { Environment } from '@financing-checkout/contract/storefront';
import { type Row, worklist } from '@financing-checkout/kit/sql';
import type { Kysely, Transaction } from 'kysely';
import { type Database, isIn } from './database.ts';
import type { OrderOf } from './prime-budget.ts';
import { type LinkRow, type Schema, tables } from './schema.ts';

export type NewLink = Omit<
  LinkRow,
  'state' | 'progress' | 'changedAt' | 'attentionAt' | 'attentionTries'
> & { attentionAt: number };

/** An application of a link that was confirmed but not charged. */
export type SecondConfirmation = Omit<Row<typeof tables.secondConfirmations>, 'checkoutId'>;

const { read } = tables.links;

export function links({ db, transact }: Database) {
  const work = worklist(db, tables.links);
  const find = (environment: Environment) =>
    db.selectFrom('links').selectAll().where('environment', '=', environment);
  return {
    async findLink(checkoutId: string): Promise<LinkRow | undefined> {
      const row = await db
        .selectFrom('links')
        .selectAll()
        .where('checkoutId', '=', checkoutId)
        .executeTakeFirst();
      return row && read(row);
    },

    /** Returns the links of an order, newest first, at most 100. */
    async findLinksOfOrder({ environment, merchantOrderId }: OrderOf): Promise<LinkRow[]> {
      const rows = await find(environment)
        .where('merchantOrderId', '=', merchantOrderId)
        .orderBy('createdAt', 'desc')
        .orderBy('checkoutId')
        .limit(100)
        .execute();
      return rows.map(read);
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
        if (row) return read(row);
      }
      if (correlationId === undefined) return undefined;
      const row = await find(environment)
        .where('correlationId', '=', correlationId)
        .orderBy('createdAt', 'desc')
        .executeTakeFirst();
      return row && read(row);
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
  const fresh = { progress: '', changedAt: link.createdAt, attentionTries: 0 };
  await tx
    .insertInto('links')
    .values(tables.links.write({ ...link, ...fresh, state: 'waiting' }))
    .execute();
}
