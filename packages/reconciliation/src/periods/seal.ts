import {
  type CloseCheckRecord,
  periodDetailSchema,
  type Seal,
  type WalkStatement,
} from '@financing-checkout/contract/reconciliation';
import { isoTime } from '@financing-checkout/kit';
import { z } from 'zod';
import type { SealFact } from '../facts/period-facts.ts';
import type { FactStore, SyncRun } from '../facts/store.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';

const count = z.number();
/** A person at the OpenID provider. Absent: a token's owner, whom `by` names. */
const person = z.object({ issuer: z.string(), subject: z.string() }).optional();

/** A seal's body. Its canonical JSON is stored and hashed, so fields may be added but never changed. */
export const sealBodySchema = z.object({
  version: z.literal(1),
  store: z.string(),
  environment: z.string(),
  period: z.object({
    id: z.string(),
    from: z.string(),
    to: z.string(),
    zone: z.string(),
    fromAt: count,
    untilAt: count,
  }),
  prepared: z.object({ by: z.string(), person, at: count }),
  approved: z.object({ by: z.string(), person, at: count, isSecond: z.boolean() }),
  facts: z.object({
    /** Number of the last fact that the seal covers. */
    head: count,
    /** Contents that earlier seals do not cover. */
    days: z.array(
      z.object({ day: z.string(), number: count, count, digest: z.string(), sha256: z.string() }),
    ),
    imports: z.array(
      z.object({ id: z.string(), number: count, action: z.string(), count, sha256: z.string() }),
    ),
    /** The end of the trail. */
    trail: z.object({ seq: count, hash: z.string() }),
  }),
  rules: z.string(),
  /** The policy in effect, including contract rates. */
  policy: z.unknown(),
  policyHash: z.string(),
  checks: z.array(
    z.looseObject({
      check: z.string(),
      digest: z.string().optional(),
      accepted: z.object({ by: z.string(), at: z.string(), reason: z.string() }).optional(),
    }),
  ),
  statements: z.array(z.unknown()),
  flows: z.object({ rows: count, bytes: count, sha256: z.string() }),
});
export interface SealBody extends z.infer<typeof sealBodySchema> {
  checks: CloseCheckRecord[];
  statements: WalkStatement[];
}

export function bodyOf(seal: Pick<SealFact, 'body'>): z.infer<typeof sealBodySchema> {
  return sealBodySchema.parse(JSON.parse(seal.body));
}

/** Returns the checklist of a seal. */
export function sealedChecks(seal: Pick<SealFact, 'body'>): CloseCheckRecord[] {
  return periodDetailSchema.shape.checks.parse(bodyOf(seal).checks);
}

/** Returns the SHA-256 of statements: a prepared close applies to these and to no others. */
export function statementsHash(statements: readonly WalkStatement[]): string {
  return sha256(canonicalJson(statements));
}

/** Returns a seal in the API's format. */
export function sealRecord(seal: SealFact): Seal {
  const { prepared, approved } = bodyOf(seal);
  const { seq, hash, at, reopened } = seal;
  return {
    seq,
    hash,
    at: isoTime(at),
    preparedBy: prepared.by,
    approvedBy: approved.by,
    isApprovedBySecond: approved.isSecond,
    reopened: reopened && {
      by: reopened.actor,
      at: isoTime(reopened.at),
      reason: reopened.reason,
      approvedBy: reopened.approved?.actor,
    },
  };
}

/** Lists the contents that earlier seals do not cover, with their SHA-256. */
export async function coveredFacts(
  facts: FactStore,
  seals: readonly SealFact[],
  head: number,
): Promise<Pick<SealBody['facts'], 'days' | 'imports'>> {
  const bodies = seals.map(bodyOf);
  const known = new Set(
    bodies.flatMap((body) => [
      ...body.facts.days.map(({ day, sha256: own }) => `${day} ${own}`),
      ...body.facts.imports.map(({ id }) => id),
    ]),
  );
  const checksums = await facts.contentChecksums();
  const days = (await facts.days()).flatMap(({ day, number, count, digest }) => {
    const own = checksums.get(day);
    if (own === undefined || known.has(`${day} ${own}`)) return [];
    return [{ day, number, count, digest, sha256: own }];
  });
  const imports: SealBody['facts']['imports'] = [];
  const after = Math.max(0, ...bodies.map((body) => body.facts.head));
  for (let at = after; at < head;) {
    const page = await facts.importsAfter(at, 100);
    for (const { id, number, action, count } of page) {
      if (number > head || known.has(id)) continue;
      imports.push({ id, number, action, count, sha256: sha256(await facts.importContent(id)) });
    }
    at = page.at(-1)?.number ?? head;
  }
  return { days, imports };
}

/** Days of a closed period, oldest first. */
export interface DaysOfPeriod {
  period: string;
  days: string[];
}

/**
 * Returns the days of closed periods that each sync run has read and that differ from their seal, by run
 * ID. Reads the seals once for all runs.
 */
export async function daysBesideSeals(
  facts: Pick<FactStore, 'seals' | 'days' | 'contentChecksums'>,
  runs: readonly Pick<SyncRun, 'id' | 'fromDay' | 'toDay'>[],
): Promise<Map<string, DaysOfPeriod[]>> {
  const found = new Map<string, DaysOfPeriod[]>(runs.map(({ id }) => [id, []]));
  const bodies = (await facts.seals()).flatMap((seal) =>
    seal.reopened === undefined ? [bodyOf(seal)] : [],
  );
  const from = runs.map(({ fromDay }) => fromDay).sort()[0];
  const to = runs.map(({ toDay }) => toDay).sort()[runs.length - 1];
  const [first] = bodies;
  if (first === undefined || from === undefined) return found;
  const covered = new Set(
    bodies.flatMap((body) => body.facts.days.map(({ day, sha256: own }) => `${day} ${own}`)),
  );
  const checksums = await facts.contentChecksums();
  for (const { day, syncId } of await facts.days(from, to)) {
    const own = checksums.get(day);
    const ofRun = found.get(syncId);
    if (ofRun === undefined || own === undefined || covered.has(`${day} ${own}`)) continue;
    const body = bodies.find(({ period }) => day <= period.to);
    if (body === undefined) continue;
    const { id } = body.period;
    const ofPeriod = ofRun.find(({ period }) => period === id);
    if (ofPeriod === undefined) ofRun.push({ period: id, days: [day] });
    else ofPeriod.days.push(day);
  }
  return found;
}
