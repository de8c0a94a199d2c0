import type { Kysely } from 'kysely';
import { sha256 } from '../platform/digest.ts';
import { damagedContent } from './content.ts';
import { advance } from './head.ts';
import type { FactTables, JournalFact } from './schema.ts';
import type { Fence } from './head.ts';

export type { JournalFact };

/** An export to write, with its ZIP file and its postings in Parquet. */
export interface NewJournal extends JournalFact {
  file: Uint8Array;
  postings: Uint8Array;
}

/** Journal exports. They have no fact number, because no data is derived from them. */
export function journalFacts(db: Kysely<FactTables>) {
  return {
    /** Returns all exports, newest first. */
    journals: (): Promise<JournalFact[]> =>
      db.selectFrom('journals').selectAll().orderBy('seq', 'desc').execute(),

    /**
     * Writes an export.
     * @returns false if another export took its position in the meantime
     * @throws {LeaseLostError}
     */
    writeJournal: (fence: Fence, { file, postings, ...journal }: NewJournal) =>
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

    /** @throws {ContentError} if the stored bytes were altered */
    async journalContent(seq: number, part: 'file' | 'postings') {
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
