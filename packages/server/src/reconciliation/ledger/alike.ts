import { sql, type Transaction } from 'kysely';
import type { Schema } from '../../store/schema.ts';

/**
 * Sets staged lines apart that nothing names and that say the same, such as two refunds of one amount
 * and day: the first keeps its id, the n-th gets `c<n>:` before it. So two are two, as they are in the
 * service's report, and a file that is imported again has the same ids again.
 * @param page ids after one and up to another; without the latter, all of them
 * @returns how many were set apart
 */
export async function setApart(
  tx: Transaction<Schema>,
  importId: string,
  page: { after: string; last: string | undefined },
): Promise<number> {
  const upTo = page.last === undefined ? sql`` : sql`and id <= ${page.last}`;
  const done = await sql`
    update ledger_import_lines as s
    set id = 'c' || n.ordinal || substr(s.id, 2)
    from (
      select id, line, row_number() over (partition by id order by line) as ordinal
      from ledger_import_lines
      where import_id = ${importId} and id > ${page.after} and id like 'c:%' ${upTo}
    ) n
    where s.import_id = ${importId} and s.id = n.id and s.line = n.line and n.ordinal > 1
  `.execute(tx);
  return Number(done.numAffectedRows ?? 0n);
}
