import { z } from 'zod';
import type { Database } from '../store/database.ts';
import { lenders, type Lender } from './lenders.ts';

/**
 * What can be changed of a lender: the name it goes by (a real one may take another), the merchant
 * discount rate in basis points, and the days from a transaction to its funding.
 */
export const termsSchema = z.strictObject({
  name: z.string().trim().min(1).max(100).optional(),
  discountBasisPoints: z.int().min(0).max(10_000).optional(),
  fundingLagDays: z.int().min(0).max(365).optional(),
});
export type Terms = z.output<typeof termsSchema>;

type ChangedTerms = Pick<Lender, 'name' | 'discountBasisPoints' | 'fundingLagDays'>;

/** The lenders as they stand now: the table, and what was changed by the control API. */
export class Lenders {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  list(): Lender[] {
    const changed = this.#changed();
    return lenders.map((lender) => ({ ...lender, ...changed[lender.id] }));
  }

  /** The lender of a stored id. */
  byId(id: string): Lender {
    const lender = this.list().find((candidate) => candidate.id === id);
    if (!lender) throw new Error(`No lender has the id ${id}.`);
    return lender;
  }

  /** Holds for what happens from now on; what is settled keeps its terms. */
  change(id: string, { name, discountBasisPoints, fundingLagDays }: Terms): Lender {
    const before = this.byId(id);
    const terms: ChangedTerms = {
      name: name ?? before.name,
      discountBasisPoints: discountBasisPoints ?? before.discountBasisPoints,
      fundingLagDays: fundingLagDays ?? before.fundingLagDays,
    };
    this.#database
      .prepare(`INSERT OR REPLACE INTO settings (name, value) VALUES ('lenders', ?)`)
      .run(JSON.stringify({ ...this.#changed(), [id]: terms }));
    return this.byId(id);
  }

  /** Back to the table. */
  reset(): void {
    this.#database.prepare(`DELETE FROM settings WHERE name = 'lenders'`).run();
  }

  #changed(): Record<string, ChangedTerms> {
    const row = this.#database.prepare(`SELECT value FROM settings WHERE name = 'lenders'`).get();
    if (typeof row?.value !== 'string') return {};
    return JSON.parse(row.value) as Record<string, ChangedTerms>;
  }
}
