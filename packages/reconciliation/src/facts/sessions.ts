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

/** Console sessions. Any process may write them, so that a session works in every process. */
export interface SessionFacts {
  /** Begins a session, and deletes expired ones. */
  beginSession(session: SessionRow): Promise<void>;
  /** Returns the existing sessions with these IDs. */
  sessions(ids: readonly string[]): Promise<SessionRow[]>;
  /** Extends the idle timeout. */
  renewSession(id: string, idleEndsAt: number): Promise<void>;
  /** Stores the provider's confirmation, unless the session was ended. */
  confirmSession(session: SessionRow): Promise<void>;
  /** @returns the distinct names of the sessions that this call ended */
  endSessions(which: SessionsToEnd, reason: string): Promise<string[]>;
}

/** Expired sessions are kept this long, because clocks of other processes may be behind. */
const KEPT_MS = 86_400_000;

export function sessionFacts(db: Kysely<FactTables>): SessionFacts {
  return {
    beginSession: (session) =>
      db.transaction().execute(async (tx) => {
        const before = session.startedAt - KEPT_MS;
        await tx.deleteFrom('sessions').where('endsAt', '<', before).execute();
        await tx.insertInto('sessions').values(sessions.write(session)).execute();
      }),

    sessions: async (ids) =>
      ids.length === 0
        ? []
        : db.selectFrom('sessions').selectAll().where('id', 'in', ids).execute(),

    async renewSession(id, idleEndsAt) {
      const change = { idleEndsAt };
      await db.updateTable('sessions').set(change).where('id', '=', id).execute();
    },

    async confirmSession({ confirmedUntil, id, proof, roles }) {
      await db
        .updateTable('sessions')
        .set({ confirmedUntil, proof, roles: roles ?? null })
        .where('id', '=', id)
        .where('ended', 'is', null)
        .execute();
    },

    async endSessions(which, reason) {
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
