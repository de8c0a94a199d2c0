import type { Kysely, Transaction } from 'kysely';
import type { CheckoutRow } from './checkout-row.ts';
import type { BeginPrime } from './idempotency.ts';
import type { NewLink } from './links.ts';
import type { Schema } from './schema.ts';

export type OrderOf = Pick<CheckoutRow, 'environment' | 'merchantOrderId'>;

/** Returns what claims the link of an order, and the status of its checkout. */
export const linkClaim = (db: Kysely<Schema>, { environment, merchantOrderId }: OrderOf) =>
  db
    .selectFrom('link_claims')
    .leftJoin('checkouts', 'checkouts.id', 'link_claims.checkout_id')
    .select([
      'link_claims.attempt_id',
      'link_claims.checkout_id',
      'link_claims.until',
      'checkouts.status',
    ])
    .where('link_claims.environment', '=', environment)
    .where('link_claims.merchant_order_id', '=', merchantOrderId)
    .executeTakeFirst();

/** Claims the link of an order for an attempt. False while another link lives or is being made. */
export async function claimLink(
  tx: Transaction<Schema>,
  { attempt, now, order }: Pick<BeginPrime, 'attempt' | 'now' | 'order'>,
  until: number,
): Promise<boolean> {
  const seen = await linkClaim(tx, order);
  // A pending checkout may end with a charge after its link has ended.
  const isHeld =
    seen !== undefined &&
    (seen.checkout_id === null
      ? Number(seen.until) > now
      : seen.status === 'pending' || (seen.status === 'open' && Number(seen.until) > now));
  if (isHeld) return false;
  const { environment, merchantOrderId } = order;
  const claim = { attempt_id: attempt.id, checkout_id: null, until };
  const written =
    seen === undefined
      ? await tx
          .insertInto('link_claims')
          .values({ environment, merchant_order_id: merchantOrderId, ...claim })
          .onConflict((conflict) =>
            conflict.columns(['environment', 'merchant_order_id']).doNothing(),
          )
          .returning('attempt_id')
          .executeTakeFirst()
      : await tx
          .updateTable('link_claims')
          .set(claim)
          .where('environment', '=', environment)
          .where('merchant_order_id', '=', merchantOrderId)
          .where('attempt_id', '=', seen.attempt_id)
          .returning('attempt_id')
          .executeTakeFirst();
  return written !== undefined;
}

/** Names the checkout of a link that was made, or releases the claim of one that was not. */
export async function endLinkClaim(
  tx: Transaction<Schema>,
  { environment, merchantOrderId }: OrderOf,
  attemptId: string,
  link: Pick<NewLink, 'checkoutId' | 'expiresAt'> | undefined,
): Promise<void> {
  if (link === undefined) {
    await tx
      .deleteFrom('link_claims')
      .where('environment', '=', environment)
      .where('merchant_order_id', '=', merchantOrderId)
      .where('attempt_id', '=', attemptId)
      .execute();
    return;
  }
  await tx
    .updateTable('link_claims')
    .set({ checkout_id: link.checkoutId, until: link.expiresAt })
    .where('environment', '=', environment)
    .where('merchant_order_id', '=', merchantOrderId)
    .where('attempt_id', '=', attemptId)
    .execute();
}
