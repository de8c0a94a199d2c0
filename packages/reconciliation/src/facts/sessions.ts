import type { Kysely, Selectable } from 'kysely';
import type { FactTables } from './schema.ts';

/** A console session in the record store. Times are milliseconds since 1970. */
export type SessionRow = Selectable<FactTables['sessions']>;

/** The sessions to end: one session, or all of a person, of a provider session, or of both. */
export type SessionsToEnd =
  | { id: string }
  | {
      issuer: string;
      subject: string | undefined;
      providerSession: string | undefined;
      startedBefore: number;
    };

/** Console sessions. Any process may write them, so that a session works at each process. */
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

/** Kept longer, because clocks of other processes may be behind. */
const KEPT_MS = 86_400_000;

export function sessionFacts(db: Kysely<FactTables>): SessionFacts {
  return {
    beginSession: (session) =>
      db.transaction().execute(async (tx) => {
        const before = session.started_at - KEPT_MS;
        await tx.deleteFrom('sessions').where('ends_at', '<', before).execute();
        await tx.insertInto('sessions').values(session).execute();
      }),

    sessions: async (ids) =>
      ids.length === 0
        ? []
        : db.selectFrom('sessions').selectAll().where('id', 'in', ids).execute(),

    async renewSession(id, idleEndsAt) {
      const change = { idle_ends_at: idleEndsAt };
      await db.updateTable('sessions').set(change).where('id', '=', id).execute();
    },

    async confirmSession({ confirmed_until, id, proof, roles }) {
      await db
        .updateTable('sessions')
        .set({ confirmed_until, proof, roles })
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
        query = query.where('issuer', '=', issuer).where('started_at', '<', startedBefore);
        if (subject !== undefined) query = query.where('subject', '=', subject);
        if (providerSession !== undefined) {
          query = query.where('provider_session', '=', providerSession);
        }
      }
      const ended = await query.returning('name').execute();
      return [...new Set(ended.map(({ name }) => name))];
    },
  };
}
