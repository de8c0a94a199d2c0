import type { CaseEventKind, TrailVerification } from '@financing-checkout/contract';
import { type CaseEvent, type CaseReader, type ChainHead, GENESIS } from '../facts/case-facts.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import { findAlteredCase, OPENED } from './replayed-case.ts';

/** An event to be added to the trail. */
export interface NewCaseEvent {
  caseId: string;
  kind: CaseEventKind;
  actor: string;
  /** Holds text, numbers and null: values that JSON writes exactly. */
  detail: Readonly<Record<string, string | number | null>>;
  /** Idempotency-Key of the request. */
  key?: string | undefined;
}

/** Puts events behind the head, each hashed with the one before it. */
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

/** Returns the SHA-256 over all of an event, its place in the trail, and the hash before it. */
export function eventHash(event: Omit<CaseEvent, 'hash'>): string {
  const { seq, caseId, at, kind, actor, detail, previous, key } = event;
  return sha256(canonicalJson({ seq, caseId, at, kind, actor, detail, previous, key }));
}

const PAGE_SIZE = 500;

/**
 * Reads the whole trail and computes each hash again: an event that was changed, removed, put in or
 * moved breaks the chain at that place. Each case must be there, and have the values of its events; only
 * the time since when it is wrong is in none of them. A person who can write the record store can also
 * write a new chain; so compare `head` with one that was kept in another place (`anchor`).
 */
export async function verifyTrail(
  store: CaseReader,
  anchor?: ChainHead,
): Promise<TrailVerification> {
  // Read first: events that are added from now on lie behind it.
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
        return broken(seq, 'does not follow the event before it', caseId);
      }
      if (event.hash !== eventHash(event)) {
        return broken(seq, 'is not as it was written', caseId);
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
    return broken(end.seq + 1, 'is missing: the anchor is later than the end');
  }
  const altered = await findAlteredCase(store, { end: head.seq, opened });
  if (altered !== undefined) return broken(altered.seq, altered.reason, altered.id);
  return { valid: true, events: head.seq, head };
}
