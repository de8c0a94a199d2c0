import type { CaseReader, CaseWriter } from '../facts/case-facts.ts';
import type { FactStore, Fence } from '../facts/store.ts';
import type { Clock } from '@financing-checkout/kit';
import type { Logger } from '../platform/log.ts';
import type { CaseChange } from './case-change.ts';
import { changesOfMerged } from './merge.ts';
import { chainEvents } from './trail.ts';

export interface CaseContext {
  facts: FactStore;
  fence: Fence;
  clock: Clock;
  logger: Logger;
  /** Ends a pass between two transactions; the next pass continues. */
  signal?: AbortSignal | undefined;
}

/**
 * Writes changes of cases with their events, in one transaction that excludes other changes of
 * cases.
 * @param decide returns the changes in the order of their events; reads cases from the given reader
 * @throws {LeaseLostError}
 */
export function changeCases(
  { facts, fence, clock }: Pick<CaseContext, 'facts' | 'fence' | 'clock'>,
  decide: (cases: CaseReader) => Promise<CaseChange[]>,
): Promise<CaseChange[]> {
  return facts.changeCases(fence, async (cases) => {
    const changes = await decide(cases);
    await writeChanges(cases, changes, clock.now());
    return changes;
  });
}

/**
 * Writes changes of cases with their events, and the resulting changes of merged cases, in the
 * writer's transaction.
 */
export async function writeChanges(
  cases: CaseWriter,
  changes: readonly CaseChange[],
  now: number,
): Promise<void> {
  const followed = await changesOfMerged(cases, changes, now);
  for (const part of withoutRepeats([...changes, ...followed])) {
    const chained = chainEvents(
      await cases.caseChain(),
      part.map(({ event }) => event),
      now,
    );
    await cases.writeCases({
      ...chained,
      cases: part.map(({ row }) => row),
      alerts: part.flatMap(({ alert }) => alert ?? []),
      now,
    });
  }
}

/** Splits changes so that each case appears once per batch: a statement writes a row once. */
function withoutRepeats(changes: readonly CaseChange[]): CaseChange[][] {
  const parts: CaseChange[][] = [];
  let ids = new Set<string>();
  for (const change of changes) {
    const part = parts.at(-1);
    if (part === undefined || ids.has(change.row.id)) {
      parts.push([change]);
      ids = new Set();
    } else part.push(change);
    ids.add(change.row.id);
  }
  return parts;
}
