import type { SealProblem, SealVerification } from '@financing-checkout/contract';
import { z } from 'zod';
import { GENESIS } from '../facts/chain.ts';
import { ContentError } from '../facts/content.ts';
import type { SealFact } from '../facts/period-facts.ts';
import type { FactStore } from '../facts/store.ts';
import { sha256 } from '../platform/digest.ts';
import { bodyOf, sealHash } from './seal.ts';

const ACTIONS = 1_000;

const messages: Record<SealProblem['code'], (subject: string) => string> = {
  'not-chained': () => 'does not follow the seal before it',
  'statements-altered': () => 'its statements were altered',
  'statements-unreadable': () => 'its statements cannot be read',
  'not-in-trail': () => 'its hash is not the one in the trail of actions',
  'seal-missing': () => 'the seal is missing',
  'flows-altered': () => 'its amounts by order were altered',
  'day-altered': (day) => `the content of ${day} was altered`,
  'day-missing': (day) => `the content of ${day} is missing, or was altered`,
  'import-altered': (id) => `the import ${id} was altered`,
  'import-missing': (id) => `the import ${id} is missing, or was altered`,
};

function problemOf(code: SealProblem['code'], subject?: string): SealProblem {
  return { code, subject, message: messages[code](subject ?? '') };
}

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
    const problems: SealProblem[] = [];
    if (seal.previous !== previous) problems.push(problemOf('not-chained'));
    if (sealHash(seal.previous, seal.body) !== hash) problems.push(problemOf('statements-altered'));
    const stated = recorded.get(seq);
    recorded.delete(seq);
    // A process that ended right after the close had no time to record the outcome.
    if (stated?.hash !== hash && (stated !== undefined || !running.has(period))) {
      problems.push(problemOf('not-in-trail'));
    }
    const contents = await verifyContents(facts, seal, problems);
    seals.push({ seq, period, hash, ...contents, problems });
    previous = hash;
  }
  for (const [seq, { period, hash }] of recorded) {
    const problems = [problemOf('seal-missing')];
    seals.push({ seq, period, hash, checked: 0, bytes: 0, problems });
  }
  return { isIntact: seals.every(({ problems }) => problems.length === 0), seals };
}

async function verifyContents(
  facts: FactStore,
  seal: SealFact,
  problems: SealProblem[],
): Promise<{ checked: number; bytes: number }> {
  let checked = 1;
  let bytes = Buffer.byteLength(seal.body);
  const isIntact = (content: Uint8Array, hash: string) => {
    checked += 1;
    bytes += content.byteLength;
    return sha256(content) === hash;
  };
  const verify = (
    part: 'day' | 'import',
    subject: string,
    content: Uint8Array | undefined,
    hash: string,
  ) => {
    if (content === undefined) problems.push(problemOf(`${part}-missing`, subject));
    else if (!isIntact(content, hash)) problems.push(problemOf(`${part}-altered`, subject));
  };
  let body;
  try {
    body = bodyOf(seal);
  } catch {
    problems.push(problemOf('statements-unreadable'));
    return { checked, bytes };
  }
  const { days, imports } = body.facts;
  for (const { day, sha256: hash } of days) {
    verify('day', day, await facts.sealedContent(day, hash), hash);
  }
  for (const { id, sha256: hash } of imports) {
    const content = await facts.importContent(id).catch(() => undefined);
    verify('import', id, content, hash);
  }
  try {
    const flows = await facts.sealFlows(seal.seq);
    if (!isIntact(flows, body.flows.sha256)) problems.push(problemOf('flows-altered'));
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    problems.push(problemOf('flows-altered'));
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
