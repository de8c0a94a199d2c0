import type { Kysely } from 'kysely';
import type { FactTables } from './schema.ts';

/**
 * Console sessions that a person has ended, so that no process accepts a copy of their cookie. Any
 * process may add them. Times are milliseconds since 1970.
 */
export interface EndedSessions {
  /** @param endsAt when the session would expire, after which it need not be remembered */
  endSession(id: string, endsAt: number, now: number): Promise<void>;
  isSessionEnded(id: string): Promise<boolean>;
}

/**
 * Margin for clock differences: a process whose clock is behind must not accept a session that
 * another process has already forgotten.
 */
const KEPT_MS = 86_400_000;

export function endedSessions(db: Kysely<FactTables>): EndedSessions {
  return {
    endSession: (id, endsAt, now) =>
      db.transaction().execute(async (tx) => {
        await tx
          .deleteFrom('ended_sessions')
          .where('ends_at', '<', now - KEPT_MS)
          .execute();
        await tx
          .insertInto('ended_sessions')
          .values({ id, ends_at: endsAt })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
      }),

    async isSessionEnded(id) {
      const row = await db
        .selectFrom('ended_sessions')
        .select('id')
        .where('id', '=', id)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
