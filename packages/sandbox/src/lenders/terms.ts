import { z } from 'zod';
import type { Database } from '../state/database.ts';
import { deleteSetting, readSetting, writeSetting } from '../state/rows.ts';
import { lenders, taxesLeftOut, type Lender } from './lenders.ts';
import { divideHalfUp } from '../platform/money.ts';

/**
 * The lender's terms that the control API can change: its name (a real lender may rename itself),
 * the merchant discount rate in basis points, the days from a transaction to its funding, and the
 * tax that it leaves out of the financed amount.
 */
export const termsSchema = z.strictObject({
  name: z.string().trim().min(1).max(100).optional(),
  discountBasisPoints: z.int().min(0).max(10_000).optional(),
  fundingLagDays: z.int().min(0).max(365).optional(),
  taxLeftOut: z.enum(taxesLeftOut).optional(),
});
type Terms = z.output<typeof termsSchema>;

type ChangedTerms = Pick<Lender, 'name' | 'discountBasisPoints' | 'fundingLagDays' | 'taxLeftOut'>;

/** The lenders with their current terms: the defaults plus changes made through the control API. */
export class Lenders {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  list(): Lender[] {
    const changed = this.#changed();
    return lenders.map((lender) => ({ ...lender, ...changed[lender.id] }));
  }

  byId(id: string): Lender {
    const lender = this.list().find((candidate) => candidate.id === id);
    if (!lender) throw new Error(`No lender has the id ${id}.`);
    return lender;
  }

  /** Changes the terms for later offers and transactions; earlier ones keep their terms. */
  change(id: string, terms: Terms): Lender {
    const before = this.byId(id);
    const changed: ChangedTerms = {
      name: terms.name ?? before.name,
      discountBasisPoints: terms.discountBasisPoints ?? before.discountBasisPoints,
      fundingLagDays: terms.fundingLagDays ?? before.fundingLagDays,
      taxLeftOut: terms.taxLeftOut ?? before.taxLeftOut,
    };
    writeSetting(this.#database, 'lenders', { ...this.#changed(), [id]: changed });
    return this.byId(id);
  }

  /** Restores the default terms. */
  reset(): void {
    deleteSetting(this.#database, 'lenders');
  }

  #changed(): Record<string, ChangedTerms> {
    return readSetting<Record<string, ChangedTerms>>(this.#database, 'lenders', {});
  }
}

/**
 * Returns the merchant discount for the part of a charge between two running totals, in minor
 * units. Because it is the difference of rounded totals, the parts of any split add up to the
 * discount of the whole.
 */
export function discountBetween(before: number, after: number, basisPoints: number): number {
  return discountOf(after, basisPoints) - discountOf(before, basisPoints);
}

/** Returns the merchant discount of a whole amount, in minor units, rounded half up. */
export function discountOf(amount: number, basisPoints: number): number {
  return Number(divideHalfUp(BigInt(amount) * BigInt(basisPoints), 10_000n));
}
