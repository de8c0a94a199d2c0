import type { TrailVerification } from '@financing-checkout/contract/reconciliation';
import type { Environment } from '@financing-checkout/contract/storefront';
import { fold } from '@financing-checkout/reconciliation-rules';
import { type CaseFact, type CaseReader, fromCase, toCaseEvent } from '../facts/case-facts.ts';
import type { PeopleFacts, PersonKey } from '../facts/people.ts';
import {
  type BrokenLink,
  ownerOf,
  type TrailEvent,
  type TrailFacts,
  type TrailHead,
  verifyChain,
} from '../facts/trail.ts';
import { GENESIS, type StoredCase } from '../facts/schema.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';

/** An anchor as {@link anchorOf} returns it. */
export const anchorPattern = /^\d{1,15}:[0-9a-f]{64}$/;

/**
 * Returns the head of the trail as text: the number of events, and a SHA-256 of their hash and the
 * environment. It proves every earlier event, so a copy kept outside the record store is an anchor.
 * The store's ID is not included, because a restored backup has a different ID and the same
 * history.
 */
function anchorOf(environment: Environment, { hash, seq }: TrailHead): string {
  return `${seq}:${sha256(canonicalJson({ environment, hash, seq }))}`;
}

/** Returns the current head of the trail, without verifying it. */
export async function readAnchor(
  facts: Pick<TrailFacts, 'trailHead'>,
  environment: Environment,
): Promise<string> {
  return anchorOf(environment, await facts.trailHead());
}

/** The result of verifying the trail by itself, without the companion. */
export type VerifiedTrail = Omit<TrailVerification, 'companion' | 'notCompared'>;

export interface TrailVerificationOptions {
  facts: Pick<CaseReader, 'storedCases'> &
    Pick<TrailFacts, 'trailEvents' | 'trailHead'> &
    Pick<PeopleFacts, 'people'>;
  environment: Environment;
  /** An earlier head that was kept outside the record store. See {@link anchorPattern}. */
  anchor?: string | undefined;
}

const CASES = 500;

/**
 * Reads the trail once, recomputes each hash, and rebuilds the cases from their events to compare
 * them with the stored ones. A person with write access to the record store can replace the trail
 * with another valid one: only a head kept elsewhere reveals that.
 */
export async function verifyTrail({
  anchor,
  environment,
  facts,
}: TrailVerificationOptions): Promise<VerifiedTrail> {
  const anchored = anchor === undefined ? undefined : Number(anchor.split(':', 1)[0]);
  let hashThen = GENESIS;
  const names = namesInTrail();
  const replay = replayedCases();
  const { broken, head } = await verifyChain(facts, (event) => {
    if (event.seq === anchored) hashThen = event.hash;
    names.read(event);
    return replay.read(event);
  });
  const wrong =
    broken ?? beforeAnchor() ?? (await names.firstWrong(facts)) ?? (await contradiction());
  const found = { events: head.seq, head };
  if (wrong !== undefined) return { valid: false, ...found, broken: wrong };
  return { valid: true, ...found, anchor: anchorOf(environment, head) };

  function beforeAnchor(): BrokenLink | undefined {
    if (anchored === undefined) return undefined;
    if (anchored > head.seq) {
      return { seq: head.seq + 1, reason: 'is missing: the anchor is after the end' };
    }
    const then = { seq: anchored, hash: hashThen };
    if (anchorOf(environment, then) === anchor) return undefined;
    return { seq: anchored, reason: 'differs from the anchor' };
  }

  /** Finds the first case whose stored copy differs from the one rebuilt from its events. */
  async function contradiction(): Promise<BrokenLink | undefined> {
    const left = new Set(replay.cases.keys());
    /** Cases that changed after the end of the trail was read. */
    const later = new Map<string, StoredCase>();
    const contradicted = (id: string, reason = 'contradicts the stored case') => ({
      seq: replay.seqs.get(id) ?? head.seq,
      subject: id,
      reason,
    });
    for (let after = ''; ;) {
      const page = await facts.storedCases(after, CASES);
      for (const one of page) {
        after = one.id;
        left.delete(one.id);
        if (one.number > replay.last()) later.set(one.id, one);
        else if (!isSame(one, replay.cases.get(one.id))) return contradicted(one.id);
      }
      if (page.length < CASES) break;
    }
    const [missing] = left;
    if (missing !== undefined) return contradicted(missing, 'is of a case that is missing');
    if (later.size === 0) return undefined;
    const rest = await verifyChain(
      facts,
      (event) => {
        const reason = replay.read(event);
        const one = later.get(event.subject);
        if (one === undefined || one.number !== event.number) return reason;
        if (!isSame(one, replay.cases.get(event.subject))) return 'contradicts the stored case';
        later.delete(event.subject);
        return reason;
      },
      head,
    );
    const [other] = later.keys();
    return rest.broken ?? (other === undefined ? undefined : contradicted(other));
  }
}

function isSame(stored: StoredCase, made: CaseFact | undefined): boolean {
  return made !== undefined && canonicalJson(stored) === canonicalJson(fromCase(made));
}

/** Rebuilds the cases from a trail's events. */
function replayedCases() {
  const cases = new Map<string, CaseFact>();
  /** Number of the last event of each case. */
  const seqs = new Map<string, number>();
  let last = 0;
  return {
    cases,
    seqs,
    last: () => last,
    /** @returns why this program cannot have written the event */
    read(event: TrailEvent): string | undefined {
      const { number, seq } = event;
      try {
        const own = toCaseEvent(event);
        if (own === undefined || number === undefined) return undefined;
        cases.set(own.caseId, { ...fold(cases.get(own.caseId), own), number });
        seqs.set(own.caseId, seq);
        last = number;
        return undefined;
      } catch {
        return 'is none that this program writes';
      }
    },
  };
}

/**
 * Compares people's names in the trail with those in the record store. The store assigns each
 * person one name; under another name, they would act as someone else.
 */
function namesInTrail() {
  const keyOf = ({ issuer, subject }: PersonKey) => JSON.stringify([issuer, subject]);
  const named = new Map<string, { name: string; seq: number }>();
  let renamed: number | undefined;
  return {
    read: ({ actor, person, seq }: TrailEvent): void => {
      if (person === undefined) return;
      const name = ownerOf(actor);
      const known = named.get(keyOf(person));
      if (known === undefined) named.set(keyOf(person), { name, seq });
      else if (known.name !== name) renamed ??= seq;
    },
    /** Returns the first event whose name is not the one assigned to its person. */
    async firstWrong({ people }: Pick<PeopleFacts, 'people'>): Promise<BrokenLink | undefined> {
      const wrong = (seq: number) => ({ seq, reason: 'has another name than its person' });
      if (renamed !== undefined) return wrong(renamed);
      if (named.size === 0) return undefined;
      // Read after the trail, so that both include a person who signs in at this moment.
      const stored = new Map((await people()).map((person) => [keyOf(person), person.name]));
      const found = [...named].find(([key, { name }]) => stored.get(key) !== name);
      return found && wrong(found[1].seq);
    },
  };
}
