import type { Database } from './database.ts';
import type { Store } from './store.ts';

/** Which checkouts wait for somebody to look at them, and who does. */
export function attention({ db }: Database): Pick<Store, 'dueCheckouts' | 'claimAttention'> {
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
