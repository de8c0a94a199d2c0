import type { Environment, TrailVerification } from '@financing-checkout/contract';
import type { ActionFacts } from '../facts/actions.ts';
import type { CaseReader } from '../facts/case-facts.ts';
import { type ChainHead, GENESIS } from '../facts/chain.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import { DIFFERS_FROM_ANCHOR } from '../facts/chain.ts';
import { verifyActions, verifyTrail } from './trail.ts';

/** The ends of both trails. */
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

/** An anchor of both trails, or of the trail of cases alone as earlier versions printed it. */
export const anchorPattern = /^\d{1,15}(?::\d{1,15})?:[0-9a-f]{64}$/;

interface Anchor {
  cases: number;
  /** Undefined for an anchor of the trail of cases alone. */
  actions: number | undefined;
  hash: string;
}

function parseAnchor(text: string): Anchor {
  const [cases = '', ...rest] = text.split(':');
  const hash = rest.pop() ?? '';
  const actions = rest[0] === undefined ? undefined : Number(rest[0]);
  return { cases: Number(cases), actions, hash };
}

/** The verification of both trails in themselves. */
export type BothTrails = Omit<TrailVerification, 'companion' | 'notCompared'>;

type TrailFacts = CaseReader & Pick<ActionFacts, 'actionChain' | 'actionEvents'>;

export interface TrailVerificationOptions {
  facts: TrailFacts;
  environment: Environment;
  /** An earlier head that was kept outside the record store. See {@link anchorPattern}. */
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
 * access to the record store can replace both trails with others that are valid in themselves: only
 * a head that is kept elsewhere reveals that.
 */
export async function verifyTrails({
  facts,
  environment,
  anchor: text,
}: TrailVerificationOptions): Promise<BothTrails> {
  const anchor = text === undefined ? undefined : parseAnchor(text);
  const ofCases =
    anchor !== undefined && anchor.actions === undefined
      ? { seq: anchor.cases, hash: anchor.hash }
      : undefined;
  const both = anchor?.actions === undefined ? undefined : anchor;
  const { marked: casesThen, ...cases } = await verifyTrail(facts, ofCases, both?.cases);
  const { marked: actionsThen, ...actions } = await verifyActions(facts, both?.actions);
  return { ...cases, actions, trail: judge() };

  function judge(): TrailVerification['trail'] {
    const broken = cases.broken ?? actions.broken;
    if (broken !== undefined) return { valid: false, reason: broken.reason };
    if (both?.actions !== undefined) {
      const then = {
        cases: { seq: both.cases, hash: casesThen ?? GENESIS },
        actions: { seq: both.actions, hash: actionsThen ?? GENESIS },
      };
      if (anchorText(environment, then) !== text)
        return { valid: false, reason: DIFFERS_FROM_ANCHOR };
    }
    return {
      valid: true,
      anchor: anchorText(environment, { cases: cases.head, actions: actions.head }),
    };
  }
}
