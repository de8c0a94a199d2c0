import type { Environment } from '@financing-checkout/contract';
import type { Database } from './database.ts';

export type CheckoutAttention = ReturnType<typeof attention>;

/** Finds and claims the checkouts that need work. */
export function attention({ db }: Database) {
  return {
    /**
     * Returns the ids of checkouts that are due: those of one environment, because other
     * environments' services do not know them, or of all environments if undefined.
     * @param open whether only open ones, or only others, are returned; both if undefined
     */
    async dueCheckouts(
      environment: Environment | undefined,
      now: number,
      limit: number,
      open?: boolean,
    ): Promise<string[]> {
      let query = db.selectFrom('checkouts').select('id').where('attentionAt', '<=', now);
      if (environment !== undefined) query = query.where('environment', '=', environment);
      if (open !== undefined) query = query.where('status', open ? '=' : '<>', 'open');
      const rows = await query.orderBy('attentionAt').limit(limit).execute();
      return rows.map((row) => row.id);
    },

    /**
     * Moves the attention time from `seen` to `until`, if given, and increments the attempt count;
     * `isAnswered` resets the count. Returns false when another companion was first.
     */
    async claimAttention(
      id: string,
      seen: number,
      until: number | undefined,
      isAnswered = false,
    ): Promise<boolean> {
      const result = await db
        .updateTable('checkouts')
        .set((eb) => ({
          attentionAt: until ?? null,
          attentionTries: isAnswered ? 0 : eb('attentionTries', '+', 1),
        }))
        .where('id', '=', id)
        .where('attentionAt', '=', seen)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
  };
}
