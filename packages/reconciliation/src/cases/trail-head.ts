import type { TrailVerification } from '@financing-checkout/contract/reconciliation';
import type { Environment } from '@financing-checkout/contract/storefront';
import { type ActionEvent, type ActionFacts, ownerOf } from '../facts/actions.ts';
import type { CaseReader } from '../facts/case-facts.ts';
import { type ChainHead, GENESIS } from '../facts/chain.ts';
import type { PeopleFacts, PersonKey } from '../facts/people.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import { verifyActions, verifyTrail } from './trail.ts';

/** The ends of the trails of cases and actions. */
interface Ends {
  cases: ChainHead;
  actions: ChainHead;
}

/**
 * Returns the head of both trails as text: the number of case events, the number of action events,
 * and a SHA-256 of both heads and the environment. It proves every event before it, so a copy that
 * is kept outside the record store is an anchor. The store's ID is not included: a restored backup
 * has a different ID and the same history.
 */
function anchorText(environment: Environment, { cases, actions }: Ends): string {
  const hash = sha256(canonicalJson({ version: 1, environment, cases, actions }));
  return `${cases.seq}:${actions.seq}:${hash}`;
}

/** An anchor as {@link anchorText} returns it. */
export const anchorPattern = /^\d{1,15}:\d{1,15}:[0-9a-f]{64}$/;

function positionsIn(anchor: string): { cases: number; actions: number } {
  const [cases = 0, actions = 0] = anchor.split(':', 2).map(Number);
  return { cases, actions };
}

/** The verification of both trails, without the comparison with the companion. */
export type BothTrails = Omit<TrailVerification, 'companion' | 'notCompared'>;

type TrailFacts = CaseReader &
  Pick<ActionFacts, 'actionChain' | 'actionEvents'> &
  Pick<PeopleFacts, 'people'>;

export interface TrailVerificationOptions {
  facts: TrailFacts;
  environment: Environment;
  /** An earlier head from outside the record store. See {@link anchorPattern}. */
  anchor?: string | undefined;
}

/** Returns the current head of both trails, without verifying them. */
export async function readTrailHead(
  facts: Pick<TrailFacts, 'caseChain' | 'actionChain'>,
  environment: Environment,
): Promise<string> {
  const [cases, actions] = await Promise.all([facts.caseChain(), facts.actionChain()]);
  return anchorText(environment, { cases, actions });
}

/**
 * Verifies both trails, and that they contain the events of an earlier head. A person with write
 * access to the record store can replace both trails with other internally valid ones: only a head
 * stored outside reveals that.
 */
export async function verifyTrails({
  facts,
  environment,
  anchor: text,
}: TrailVerificationOptions): Promise<BothTrails> {
  const anchor = text === undefined ? undefined : positionsIn(text);
  const { marked: casesThen, ...cases } = await verifyTrail(facts, anchor?.cases);
  const names = namesInTrail();
  const { marked: actionsThen, ...found } = await verifyActions(facts, {
    mark: anchor?.actions,
    onEvent: names.read,
  });
  const seq = found.valid ? await names.firstWrong(facts) : undefined;
  const reason = 'has another name than its person';
  const actions = seq === undefined ? found : { ...found, valid: false, broken: { seq, reason } };
  return { ...cases, actions, trail: judge() };

  function judge(): TrailVerification['trail'] {
    const broken = cases.broken ?? actions.broken;
    if (broken !== undefined) return { valid: false, reason: broken.reason };
    if (anchor !== undefined) {
      const then = {
        cases: { seq: anchor.cases, hash: casesThen ?? GENESIS },
        actions: { seq: anchor.actions, hash: actionsThen ?? GENESIS },
      };
      if (anchorText(environment, then) !== text)
        return { valid: false, reason: 'differs from the anchor' };
    }
    return {
      valid: true,
      anchor: anchorText(environment, { cases: cases.head, actions: actions.head }),
    };
  }
}

/**
 * Compares the names of people in the trail with those in the record store. The store assigns each
 * person one name, so a different name would pass as another person.
 */
function namesInTrail() {
  const keyOf = ({ issuer, subject }: PersonKey) => JSON.stringify([issuer, subject]);
  const named = new Map<string, { name: string; seq: number }>();
  let renamed: number | undefined;
  return {
    read: ({ actor, person, seq }: ActionEvent): void => {
      if (person === undefined) return;
      const name = ownerOf(actor);
      const known = named.get(keyOf(person));
      if (known === undefined) named.set(keyOf(person), { name, seq });
      else if (known.name !== name) renamed ??= seq;
    },
    /** Returns the number of the first event with a name that is not the person's. */
    async firstWrong({ people }: Pick<PeopleFacts, 'people'>): Promise<number | undefined> {
      if (renamed !== undefined || named.size === 0) return renamed;
      // Read after the trail, so that a person who signs in at this moment is in both.
      const stored = new Map((await people()).map((person) => [keyOf(person), person.name]));
      return [...named].find(([key, { name }]) => stored.get(key) !== name)?.[1].seq;
    },
  };
}
