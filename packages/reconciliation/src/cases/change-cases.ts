import type { CaseReader, CaseRow, NewAlert } from '../facts/case-facts.ts';
import type { FactStore, Fence } from '../facts/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { chainEvents, type NewCaseEvent } from './trail.ts';

export interface CaseContext {
  facts: FactStore;
  /** The lease of this process. */
  fence: Fence;
  clock: Clock;
  logger: Logger;
  /** Ends a pass between two transactions; the next pass continues. */
  signal?: AbortSignal | undefined;
}

/** The new values of a case, and the event that records them. */
export interface CaseChange {
  row: CaseRow;
  event: NewCaseEvent;
  /** A message to finance about the case. */
  alert?: NewAlert;
}

/**
 * Writes changes of cases with their events, in one transaction that excludes other changes of
 * cases.
 * @param decide has to read cases from the given reader @throws {LeaseLostError}
 */
export function changeCases(
  { facts, fence, clock }: Pick<CaseContext, 'facts' | 'fence' | 'clock'>,
  decide: (cases: CaseReader) => Promise<CaseChange[]>,
): Promise<CaseChange[]> {
  return facts.changeCases(fence, async (cases) => {
    const changes = await decide(cases);
    if (changes.length === 0) return changes;
    const now = clock.now();
    const chained = chainEvents(
      await cases.caseChain(),
      changes.map(({ event }) => event),
      now,
    );
    await cases.writeCases({
      ...chained,
      cases: changes.map(({ row }) => row),
      alerts: changes.flatMap(({ alert }) => alert ?? []),
      now,
    });
    return changes;
  });
}
