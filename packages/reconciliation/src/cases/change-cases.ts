import { type Clock } from '@financing-checkout/kit';
import { type Case } from '@financing-checkout/reconciliation-rules';
import type { CaseFact, CaseReader } from '../facts/case-facts.ts';
import type { FactStore, Fence } from '../facts/store.ts';
import type { Logger } from '../platform/log.ts';

export interface CaseContext {
  facts: FactStore;
  fence: Fence;
  clock: Clock;
  logger: Logger;
  /** Ends a pass between two transactions; the next pass continues. */
  signal?: AbortSignal | undefined;
}

/** Returns the cases, their main cases and the cases merged into them, by id. */
export async function withRelated(
  cases: CaseReader,
  some: readonly CaseFact[],
): Promise<Map<string, Case>> {
  const merged = await cases.casesMergedInto(some.map(({ id }) => id));
  const known = new Map([...some, ...merged].map((one) => [one.id, one]));
  const mains = new Set([...known.values()].flatMap(({ mergedInto }) => mergedInto ?? []));
  const ids = [...mains].filter((id) => !known.has(id));
  if (ids.length === 0) return known;
  for (const one of await cases.findCases({ ids, limit: ids.length })) known.set(one.id, one);
  return known;
}

/**
 * Returns a random id that begins with a timestamp, so that ids sort by creation time, to the
 * millisecond. 80 random bits follow the timestamp.
 */
export function timedId(prefix: 'case' | 'msg', now: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${prefix}_${now.toString(36).padStart(9, '0')}${random}`;
}
