import type { Environment } from '@financing-checkout/contract';
import type { Database } from './database.ts';

export interface CheckoutAttention {
  /**
   * Returns the ids of checkouts whose time of attention has come: those of one environment, because the
   * service of another does not know them, or of all with undefined.
   */
  dueCheckouts(environment: Environment | undefined, now: number, limit: number): Promise<string[]>;
  /**
   * Moves attention from `seen` to `until`, if any, and counts a try; with `isAnswered` the count of tries
   * begins anew. False when another companion was first.
   */
  claimAttention(
    id: string,
    seen: number,
    until: number | undefined,
    isAnswered?: boolean,
  ): Promise<boolean>;
}

/** Finds and claims the checkouts that a companion has to work on. */
export function attention({ db }: Database): CheckoutAttention {
  return {
    async dueCheckouts(environment, now, limit) {
      let query = db.selectFrom('checkouts').select('id').where('attention_at', '<=', now);
      if (environment !== undefined) query = query.where('environment', '=', environment);
      const rows = await query.orderBy('attention_at').limit(limit).execute();
      return rows.map((row) => row.id);
    },

    async claimAttention(id, seen, until, isAnswered = false) {
      const result = await db
        .updateTable('checkouts')
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
