import type { CaseEventKind, TrailVerification } from '@financing-checkout/contract';
import { sha256 } from '../../checkout/id.ts';
import { canonicalJson } from '../policy.ts';
import { alteredCase, OPENED } from './standing.ts';
import type { CaseEvent } from './rows.ts';
import type { CaseStore } from './store.ts';

/** Where a chain of events ends. */
export interface ChainHead {
  /** 0: there is no event yet. */
  seq: number;
  hash: string;
}

/** What is to be added to the trail. */
export interface NewCaseEvent {
  caseId: string;
  kind: CaseEventKind;
  actor: string;
  /** Holds text, numbers and null: what JSON says exactly. */
  detail: Readonly<Record<string, string | number | null>>;
  /** Idempotency-Key of the request it comes from. */
  key?: string | undefined;
}

/** What the first event is hashed with. */
export const GENESIS = '0'.repeat(64);

/** Puts events behind the head, each hashed with the one before it. */
export async function chainEvents(
  environment: string,
  head: ChainHead,
  events: readonly NewCaseEvent[],
  now: number,
): Promise<{ events: CaseEvent[]; head: ChainHead }> {
  let { seq, hash } = head;
  const chained: CaseEvent[] = [];
  for (const event of events) {
    const { caseId, kind, actor, key } = event;
    const detail = JSON.stringify(event.detail);
    const next = { seq: seq + 1, caseId, at: now, kind, actor, detail, previous: hash, key };
    hash = await eventHash(environment, next);
    seq = next.seq;
    chained.push({ ...next, hash });
  }
  return { events: chained, head: { seq, hash } };
}

/** SHA-256 over everything an event says, its place in the trail, and the hash before it. */
export function eventHash(environment: string, event: Omit<CaseEvent, 'hash'>): Promise<string> {
  const { seq, caseId, at, kind, actor, detail, previous, key } = event;
  return sha256(
    canonicalJson({ environment, seq, caseId, at, kind, actor, detail, previous, key }),
  );
}

const PAGE_SIZE = 500;

/**
 * Reads the whole trail and computes each hash again: an event that was changed, removed, put in or
 * moved breaks the chain at that place. Each case must be there, and stand as its events say; only
 * since when it is wrong is in none of them. Who can write the store can also write a new chain; so
 * compare `head` with one that was kept elsewhere (`anchor`).
 */
export async function verifyTrail(
  store: Pick<CaseStore, 'caseEvents' | 'caseChain' | 'findCase' | 'findCases'>,
  environment: string,
  anchor?: ChainHead,
): Promise<TrailVerification> {
  // Read first: what is added meanwhile lies behind it.
  const end = await store.caseChain(environment);
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
    const page = await store.caseEvents({ environment, after: head.seq, limit: PAGE_SIZE });
    for (const event of page) {
      if (head.seq === end.seq) break;
      const { seq, caseId } = event;
      if (seq !== head.seq + 1) return broken(head.seq + 1, 'is missing');
      if (event.previous !== head.hash) {
        return broken(seq, 'does not follow the event before it', caseId);
      }
      if (event.hash !== (await eventHash(environment, event))) {
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
  const altered = await alteredCase(store, environment, { end: head.seq, opened });
  if (altered !== undefined) return broken(altered.seq, altered.reason, altered.id);
  return { valid: true, events: head.seq, head };
}
