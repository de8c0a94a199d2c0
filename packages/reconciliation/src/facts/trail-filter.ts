import { type RawBuilder, sql, type SqlBool } from 'kysely';

/** Selects trail entries. */
export interface TrailFilter {
  /** Part of the name of the actor, in any letter case. */
  actor?: string | undefined;
  /** Excludes the entries of this actor. */
  except?: string | undefined;
  kinds?: readonly string[] | undefined;
  /** Milliseconds since 1970; `to` is exclusive. */
  from?: number | undefined;
  to?: number | undefined;
}

/** Returns the SQL condition for a filter, on the columns `actor`, `kind` and `at`. */
export function ofTrail({ actor, except, kinds, from, to }: TrailFilter): RawBuilder<SqlBool> {
  const pattern = `%${(actor ?? '').toLowerCase().replaceAll(/[!%_]/g, '!$&')}%`;
  const conditions = [
    sql`1 = 1`,
    ...(actor === undefined ? [] : [sql`lower(actor) like ${pattern} escape '!'`]),
    ...(except === undefined ? [] : [sql`actor <> ${except}`]),
    ...(kinds === undefined ? [] : [sql`kind in (${sql.join(kinds)})`]),
    ...(from === undefined ? [] : [sql`at >= ${from}`]),
    ...(to === undefined ? [] : [sql`at < ${to}`]),
  ];
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}
