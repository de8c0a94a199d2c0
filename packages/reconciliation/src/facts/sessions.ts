import type { Kysely } from 'kysely';
import { type FactTables, sessions, type SessionRow } from './schema.ts';

/** The sessions to end: one session, or all sessions of a person, of a provider session, or of both. */
export type SessionsToEnd =
  | { id: string }
  | {
      issuer: string;
      subject: string | undefined;
      providerSession: string | undefined;
      startedBefore: number;
    };

/** Expired sessions are kept this long, because clocks of other processes may be behind. */
const KEPT_MS = 86_400_000;

/** Console sessions. Any process may write them, so that a session works in every process. */
export function sessionFacts(db: Kysely<FactTables>) {
  return {
    /** Begins a session, and deletes expired ones. */
    beginSession: (session: SessionRow) =>
      db.transaction().execute(async (tx) => {
        const before = session.startedAt - KEPT_MS;
        await tx.deleteFrom('sessions').where('endsAt', '<', before).execute();
        await tx.insertInto('sessions').values(sessions.write(session)).execute();
      }),

    /** Returns the existing sessions with these IDs. */
    sessions: async (ids: readonly string[]): Promise<SessionRow[]> =>
      ids.length === 0
        ? []
        : db.selectFrom('sessions').selectAll().where('id', 'in', ids).execute(),

    /** Extends the idle timeout. */
    async renewSession(id: string, idleEndsAt: number) {
      const change = { idleEndsAt };
      await db.updateTable('sessions').set(change).where('id', '=', id).execute();
    },

    /** Stores the provider's confirmation, unless the session was ended. */
    async confirmSession({ confirmedUntil, id, proof, roles }: SessionRow) {
      await db
        .updateTable('sessions')
        .set({ confirmedUntil, proof, roles: roles ?? null })
        .where('id', '=', id)
        .where('ended', 'is', null)
        .execute();
    },

    /** @returns the distinct names of the sessions that this call ended */
    async endSessions(which: SessionsToEnd, reason: string) {
      let query = db.updateTable('sessions').set({ ended: reason }).where('ended', 'is', null);
      if ('id' in which) query = query.where('id', '=', which.id);
      else {
        const { issuer, providerSession, startedBefore, subject } = which;
        if (subject === undefined && providerSession === undefined) return [];
        query = query.where('issuer', '=', issuer).where('startedAt', '<', startedBefore);
        if (subject !== undefined) query = query.where('subject', '=', subject);
        if (providerSession !== undefined) {
          query = query.where('providerSession', '=', providerSession);
        }
      }
      const ended = await query.returning('name').execute();
      return [...new Set(ended.map(({ name }) => name))];
    },
  };
}
