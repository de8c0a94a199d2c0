import type { SealVerification } from '@financing-checkout/contract';
import { z } from 'zod';
import { GENESIS } from '../facts/chain.ts';
import { ContentError } from '../facts/content.ts';
import type { SealFact } from '../facts/period-facts.ts';
import type { FactStore } from '../facts/store.ts';
import { sha256 } from '../platform/digest.ts';
import { bodyOf, sealHash } from './seal.ts';

const ACTIONS = 1_000;

/**
 * Recomputes every seal: its hash, its place in the chain, the sealed amounts, and the contents of all
 * days and imports that it covers. The trail of actions, which has a chain of its own, states the hash
 * of each seal as well, so that a rewritten chain of seals is found.
 */
export async function verifySeals(facts: FactStore): Promise<SealVerification> {
  const { recorded, running } = await recordedHashes(facts);
  let previous = GENESIS;
  const seals: SealVerification['seals'] = [];
  for (const seal of await facts.seals()) {
    const { seq, period, hash } = seal;
    const problems: string[] = [];
    if (seal.previous !== previous) problems.push('does not follow the seal before it');
    if (sealHash(seal.previous, seal.body) !== hash) problems.push('its statements were altered');
    const stated = recorded.get(seq);
    recorded.delete(seq);
    // A process that ended right after the close had no time to record the outcome.
    if (stated?.hash !== hash && (stated !== undefined || !running.has(period))) {
      problems.push('its hash is not the one in the trail of actions');
    }
    const contents = await verifyContents(facts, seal, problems);
    seals.push({ seq, period, hash, ...contents, problems });
    previous = hash;
  }
  for (const [seq, { period, hash }] of recorded) {
    seals.push({ seq, period, hash, checked: 0, bytes: 0, problems: ['the seal is missing'] });
  }
  return { isIntact: seals.every(({ problems }) => problems.length === 0), seals };
}

async function verifyContents(
  facts: FactStore,
  seal: SealFact,
  problems: string[],
): Promise<{ checked: number; bytes: number }> {
  let checked = 1;
  let bytes = Buffer.byteLength(seal.body);
  const verify = (name: string, content: Uint8Array | undefined, hash: string) => {
    if (content === undefined) {
      problems.push(`${name} is missing, or was altered`);
      return;
    }
    checked += 1;
    bytes += content.byteLength;
    if (sha256(content) !== hash) problems.push(`${name} was altered`);
  };
  let body;
  try {
    body = bodyOf(seal);
  } catch {
    problems.push('its statements cannot be read');
    return { checked, bytes };
  }
  const { days, imports } = body.facts;
  for (const { day, sha256: hash } of days) {
    verify(`the content of ${day}`, await facts.sealedContent(day, hash), hash);
  }
  for (const { id, sha256: hash } of imports) {
    const content = await facts.importContent(id).catch(() => undefined);
    verify(`the import ${id}`, content, hash);
  }
  try {
    verify('its amounts by order', await facts.sealFlows(seal.seq), body.flows.sha256);
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    problems.push('its amounts by order were altered');
  }
  return { checked, bytes };
}

const endSchema = z.object({ seq: z.number(), seal: z.string() });

/**
 * Returns the period and hash of each seal as the trail of actions states them, by position, and the
 * periods whose close has no outcome.
 */
async function recordedHashes(facts: Pick<FactStore, 'actions'>): Promise<{
  recorded: Map<number, { period: string; hash: string }>;
  running: Set<string>;
}> {
  const recorded = new Map<number, { period: string; hash: string }>();
  const running = new Set<string>();
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const page = await facts.actions(before, ACTIONS);
    for (const { begun, ended } of page) {
      if (begun.kind !== 'close') continue;
      if (ended === undefined) running.add(begun.subject);
      if (ended?.outcome !== 'done') continue;
      const { seq, seal } = endSchema.parse(JSON.parse(ended.detail));
      recorded.set(seq, { period: begun.subject, hash: seal });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < ACTIONS) return { recorded, running };
    before = last.begun.seq;
  }
}
