import { type Expression, type Kysely, sql, type SqlBool } from 'kysely';
import type { Columns, SelectedRow, Table } from './table.ts';

type Condition = Expression<SqlBool>;

/**
 * Returns functions that find and claim a table's due rows; its `work` names the columns. A program
 * claims a row by moving its due time, so only one of several programs gets the row.
 */
export function worklist<Tables, C extends Columns, G>(db: Kysely<Tables>, table: Table<C, G>) {
  type Row = SelectedRow<C>;
  const { name, columns, work } = table;
  const id = Object.keys(columns).find((column) => columns[column]?.terms.isKey);
  if (work === undefined || id === undefined) throw new Error(`${name} is no table of work.`);
  const [rows, key, dueAt, tries] = [name, id, work.dueAt, work.tries].map((of) => sql.ref(of));
  const isDue = (now: number) => sql`${dueAt} <= ${now}`;
  const move = (row: string, until: number | undefined, isAnswered: boolean) => sql`
    update ${rows}
    set ${dueAt} = ${until ?? null}, ${tries} = ${isAnswered ? 0 : sql`${tries} + 1`}
    where ${key} = ${row}`;

  /** Returns the keys of rows that are due, in the order in which they became due. */
  async function due(now: number, limit: number, ...where: Condition[]): Promise<string[]> {
    const found = await sql<{ id: string }>`
      select ${key} as id from ${rows}
      where ${sql.join([isDue(now), ...where], sql` and `)}
      order by ${dueAt} limit ${limit}`.execute(db);
    return found.rows.map((row) => row.id);
  }

  /**
   * Moves a row's due time from `seen` to `until`, or clears it, and increments its count;
   * `isAnswered` resets the count. Returns false when another program was first.
   */
  async function claim(
    row: string,
    seen: number,
    until: number | undefined,
    isAnswered = false,
  ): Promise<boolean> {
    const moved = sql`${move(row, until, isAnswered)} and ${dueAt} = ${seen}`;
    return (await moved.execute(db)).numAffectedRows === 1n;
  }

  /** Claims rows that are due. No other program gets them before `until`. */
  async function claimDue<Name extends keyof Row & string>(
    returned: readonly Name[],
    [now, until, limit]: readonly [now: number, until: number, limit: number],
    ...where: Condition[]
  ): Promise<Pick<Row, Name>[]> {
    const selection = sql.join(returned.map((column) => sql.ref(column)));
    const claimed: Pick<Row, Name>[] = [];
    for (const row of await due(now, limit, ...where)) {
      const moved = sql<Pick<Row, Name>>`
        ${move(row, until, false)} and ${isDue(now)} returning ${selection}`;
      claimed.push(...(await moved.execute(db)).rows);
    }
    return claimed;
  }

  return { claim, claimDue, due };
}
