import type { Kysely, Transaction } from 'kysely';
import type {
  ClaimedKey,
  FinishKey,
  IdempotencyKeys,
  KeyClaim,
  PrimeClaim,
} from './idempotency.ts';
import {
  insertLinkMessage,
  type LinkMessage,
  type SpentMessages,
  spentMessages,
} from './link-messages.ts';
import { insertLink, type NewLink } from './links.ts';
import type { OrderOf } from './prime-budget.ts';
import { type CheckoutRow, type Schema, tables } from './schema.ts';
import { lockOrder } from './sql/order-lock.ts';
import type { StoredProblem } from './stored-problem.ts';

/** `attemptId` of an idempotency key that joined an already active link. */
export const JOINED = 'joined';

/** Creates the link of an order. Refused while the order has an active link. */
export interface BeginLink extends KeyClaim {
  /** The link of the order stays claimed until `until`. */
  link: { until: number };
  /** The service's message with the link; counted before it is sent. */
  message?: LinkMessage | undefined;
}

export type BegunLink = ClaimedKey<
  /** The order has an active link, or one is being created. */
  | { kind: 'link-taken' }
  /** A message budget is exhausted. */
  | ({ kind: 'messages-spent' } & SpentMessages)
>;

export interface FinishLink extends Omit<FinishKey, 'end'> {
  end:
    | { checkout: CheckoutRow; link: NewLink }
    /**
     * `lost`: a link that the service may have created and sent; it is tracked in case it is used.
     */
    | { problem: StoredProblem; lost?: { checkout: CheckoutRow; link: NewLink } | undefined }
    | 'released';
  linkOf: OrderOf;
}

/** A prime by link for an order that already has an active link. */
export interface JoinLink extends PrimeClaim {
  checkoutId: string;
}

/**
 * `joined`: the key shows the checkout from now on. `known`: the key already has its own response.
 * `above-budget`: the order's prime budget is exhausted, and nothing was written.
 */
export type JoinedLink = 'joined' | 'known' | 'above-budget';

/** Rolls back the claim of a key whose order has a link. */
export class LinkTaken extends Error {}

/** Claims a key and the link of its order, and counts the link's message. @throws {LinkTaken} */
export async function beginLink(
  tx: Transaction<Schema>,
  keys: IdempotencyKeys,
  begin: BeginLink,
): Promise<BegunLink> {
  const { attempt, link, message, now } = begin;
  const begun = await keys.claim(tx, begin, async () => {
    const spent = message && (await spentMessages(tx, message, now));
    return spent && { kind: 'messages-spent' as const, ...spent };
  });
  if (begun.kind !== 'begun') return begun;
  if (!(await claimLink(tx, begin, link.until))) throw new LinkTaken();
  if (message) await insertLinkMessage(tx, message, { attemptId: attempt.id, now });
  return begun;
}

/** Records the result of a link: the response for its key, the link, and the end of its claim. */
export async function finishLink(
  tx: Transaction<Schema>,
  keys: IdempotencyKeys,
  finish: FinishLink,
): Promise<void> {
  const { attempt, end, linkOf } = finish;
  await keys.finish(tx, finish);
  const lost = end !== 'released' && 'problem' in end ? end.lost : undefined;
  const link = end !== 'released' && 'checkout' in end ? end.link : lost?.link;
  if (lost !== undefined) {
    await tx.insertInto('checkouts').values(tables.checkouts.write(lost.checkout)).execute();
  }
  if (link !== undefined) await insertLink(tx, link);
  await endLinkClaim(tx, linkOf, attempt.id, link);
}

/** Assigns the checkout of an active link to a new key. */
export async function joinLink(
  tx: Transaction<Schema>,
  keys: IdempotencyKeys,
  join: JoinLink,
): Promise<JoinedLink> {
  const { budget, checkoutId, fingerprint, key, now, order } = join;
  if (budget !== undefined) {
    await lockOrder(tx, order);
    // Joining a link opens no checkout.
    const primes = { ...budget, openCheckouts: 0 };
    const freeAt = await keys.budgetFreeAt(tx, { order, budget: primes, now });
    if (freeAt !== undefined) return 'above-budget';
  }
  const taken = { key, fingerprint, attemptId: JOINED, leaseUntil: now, checkoutId };
  // The attempt is stored without the checkout, because nothing was sent for it and every read of a
  // checkout loads its attempts.
  const isTaken = await keys.take(tx, { ...taken, state: 'finished' }, join, 'accepted');
  return isTaken ? 'joined' : 'known';
}

/** Returns the claim on the link of an order, and the status of its checkout. */
export const linkClaim = (db: Kysely<Schema>, { environment, merchantOrderId }: OrderOf) =>
  db
    .selectFrom('linkClaims')
    .leftJoin('checkouts', 'checkouts.id', 'linkClaims.checkoutId')
    .select([
      'linkClaims.attemptId',
      'linkClaims.checkoutId',
      'linkClaims.until',
      'checkouts.status',
    ])
    .where('linkClaims.environment', '=', environment)
    .where('linkClaims.merchantOrderId', '=', merchantOrderId)
    .executeTakeFirst();

/**
 * Claims the link of an order for an attempt. Returns false while another link is active or being
 * created.
 */
async function claimLink(
  tx: Transaction<Schema>,
  { attempt, now, order }: Pick<PrimeClaim, 'attempt' | 'now' | 'order'>,
  until: number,
): Promise<boolean> {
  const seen = await linkClaim(tx, order);
  // A pending checkout may end with a charge after its link has ended.
  const isHeld =
    seen !== undefined &&
    (seen.checkoutId === undefined
      ? seen.until > now
      : seen.status === 'pending' || (seen.status === 'open' && seen.until > now));
  if (isHeld) return false;
  const { environment, merchantOrderId } = order;
  const claim = { attemptId: attempt.id, checkoutId: null, until };
  const written =
    seen === undefined
      ? await tx
          .insertInto('linkClaims')
          .values({ environment, merchantOrderId, ...claim })
          .onConflict((conflict) =>
            conflict.columns(['environment', 'merchantOrderId']).doNothing(),
          )
          .returning('attemptId')
          .executeTakeFirst()
      : await tx
          .updateTable('linkClaims')
          .set(claim)
          .where('environment', '=', environment)
          .where('merchantOrderId', '=', merchantOrderId)
          .where('attemptId', '=', seen.attemptId)
          .returning('attemptId')
          .executeTakeFirst();
  return written !== undefined;
}

/**
 * Assigns the checkout to the claim of a link that was created, or releases the claim of a link
 * that was not created.
 */
async function endLinkClaim(
  tx: Transaction<Schema>,
  { environment, merchantOrderId }: OrderOf,
  attemptId: string,
  link: { checkoutId: string; expiresAt: number } | undefined,
): Promise<void> {
  if (link === undefined) {
    await tx
      .deleteFrom('linkClaims')
      .where('environment', '=', environment)
      .where('merchantOrderId', '=', merchantOrderId)
      .where('attemptId', '=', attemptId)
      .execute();
    return;
  }
  await tx
    .updateTable('linkClaims')
    .set({ checkoutId: link.checkoutId, until: link.expiresAt })
    .where('environment', '=', environment)
    .where('merchantOrderId', '=', merchantOrderId)
    .where('attemptId', '=', attemptId)
    .execute();
}
