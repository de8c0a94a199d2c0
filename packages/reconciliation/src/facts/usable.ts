import type { FactNumber, FactStore } from './store.ts';

/** The facts that an analytics file contains, from its meta table. */
export interface AppliedFacts {
  /** Id of the record store. */
  store: string;
  /** Number of the last applied fact. */
  applied: FactNumber;
}

/**
 * Returns whether an analytics file is still usable. A file for another store, or one that is ahead
 * of a restored store, must be rebuilt.
 */
export async function isUsable(
  meta: AppliedFacts | undefined,
  facts: Pick<FactStore, 'id' | 'head'>,
): Promise<boolean> {
  if (meta === undefined || meta.store !== facts.id) return false;
  return (
    Number.isSafeInteger(meta.applied) && meta.applied >= 0 && meta.applied <= (await facts.head())
  );
}
