import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import type { FactTables } from './schema.ts';

/** A person at an OpenID provider. The subject is stable and never given to another person. */
export interface PersonKey {
  issuer: string;
  subject: string;
}

export interface NamedPerson extends PersonKey {
  name: string;
}

/** Whether two keys name one person. */
export function isSamePerson(one: PersonKey | undefined, other: PersonKey | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.subject === other.subject && isSameIssuer(one.issuer, other.issuer);
}

/** Whether two texts name one issuer: some providers state theirs with a final slash, or without. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

/** A console session of a person. Times are milliseconds since 1970. */
export interface PersonSession extends PersonKey {
  /** Digest of the cookie's secret, so that a copy of the store signs no one in. */
  id: string;
  /** Name of the person in the trail. */
  name: string;
  /** The provider's id of its session (`sid`). */
  providerSession: string | undefined;
  /** Values of the provider's claim that were mapped to scopes. */
  roles: readonly string[];
  /** The provider's tokens, sealed with the cookie's secret. */
  tokens: string;
  startedAt: number;
  idleEndsAt: number;
  endsAt: number;
  /** Time at which the provider last confirmed the session. */
  checkedAt: number;
}

/**
 * People who sign in through an OpenID provider, and their sessions. Any process may write them, so
 * that a session works at each of several processes.
 */
export interface PeopleFacts {
  /**
   * Returns the name of a person in the trail. The first call assigns it, and it never changes:
   * separation of duties compares names, so a person must not become two by changing a name.
   * @param wanted a later person of the same name, in any letter case, gets "wanted (2)"
   */
  nameOfPerson(person: PersonKey, wanted: string): Promise<string>;
  /** All people who have signed in, by name. */
  people(): Promise<NamedPerson[]>;

  /** Begins a session, and forgets expired ones. */
  beginPersonSession(session: Omit<PersonSession, 'name'>): Promise<void>;
  personSession(id: string): Promise<PersonSession | undefined>;
  /** Extends the idle timeout. */
  renewPersonSession(id: string, idleEndsAt: number): Promise<void>;
  /**
   * Claims the next check of a session at the provider, whose refresh tokens may be used only once.
   * @returns false if another process has claimed or completed the check
   */
  claimSessionCheck(
    session: Pick<PersonSession, 'id' | 'checkedAt'>,
    now: number,
    until: number,
  ): Promise<boolean>;
  /** Records a successful check, and releases the claim. */
  finishSessionCheck(
    session: Pick<PersonSession, 'id' | 'roles' | 'tokens' | 'checkedAt'>,
  ): Promise<void>;
  endPersonSession(id: string): Promise<void>;
  /**
   * Ends sessions that began before a time: those of one session at the provider, of one person, or
   * both.
   * @returns the name of each person, once
   */
  endPersonSessions(
    which: { issuer: string; subject?: string | undefined; providerSession?: string | undefined },
    startedBefore: number,
  ): Promise<string[]>;
}

export function peopleFacts(db: Kysely<FactTables>): PeopleFacts {
  const nameOf = async ({ issuer, subject }: PersonKey) =>
    db
      .selectFrom('people')
      .select('name')
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst();
  const sessions = () =>
    db
      .selectFrom('person_sessions as s')
      .innerJoin('people as p', (join) =>
        join.onRef('p.issuer', '=', 's.issuer').onRef('p.subject', '=', 's.subject'),
      )
      .selectAll('s')
      .select('p.name');

  return {
    async nameOfPerson(person, wanted) {
      for (let count = 1; ; count++) {
        const known = await nameOf(person);
        if (known !== undefined) return known.name;
        const name = count === 1 ? wanted : `${wanted} (${count})`;
        // Another process may insert the person, or the name, at the same time.
        await db
          .insertInto('people')
          .values({ ...keyOf(person), name, folded: foldedName(name) })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    },

    async people() {
      const columns = ['issuer', 'subject', 'name'] as const;
      return db.selectFrom('people').select(columns).orderBy('name').execute();
    },

    beginPersonSession: (session) =>
      db.transaction().execute(async (tx) => {
        const { id, checkedAt, endsAt, idleEndsAt, providerSession, roles, startedAt, tokens } =
          session;
        await tx.deleteFrom('person_sessions').where('ends_at', '<', startedAt).execute();
        await tx
          .insertInto('person_sessions')
          .values({
            ...keyOf(session),
            id,
            provider_session: providerSession ?? null,
            roles: JSON.stringify(roles),
            tokens,
            started_at: startedAt,
            idle_ends_at: idleEndsAt,
            ends_at: endsAt,
            checked_at: checkedAt,
            claimed_until: 0,
          })
          .execute();
      }),

    async personSession(id) {
      const row = await sessions().where('s.id', '=', id).executeTakeFirst();
      return row && toSession(row);
    },

    async renewPersonSession(id, idleEndsAt) {
      await db
        .updateTable('person_sessions')
        .set({ idle_ends_at: idleEndsAt })
        .where('id', '=', id)
        .execute();
    },

    async claimSessionCheck({ id, checkedAt }, now, until) {
      const { numUpdatedRows } = await db
        .updateTable('person_sessions')
        .set({ claimed_until: until })
        .where('id', '=', id)
        .where('checked_at', '=', checkedAt)
        .where('claimed_until', '<=', now)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async finishSessionCheck({ id, checkedAt, roles, tokens }) {
      await db
        .updateTable('person_sessions')
        .set({ roles: JSON.stringify(roles), tokens, checked_at: checkedAt, claimed_until: 0 })
        .where('id', '=', id)
        .execute();
    },

    async endPersonSession(id) {
      await db.deleteFrom('person_sessions').where('id', '=', id).execute();
    },

    async endPersonSessions({ issuer, providerSession, subject }, startedBefore) {
      if (subject === undefined && providerSession === undefined) return [];
      let query = sessions()
        .where('s.issuer', '=', issuer)
        .where('s.started_at', '<', startedBefore);
      if (subject !== undefined) query = query.where('s.subject', '=', subject);
      if (providerSession !== undefined) {
        query = query.where('s.provider_session', '=', providerSession);
      }
      const found = await query.execute();
      const ids = found.map(({ id }) => id);
      if (ids.length > 0) {
        await db.deleteFrom('person_sessions').where('id', 'in', ids).execute();
      }
      return [...new Set(found.map(({ name }) => name))];
    },
  };
}

const keyOf = ({ issuer, subject }: PersonKey) => ({ issuer, subject });

/** Names that look the same are the same: compatibility forms, letter case. */
export const foldedName = (name: string) => name.normalize('NFKC').toLowerCase();

const texts = z.array(z.string());
type Row = Selectable<FactTables['person_sessions']> & { name: string };

function toSession(row: Row): PersonSession {
  return {
    ...keyOf(row),
    id: row.id,
    name: row.name,
    providerSession: row.provider_session ?? undefined,
    roles: texts.parse(JSON.parse(row.roles)),
    tokens: row.tokens,
    startedAt: row.started_at,
    idleEndsAt: row.idle_ends_at,
    endsAt: row.ends_at,
    checkedAt: row.checked_at,
  };
}
