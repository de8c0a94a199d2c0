import type { Fence } from './fact-number.ts';
import type { JournalFact } from './schema.ts';

export type { JournalFact };

/** An export to write, with its ZIP file and its postings in Parquet. */
export interface NewJournal extends JournalFact {
  file: Uint8Array;
  postings: Uint8Array;
}

/**
 * Journal exports in the record store. They have no fact number, because no data is derived from
 * them.
 */
export interface JournalFacts {
  /** Returns all exports, newest first. */
  journals(): Promise<JournalFact[]>;
  /**
   * Writes an export.
   * @returns false if another export took its position in the meantime
   * @throws {LeaseLostError}
   */
  writeJournal(fence: Fence, journal: NewJournal): Promise<boolean>;
  /** @throws {ContentError} if the stored bytes were altered */
  journalContent(seq: number, part: 'file' | 'postings'): Promise<Uint8Array>;
}
