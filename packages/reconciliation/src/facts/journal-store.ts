import type { Kysely } from 'kysely';
import { sha256 } from '../platform/digest.ts';
import { damagedContent } from './content.ts';
import { advance } from './head.ts';
import type { JournalFacts } from './journal-facts.ts';
import type { FactTables } from './schema.ts';

export function journalFacts(db: Kysely<FactTables>): JournalFacts {
  return {
    journals: () => db.selectFrom('journals').selectAll().orderBy('seq', 'desc').execute(),

    writeJournal: (fence, { file, postings, ...journal }) =>
      db.transaction().execute(async (tx) => {
        await advance(tx, fence, 0);
        const last = await tx
          .selectFrom('journals')
          .select('seq')
          .orderBy('seq', 'desc')
          .limit(1)
          .executeTakeFirst();
        if ((last?.seq ?? 0) + 1 !== journal.seq) return false;
        await tx.insertInto('journals').values(journal).execute();
        for (const [part, content] of [
          ['file', file],
          ['postings', postings],
        ] as const) {
          const row = { seq: journal.seq, part, content, checksum: sha256(content) };
          await tx.insertInto('journalContents').values(row).execute();
        }
        return true;
      }),

    async journalContent(seq, part) {
      const row = await db
        .selectFrom('journalContents')
        .select(['content', 'checksum'])
        .where('seq', '=', seq)
        .where('part', '=', part)
        .executeTakeFirst();
      if (row === undefined || sha256(row.content) !== row.checksum) throw damagedContent();
      return row.content;
    },
  };
}
