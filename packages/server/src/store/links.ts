import {
  type Environment,
  environmentSchema,
  linkDeliveries,
  type LinkDelivery,
  linkStates,
} from '@financing-checkout/contract';
import type { Kysely, Selectable, Transaction } from 'kysely';
import { z } from 'zod';
import { type AttemptRow, fromNewAttempt } from './attempts.ts';
import type { Database } from './database.ts';
import type { BeginPrime } from './idempotency.ts';
import { linkClaim, type OrderOf } from './link-claims.ts';
import { budgetFreeAt, primeOf } from './prime-budget.ts';
import type { LinksTable, Schema } from './schema.ts';
import { lockOrder } from './sql/order-lock.ts';

/** A link as it is made. Times are milliseconds since 1970. */
export interface NewLink {
  checkoutId: string;
  environment: Environment;
  merchantOrderId: string;
  /** Undefined, with `url`, while the answer of the service is lost. */
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

/** A link as the store holds it. */
export interface LinkRow extends Omit<NewLink, 'attentionAt'> {
  state: (typeof linkStates)[number];
  /** Statuses of the link and its applications at the service. */
  progress: string;
  changedAt: number;
  /** When the link is read next at the service. Undefined: nothing is left to do. */
  attentionAt: number | undefined;
  /** Reads since the last change, for the backoff. */
  attentionTries: number;
}

/** An application on a link that was confirmed and not charged. */
export interface SecondConfirmation {
  applicationId: string;
  seenAt: number;
}

/** `attempt_id` of an idempotency key that joined a link which lived already. */
export const JOINED = 'joined';

/** A prime by link of an order that has a living link. */
export interface JoinLink extends Pick<
  BeginPrime,
  'key' | 'fingerprint' | 'attempt' | 'order' | 'budget' | 'now'
> {
  /** The checkout of the link. */
  checkoutId: string;
}

/**
 * `joined`: the key shows the checkout from now on. `known`: the key has an answer of its own.
 * `above-budget`: the order's budget of primes is spent, and nothing was written.
 */
export type JoinedLink = 'joined' | 'known' | 'above-budget';

export interface LinkRepository {
  findLink(checkoutId: string): Promise<LinkRow | undefined>;
  /** Returns the links of an order, newest first, at most 100. */
  findLinksOfOrder(order: OrderOf): Promise<LinkRow[]>;
  /** Returns the newest link with an id of the service or a correlation id. */
  findLinkOf(
    environment: Environment,
    ids: { linkId: string | undefined; correlationId: string | undefined },
  ): Promise<LinkRow | undefined>;
  /** Returns what claims the link of an order; `checkoutId` is undefined while it is being made. */
  findLinkClaim(
    order: OrderOf,
  ): Promise<{ checkoutId: string | undefined; until: number; attemptId: string } | undefined>;
  /** Records that a new key shows the checkout of a living link. It counts as a prime of the order. */
  joinLink(join: JoinLink): Promise<JoinedLink>;
  /** Returns the checkouts of an environment whose links are due to be read. */
  dueLinks(environment: Environment, now: number, limit: number): Promise<string[]>;
  /** Moves attention from `seen` to `until`, and counts a read. False when another companion was first. */
  claimLinkAttention(checkoutId: string, seen: number, until: number): Promise<boolean>;
  /** Writes what a read has shown. Attention that was set since `attentionSeen` stays. */
  updateLink(
    checkoutId: string,
    attentionSeen: number | undefined,
    set: Pick<LinkRow, 'state' | 'progress' | 'changedAt' | 'attentionAt' | 'attentionTries'>,
  ): Promise<void>;
  /** Makes a link due now; with `linkId`, completes a link whose answer was lost. */
  hurryLink(checkoutId: string, now: number, linkId?: string): Promise<void>;
  /** Stores a confirmation that was not charged. False when it is stored already. */
  putSecondConfirmation(checkoutId: string, confirmation: SecondConfirmation): Promise<boolean>;
  /** Oldest first. */
  findSecondConfirmations(checkoutId: string): Promise<SecondConfirmation[]>;
}

/** Links to checkouts, and the claims that keep an order to one living link. */
export function links({ db, transact }: Database): LinkRepository {
  const find = (environment: Environment) =>
    db.selectFrom('links').selectAll().where('environment', '=', environment);
  return {
    async findLink(checkoutId) {
      const row = await db
        .selectFrom('links')
        .selectAll()
        .where('checkout_id', '=', checkoutId)
        .executeTakeFirst();
      return row && toLink(row);
    },

    async findLinksOfOrder({ environment, merchantOrderId }) {
      const rows = await find(environment)
        .where('merchant_order_id', '=', merchantOrderId)
        .orderBy('created_at', 'desc')
        .orderBy('checkout_id')
        .limit(100)
        .execute();
      return rows.map(toLink);
    },

    async findLinkOf(environment, { linkId, correlationId }) {
      // Older notifications have the id of the link as their correlation id.
      const ids = [linkId, correlationId].filter((id) => id !== undefined);
      for (const id of ids) {
        const row = await find(environment)
          .where('link_id', '=', id)
          .orderBy('created_at', 'desc')
          .executeTakeFirst();
        if (row) return toLink(row);
      }
      if (correlationId === undefined) return undefined;
      const row = await find(environment)
        .where('correlation_id', '=', correlationId)
        .orderBy('created_at', 'desc')
        .executeTakeFirst();
      return row && toLink(row);
    },

    async findLinkClaim(order) {
      const row = await linkClaim(db, order);
      return (
        row && {
          checkoutId: row.checkout_id ?? undefined,
          until: Number(row.until),
          attemptId: row.attempt_id,
        }
      );
    },

    joinLink: (join) => transact((tx) => joinLink(tx, join)),

    async dueLinks(environment, now, limit) {
      const rows = await find(environment)
        .clearSelect()
        .select('checkout_id')
        .where('attention_at', '<=', now)
        .orderBy('attention_at')
        .limit(limit)
        .execute();
      return rows.map((row) => row.checkout_id);
    },

    async claimLinkAttention(checkoutId, seen, until) {
      const result = await db
        .updateTable('links')
        .set((eb) => ({ attention_at: until, attention_tries: eb('attention_tries', '+', 1) }))
        .where('checkout_id', '=', checkoutId)
        .where('attention_at', '=', seen)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    async updateLink(checkoutId, attentionSeen, set) {
      const { state, progress, changedAt, attentionAt, attentionTries } = set;
      await transact(async (tx) => {
        await tx
          .updateTable('links')
          .set({ state, progress, changed_at: changedAt })
          .where('checkout_id', '=', checkoutId)
          .execute();
        if (attentionSeen === undefined) return;
        await tx
          .updateTable('links')
          .set({ attention_at: attentionAt ?? null, attention_tries: attentionTries })
          .where('checkout_id', '=', checkoutId)
          .where('attention_at', '=', attentionSeen)
          .execute();
      });
    },

    async hurryLink(checkoutId, now, linkId) {
      await transact(async (tx) => {
        if (linkId !== undefined) {
          await tx
            .updateTable('links')
            .set({ link_id: linkId })
            .where('checkout_id', '=', checkoutId)
            .where('link_id', 'is', null)
            .execute();
        }
        await tx
          .updateTable('links')
          .set({ attention_at: now, attention_tries: 0 })
          .where('checkout_id', '=', checkoutId)
          .execute();
      });
    },

    async putSecondConfirmation(checkoutId, { applicationId, seenAt }) {
      const inserted = await db
        .insertInto('second_confirmations')
        .values({ checkout_id: checkoutId, application_id: applicationId, seen_at: seenAt })
        .onConflict((conflict) => conflict.columns(['checkout_id', 'application_id']).doNothing())
        .executeTakeFirst();
      return inserted.numInsertedOrUpdatedRows === 1n;
    },

    findSecondConfirmations: (checkoutId) => secondConfirmations(db, checkoutId),
  };
}

async function joinLink(tx: Transaction<Schema>, join: JoinLink): Promise<JoinedLink> {
  const { attempt, budget, checkoutId, fingerprint, key, now, order } = join;
  if (budget !== undefined) {
    await lockOrder(tx, order);
    // A join opens no checkout.
    const primes = { ...budget, openCheckouts: 0 };
    const freeAt = await budgetFreeAt(tx, { order, budget: primes, now });
    if (freeAt !== undefined) return 'above-budget';
  }
  const inserted = await tx
    .insertInto('idempotency')
    .values({
      key,
      fingerprint,
      attempt_id: JOINED,
      state: 'finished',
      lease_until: now,
      checkout_id: checkoutId,
      problem: null,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ attempt_id: JOINED, state: 'finished', checkout_id: checkoutId })
        .where('idempotency.state', '=', 'released')
        .whereRef('idempotency.fingerprint', '=', 'excluded.fingerprint'),
    )
    .returning('key')
    .executeTakeFirst();
  if (inserted === undefined) return 'known';
  // Without the checkout: nothing was sent for it, and every read of a checkout loads its attempts.
  const row = fromNewAttempt({ ...attempt, primeOf: primeOf(order) }, now);
  const state: AttemptRow['state'] = 'accepted';
  await tx
    .insertInto('attempts')
    .values({ ...row, state })
    .execute();
  return 'joined';
}

/** Returns the confirmations of a checkout that were not charged, oldest first. */
export async function secondConfirmations(
  db: Kysely<Schema>,
  checkoutId: string,
): Promise<SecondConfirmation[]> {
  const rows = await db
    .selectFrom('second_confirmations')
    .selectAll()
    .where('checkout_id', '=', checkoutId)
    .orderBy('seen_at')
    .orderBy('application_id')
    .execute();
  return rows.map((row) => ({ applicationId: row.application_id, seenAt: Number(row.seen_at) }));
}

/** Writes a new link. */
export async function insertLink(tx: Transaction<Schema>, link: NewLink): Promise<void> {
  await tx
    .insertInto('links')
    .values({
      checkout_id: link.checkoutId,
      environment: link.environment,
      merchant_order_id: link.merchantOrderId,
      link_id: link.linkId ?? null,
      correlation_id: link.correlationId,
      url: link.url ?? null,
      qr_code: link.qrCode ?? null,
      delivery: link.delivery ?? null,
      state: 'waiting',
      progress: '',
      changed_at: link.createdAt,
      created_at: link.createdAt,
      expires_at: link.expiresAt,
      attention_at: link.attentionAt,
      attention_tries: 0,
    })
    .execute();
}

const stateSchema = z.enum(linkStates);
const deliverySchema = z.enum(linkDeliveries);

/** Returns a link from its columns. */
export function toLink(row: Selectable<LinksTable>): LinkRow {
  return {
    checkoutId: row.checkout_id,
    environment: environmentSchema.parse(row.environment),
    merchantOrderId: row.merchant_order_id,
    linkId: row.link_id ?? undefined,
    correlationId: row.correlation_id,
    url: row.url ?? undefined,
    qrCode: row.qr_code ?? undefined,
    delivery: row.delivery === null ? undefined : deliverySchema.parse(row.delivery),
    state: stateSchema.parse(row.state),
    progress: row.progress,
    changedAt: Number(row.changed_at),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    attentionAt: row.attention_at === null ? undefined : Number(row.attention_at),
    attentionTries: row.attention_tries,
  };
}
