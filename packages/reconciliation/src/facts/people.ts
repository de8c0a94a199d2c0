import type { Kysely } from 'kysely';
import type { FactTables, PersonKey } from './schema.ts';

export type { PersonKey };

export interface NamedPerson extends PersonKey {
  name: string;
}

/** Returns whether two keys identify the same person. */
export function isSamePerson(one: PersonKey | undefined, other: PersonKey | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.subject === other.subject && isSameIssuer(one.issuer, other.issuer);
}

/**
 * Returns whether two texts identify the same issuer. Some providers are inconsistent about the trailing
 * slash.
 */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

export type PeopleFacts = ReturnType<typeof peopleFacts>;

/** People who sign in through an OpenID provider. Any process may write them. */
export function peopleFacts(db: Kysely<FactTables>) {
  const nameOf = async ({ issuer, subject }: PersonKey) =>
    db
      .selectFrom('people')
      .select('name')
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst();

  return {
    /**
     * Returns a person's name in the trail. The first call assigns it permanently: separation of
     * duties compares names, so changing a name must not turn one person into two.
     * @param wanted if another person already has the name, in any letter case, the result is
     * "wanted (2)"
     */
    async nameOfPerson({ issuer, subject }: PersonKey, wanted: string) {
      for (let count = 1; ; count++) {
        const known = await nameOf({ issuer, subject });
        if (known !== undefined) return known.name;
        const name = count === 1 ? wanted : `${wanted} (${count})`;
        // Another process may insert the person or the name at the same time.
        await db
          .insertInto('people')
          .values({ issuer, subject, name, folded: foldedName(name) })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    },

    /** Returns all people who have signed in, sorted by name. */
    async people(): Promise<NamedPerson[]> {
      const columns = ['issuer', 'subject', 'name'] as const;
      return db.selectFrom('people').select(columns).orderBy('name').execute();
    },
  };
}

/** Normalizes names that look the same, such as compatibility forms and letter case. */
export const foldedName = (name: string) => name.normalize('NFKC').toLowerCase();
