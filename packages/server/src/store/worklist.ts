import type { Environment } from '@financing-checkout/contract/storefront';
import { type Expression, type Kysely, type Selectable, sql, type SqlBool } from 'kysely';
import type { Schema } from './schema.ts';

/** For each table of work: the key of a row, when it is due, and how often it was claimed. */
const columns = {
  checkouts: ['id', 'attentionAt', 'attentionTries'],
  chargeOperations: ['id', 'attentionAt', 'attentionTries'],
  links: ['checkoutId', 'attentionAt', 'attentionTries'],
  notifications: ['id', 'attentionAt', 'tries'],
  outbox: ['id', 'nextAttemptAt', 'tries'],
} as const;

type Condition = Expression<SqlBool>;

export const isIn = (environment: Environment): Condition => sql`environment = ${environment}`;

/**
 * Returns the statements for rows that are due at a time. A companion claims a row by moving that
 * time, so only one of several companions gets the row.
 */
export function worklist<Table extends keyof typeof columns>(db: Kysely<Schema>, table: Table) {
  type Row = Selectable<Schema[Table]>;
  const [rows, key, dueAt, tries] = [table, ...columns[table]].map((name) => sql.ref(name));
  const isDue = (now: number) => sql`${dueAt} <= ${now}`;
  const move = (id: string, until: number | undefined, isAnswered: boolean) => sql`
    update ${rows}
    set ${dueAt} = ${until ?? null}, ${tries} = ${isAnswered ? 0 : sql`${tries} + 1`}
    where ${key} = ${id}`;

  /** Returns the keys of rows that are due, in the order in which they became due. */
  async function due(now: number, limit: number, ...where: Condition[]): Promise<string[]> {
    const found = await sql<{ id: string }>`
      select ${key} as id from ${rows}
      where ${sql.join([isDue(now), ...where], sql` and `)}
      order by ${dueAt} limit ${limit}`.execute(db);
    return found.rows.map(({ id }) => id);
  }

  /**
   * Moves the time of a row from `seen` to `until`, if given, and increments its count;
   * `isAnswered` resets the count. Returns false when another companion was first.
   */
  async function claim(
    id: string,
    seen: number,
    until: number | undefined,
    isAnswered = false,
  ): Promise<boolean> {
    const moved = sql`${move(id, until, isAnswered)} and ${dueAt} = ${seen}`;
    return (await moved.execute(db)).numAffectedRows === 1n;
  }

  /** Claims rows that are due. No other companion gets them before `until`. */
  async function claimDue<Column extends keyof Row & string>(
    returned: readonly Column[],
    [now, until, limit]: readonly [now: number, until: number, limit: number],
    where: Condition,
  ): Promise<Pick<Row, Column>[]> {
    const selection = sql.join(returned.map((column) => sql.ref(column)));
    const claimed: Pick<Row, Column>[] = [];
    for (const id of await due(now, limit, where)) {
      const moved = sql<Pick<Row, Column>>`
        ${move(id, until, false)} and ${isDue(now)} returning ${selection}`;
      claimed.push(...(await moved.execute(db)).rows);
    }
    return claimed;
  }

  return { claim, claimDue, due };
}
