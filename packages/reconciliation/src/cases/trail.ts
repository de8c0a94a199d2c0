import type { TrailVerification } from '@financing-checkout/contract';
import type { CaseEvent, CaseReader } from '../facts/case-facts.ts';
import { eventHash } from '../facts/case-store.ts';
import type { Chain } from '../facts/chain.ts';
import { type ActionEvent, type ActionFacts, actionHash } from '../facts/actions.ts';
import { verifyChain } from '../facts/chain.ts';
import { findAlteredCase, OPENED } from './replayed-case.ts';

const PAGE_SIZE = 500;

/** Hash of the event whose number the caller passed as `mark`. */
interface Marked {
  marked?: string;
}

/** The verification of the trail of cases. */
export type CaseTrail = Omit<TrailVerification, 'actions' | 'trail'> & Marked;

/**
 * Verifies the whole trail by recomputing each hash: an event that was changed, removed, inserted
 * or moved breaks the chain at that position. Every case must exist with the values of its events;
 * only the date of its exception is in no event. A person with write access to the record store can
 * forge a new chain, so the caller compares the hash of `mark` with a copy that is stored elsewhere.
 * @param mark number of an event whose hash to return; the trail is broken without this event
 */
export async function verifyTrail(store: CaseReader, mark?: number): Promise<CaseTrail> {
  // Read the end of the chain first: events recorded later come after it.
  const end = await store.caseChain();
  let opened = 0;
  const {
    head,
    broken: link,
    marked,
  } = await verifyChain<CaseEvent>({
    end,
    mark,
    hashOf: eventHash,
    after: (seq) => store.caseEvents({ after: seq, limit: PAGE_SIZE }),
    onEvent: ({ kind }) => {
      if (kind === OPENED) opened += 1;
    },
  });
  const broken = (seq: number, reason: string, caseId?: string): CaseTrail => ({
    valid: false,
    events: head.seq,
    head,
    broken: { seq, reason, caseId },
  });
  if (link !== undefined) return broken(link.seq, link.reason, link.event?.caseId);
  const altered = await findAlteredCase(store, { end: head.seq, opened });
  if (altered !== undefined) return broken(altered.seq, altered.reason, altered.id);
  const valid: CaseTrail = { valid: true, events: head.seq, head };
  return marked === undefined ? valid : { ...valid, marked };
}

/** Verifies the trail of actions like {@link verifyTrail}. */
export async function verifyActions(
  store: Pick<ActionFacts, 'actionChain' | 'actionEvents'>,
  { mark, onEvent }: Pick<Chain<ActionEvent>, 'mark' | 'onEvent'> = {},
): Promise<TrailVerification['actions'] & Marked> {
  const { head, broken, marked } = await verifyChain<ActionEvent>({
    end: await store.actionChain(),
    after: (seq) => store.actionEvents(seq, PAGE_SIZE),
    hashOf: actionHash,
    mark,
    ...(onEvent && { onEvent }),
  });
  if (broken === undefined) {
    const valid = { valid: true, events: head.seq, head };
    return marked === undefined ? valid : { ...valid, marked };
  }
  const { seq, reason } = broken;
  return { valid: false, events: head.seq, head, broken: { seq, reason } };
}
