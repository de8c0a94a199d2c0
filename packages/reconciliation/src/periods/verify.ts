import type { SealProblem, SealVerification } from '@financing-checkout/contract/reconciliation';
import { isoTime } from '@financing-checkout/kit';
import { ContentError } from '../facts/content.ts';
import { isSamePerson } from '../facts/people.ts';
import type { Closing, Decision } from '../facts/period-decisions.ts';
import type { SealFact } from '../facts/period-facts.ts';
import type { FactStore } from '../facts/store.ts';
import { verifyChain } from '../facts/trail.ts';
import { sha256 } from '../platform/digest.ts';
import { isSameDecider } from './deciders.ts';
import { bodyOf } from './seal.ts';

type StoredBody = ReturnType<typeof bodyOf>;

const messages: Record<SealProblem['code'], (subject: string) => string> = {
  'statements-altered': () => 'its SHA-256 is not the one that the trail states',
  'statements-unreadable': () => 'its statements cannot be read',
  'not-in-trail': () => 'the trail has no close of it',
  'trail-altered': () => 'the trail is not the one of its close',
  'preparer-altered': () => 'it was prepared by another person than the trail states',
  'approver-altered': () => 'it was approved by another person than the trail states',
  'acceptance-altered': (check) => `${check} was not accepted as the trail states`,
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
 * Recomputes every seal: its SHA-256, the sealed amounts, and the contents of all days and imports
 * that it covers. The trail, a hash chain, states each seal's SHA-256 and who prepared, accepted
 * and approved it, so a rewritten seal is detected. Each seal states the end of the trail at its
 * time, so a rewritten trail is detected as well.
 */
export async function verifySeals(facts: FactStore): Promise<SealVerification> {
  const stored = await facts.seals();
  const { hashes, reason } = await verifyTrail(facts, stored);
  const { closings } = await facts.periodDecisions();
  const missing = new Map(closings);
  const seals: SealVerification['seals'] = [];
  for (const seal of stored) {
    const { seq, period, hash } = seal;
    const problems: SealProblem[] = [];
    const closing = closings.get(seq);
    missing.delete(seq);
    if (closing === undefined) problems.push(problemOf('not-in-trail'));
    else if (closing.hash !== hash) problems.push(problemOf('statements-altered'));
    const contents = await verifyContents(facts, seal, problems, (body) => {
      if (closing !== undefined) verifyPeople(body, closing, problems);
      const { trail } = body.facts;
      if (trail.seq > 0 && hashes.get(trail.seq) !== trail.hash) {
        problems.push(problemOf('trail-altered'));
      }
    });
    seals.push({ seq, period, hash, ...contents, problems });
  }
  for (const [seq, { period, hash }] of missing) {
    const problems = [problemOf('seal-missing')];
    seals.push({ seq, period, hash, checked: 0, bytes: 0, problems });
  }
  const isIntact = reason === undefined && seals.every(({ problems }) => problems.length === 0);
  return { isIntact, trail: reason, seals };
}

/** Returns the hashes of the trail heads in seals, and what is wrong with an invalid trail. */
async function verifyTrail(
  facts: Pick<FactStore, 'trailHead' | 'trailEvents'>,
  seals: readonly SealFact[],
): Promise<{ hashes: Map<number, string>; reason: string | undefined }> {
  const ends = new Set(seals.flatMap((seal) => readBody(seal)?.facts.trail.seq ?? []));
  const hashes = new Map<number, string>();
  const { broken } = await verifyChain(facts, ({ seq, hash }) => {
    if (ends.has(seq)) hashes.set(seq, hash);
    return undefined;
  });
  return { hashes, reason: broken && `event ${broken.seq} ${broken.reason}` };
}

/** @returns undefined for a body that no close wrote */
function readBody(seal: SealFact): StoredBody | undefined {
  try {
    return bodyOf(seal);
  } catch {
    return undefined;
  }
}

/** Compares the people named in the seal with the trail. */
function verifyPeople(body: StoredBody, closing: Closing, problems: SealProblem[]): void {
  const { prepared, approved, checks } = body;
  const { work } = closing;
  const isSame = (stated: StoredBody['prepared'], decision: Decision | undefined) =>
    decision !== undefined &&
    stated.by === decision.actor &&
    stated.at === decision.at &&
    isSamePerson(stated.person, decision.person);
  if (!isSame(prepared, work.prepared)) problems.push(problemOf('preparer-altered'));
  const isOne = work.prepared !== undefined && isSameDecider(work.prepared, closing);
  if (!isSame(approved, closing) || (approved.isSecond && isOne)) {
    problems.push(problemOf('approver-altered'));
  }
  for (const { check, digest, accepted } of checks) {
    if (accepted === undefined) continue;
    const decision = work.accepted[check];
    const isAccepted =
      accepted.by === decision?.actor &&
      accepted.at === isoTime(decision.at) &&
      accepted.reason === decision.reason &&
      digest === decision.digest;
    if (!isAccepted) problems.push(problemOf('acceptance-altered', check));
  }
}

async function verifyContents(
  facts: FactStore,
  seal: SealFact,
  problems: SealProblem[],
  onBody: (body: StoredBody) => void,
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
  const body = readBody(seal);
  if (body === undefined) {
    problems.push(problemOf('statements-unreadable'));
    return { checked, bytes };
  }
  onBody(body);
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
