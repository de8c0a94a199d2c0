import { readFile } from 'node:fs/promises';
import { meta } from '../analytics/database.ts';
import { metaKeys } from '../analytics/schema.ts';
import { type SealFact } from '../facts/period-facts.ts';
import { canonicalJson, sha256 } from '../platform/digest.ts';
import { ProblemError } from '../platform/problem.ts';
import { sqlText } from '../platform/temporary-files.ts';
import { policyHash } from '../statuses/policy.ts';
import { rulesVersion } from '../statuses/rules-version.ts';
import {
  ATTEMPTS,
  type CloseContext,
  type Approving,
  requireReady,
  requireSeen,
  requireEvidence,
} from './decide.ts';
import { isSameDecider } from './deciders.ts';
import { copyFlows } from './flows.ts';
import { boundsOf, requirePeriod, workOf } from './read.ts';
import { coveredFacts, type SealBody, statementsHash } from './seal.ts';
import { sealedStatements } from './statements.ts';

/**
 * Closes a prepared period by sealing its facts, policy, statements and amounts by order in one transaction.
 * @param catchUp judges all orders by all facts @throws {ProblemError}
 */
export async function closePeriod(
  ctx: CloseContext,
  id: string,
  by: Approving,
  catchUp: () => Promise<void>,
): Promise<SealFact> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    ctx.onStep('checking');
    await catchUp();
    await requireEvidence(ctx, by);
    const seal = await sealPeriod(ctx, id, by);
    if (seal !== undefined) return seal;
  }
  throw new ProblemError('period-changed', {
    detail: 'New facts arrived during the close. Nothing was closed: repeat it when they are in.',
  });
}

async function sealPeriod(
  ctx: CloseContext,
  id: string,
  by: Approving,
): Promise<SealFact | undefined> {
  const { facts, files, database, policy, environment, clock, zone, fence, onStep } = ctx;
  const head = await database.read(async (connection) =>
    Number((await meta(connection, metaKeys.applied)) ?? 0),
  );
  // Read before the checks, which depend on accepted findings. The seal is written only if the
  // findings have not changed.
  const { last, prepared } = await workOf(ctx, id);
  const detail = await requireReady(ctx, id);
  if (prepared === undefined) {
    throw new ProblemError('period-not-permitted', { detail: `${id} has not been prepared.` });
  }
  const isSecond = ctx.deciders.areTwo && !isSameDecider(prepared, by);
  if (ctx.deciders.areTwo && !isSecond) {
    throw new ProblemError('second-person-required', {
      detail: `${prepared.actor} prepared ${id}. Another person has to approve it.`,
    });
  }
  if (prepared.statements !== detail.statementsHash) {
    const lapsed = { action: prepared.number, period: id, at: clock.now(), detail: {}, last };
    await facts.decide(fence, 'lapsed', lapsed);
    throw new ProblemError('period-changed', {
      detail: `The statements of ${id} are not those that ${prepared.actor} prepared. Prepare it again.`,
    });
  }
  requireSeen(id, by.seen, detail.statementsHash);
  if (by.decided !== undefined && by.decided !== last) {
    throw new ProblemError('period-changed', {
      detail: `Something was decided about ${id} after you had looked at it. Look at what was accepted: the last decision is number ${last} now.`,
    });
  }
  const { from, to } = (await requirePeriod(ctx, id)).record;
  const period = { id, from, to };
  const bounds = boundsOf(period, zone);
  const seals = await facts.seals();
  const path = files.path('close', '.parquet');
  try {
    onStep('summing');
    const rows = await copyFlows(database, bounds, path);
    const flows = await readFile(path);
    const seq = (seals.at(-1)?.seq ?? 0) + 1;
    const source = `(select * from sealed_flows union all by name select ${seq} as seq, * from read_parquet(${sqlText(path)}))`;
    const statements = await database.read((connection) =>
      sealedStatements(connection, seq, undefined, source),
    );
    // The statements must match the amounts by order, against which they will be verified later.
    if (statementsHash(statements) !== detail.statementsHash) return undefined;
    onStep('hashing');
    const covered = await coveredFacts(facts, seals, head);
    const at = clock.now();
    const end = await facts.trailHead();
    const { tolerance, slaDays, aliases, contracts } = policy;
    const body: SealBody = {
      version: 1,
      store: facts.id,
      environment,
      period: { ...period, zone, fromAt: bounds.fromAt, untilAt: bounds.untilAt },
      prepared: { by: prepared.actor, person: prepared.person, at: prepared.at },
      approved: { by: by.actor, person: by.person, at, isSecond },
      facts: { head, ...covered, trail: { seq: end.seq, hash: end.hash } },
      rules: rulesVersion(),
      policy: { tolerance, slaDays, aliases, contracts },
      policyHash: policyHash(policy),
      checks: detail.checks,
      statements,
      flows: { rows, bytes: flows.byteLength, sha256: sha256(flows) },
    };
    const text = canonicalJson(body);
    onStep('writing');
    const days = covered.days.map(({ day, sha256: checksum }) => ({ day, checksum }));
    return await facts.writeSeal(fence, { period: id, at, body: text, flows, days }, head, {
      action: by.action,
      at,
      last,
    });
  } finally {
    await files.remove([path]);
  }
}
