import type { CaseEventKind, TrailVerification } from '@financing-checkout/contract';
import { type CaseEvent, type CaseReader, type ChainHead, GENESIS } from '../facts/case-facts.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import { findAlteredCase, OPENED } from './replayed-case.ts';

/** An event to add to the trail. */
export interface NewCaseEvent {
  caseId: string;
  kind: CaseEventKind;
  actor: string;
  /** Contains texts, numbers and null, which JSON represents exactly. */
  detail: Readonly<Record<string, string | number | null>>;
  /** Idempotency-Key of the request. */
  key?: string | undefined;
}

/** Appends events to the chain, each hashed with its predecessor. */
export function chainEvents(
  head: ChainHead,
  events: readonly NewCaseEvent[],
  now: number,
): { events: CaseEvent[]; head: ChainHead } {
  let { seq, hash } = head;
  const chained: CaseEvent[] = [];
  for (const event of events) {
    const { caseId, kind, actor, key } = event;
    const detail = JSON.stringify(event.detail);
    const next = { seq: seq + 1, caseId, at: now, kind, actor, detail, previous: hash, key };
    hash = eventHash(next);
    seq = next.seq;
    chained.push({ ...next, hash });
  }
  return { events: chained, head: { seq, hash } };
}

/** Returns the SHA-256 of an event, its position in the trail and the previous hash. */
export function eventHash(event: Omit<CaseEvent, 'hash'>): string {
  const { seq, caseId, at, kind, actor, detail, previous, key } = event;
  return sha256(canonicalJson({ seq, caseId, at, kind, actor, detail, previous, key }));
}

const PAGE_SIZE = 500;

/**
 * Verifies the whole trail by recomputing each hash: an event that was changed, removed, inserted
 * or moved breaks the chain at that position. Every case must exist with the values of its events;
 * only the date of its exception is in no event. A person with write access to the record store can
 * forge a new chain, so compare `head` with a copy that is stored elsewhere (`anchor`).
 */
export async function verifyTrail(
  store: CaseReader,
  anchor?: ChainHead,
): Promise<TrailVerification> {
  // Read first: later events come after it.
  const end = await store.caseChain();
  let head: ChainHead = { seq: 0, hash: GENESIS };
  let opened = 0;
  const broken = (seq: number, reason: string, caseId?: string): TrailVerification => ({
    valid: false,
    events: head.seq,
    head,
    broken: { seq, reason, ...(caseId === undefined ? {} : { caseId }) },
  });

  if (anchor?.seq === 0 && anchor.hash !== GENESIS) return broken(0, 'differs from the anchor');
  while (head.seq < end.seq) {
    const page = await store.caseEvents({ after: head.seq, limit: PAGE_SIZE });
    for (const event of page) {
      if (head.seq === end.seq) break;
      const { seq, caseId } = event;
      if (seq !== head.seq + 1) return broken(head.seq + 1, 'is missing');
      if (event.previous !== head.hash) {
        return broken(seq, 'does not follow the previous event', caseId);
      }
      if (event.hash !== eventHash(event)) {
        return broken(seq, 'was changed', caseId);
      }
      if (anchor?.seq === seq && anchor.hash !== event.hash) {
        return broken(seq, 'differs from the anchor', caseId);
      }
      if (event.kind === OPENED) opened += 1;
      head = { seq, hash: event.hash };
    }
    if (page.length === 0) return broken(head.seq + 1, 'is missing');
  }
  if (head.hash !== end.hash) return broken(end.seq, 'is not where the chain ended');
  if (anchor !== undefined && anchor.seq > end.seq) {
    return broken(end.seq + 1, 'is missing: the anchor is after the end');
  }
  const altered = await findAlteredCase(store, { end: head.seq, opened });
  if (altered !== undefined) return broken(altered.seq, altered.reason, altered.id);
  return { valid: true, events: head.seq, head };
}
