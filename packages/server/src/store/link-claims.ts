import type { Kysely, Transaction } from 'kysely';
import type { OrderOf, PrimeClaim } from './prime-claim.ts';
import type { Schema } from './schema.ts';

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
export async function claimLink(
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
export async function endLinkClaim(
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
