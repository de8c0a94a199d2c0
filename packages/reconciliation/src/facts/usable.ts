import type { FactNumber, FactStore } from './store.ts';

/** Which facts an analytics file was made from: its table meta. */
export interface AppliedFacts {
  /** Id of the record store. */
  store: string;
  /** Number of the last fact applied. */
  applied: FactNumber;
}

/**
 * Returns whether an analytics file can go on from the facts it has. One of another store, or of a later
 * state than a store that was put back from a backup, cannot: it is made anew.
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
