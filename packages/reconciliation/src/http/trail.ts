import { actorOf } from '@financing-checkout/kit/http';
import type { Context } from 'hono';
import type { Engine } from '../engine/engine.ts';
import { CompanionRefusal, CompanionSilence } from '../companion/office.ts';
import type { ActionEnd, NewAction } from '../facts/trail.ts';
import { describeError } from '../platform/log.ts';
import { ProblemError } from '../platform/problem.ts';
import type { Env } from './context.ts';

/** An action to record. The request names `person`, on whose behalf the token's owner acts. */
export type RecordedAction = Omit<NewAction, 'at' | 'actor' | 'person'> & {
  person?: string | undefined;
};

/**
 * Records an action before it takes effect, performs it, and records its outcome.
 * @param work receives the number of the action
 * @param endOf returns the outcome of a result, `done` by default; undefined if the work has recorded it itself
 * @throws {ProblemError} `idempotency-key-reused`, if the key belongs to another action
 * @throws what `work` throws; nothing is done if the action cannot be recorded
 */
export async function record<Result>(
  engine: Engine,
  c: Context<Env>,
  { person, ...action }: RecordedAction,
  work: (begun: number) => Promise<Result>,
  endOf: (result: Result) => Omit<ActionEnd, 'at'> | undefined = () => ({ outcome: 'done' }),
): Promise<Result> {
  const { clock, facts, logger } = engine;
  const actor = actorOf(c, person);
  const signedIn = c.get('person');
  const begun = await facts.beginAction({ ...action, at: clock.now(), actor, person: signedIn });
  if (begun === undefined) throw new ProblemError('idempotency-key-reused');

  // The action has already taken effect, so a failure here does not change the response.
  const end = (result: Omit<ActionEnd, 'at'>) =>
    facts.endAction(begun, { ...result, at: clock.now() }).catch((error: unknown) => {
      const requestId = c.get('requestId');
      logger.log('error', 'outcome-not-recorded', { requestId, ...describeError(error) });
    });
  let result: Result;
  try {
    result = await work(begun);
  } catch (error) {
    await end({ outcome: outcomeOf(error) });
    throw error;
  }
  const ended = endOf(result);
  if (ended !== undefined) await end(ended);
  return result;
}

/**
 * Records a download by the caller before the file is created. A HEAD request downloads nothing.
 * @param file `subject`: the file's content, `detail`: the selected part
 * @throws the errors of `make`; creates no file if the download cannot be recorded
 */
export async function recordFile<Result>(
  engine: Engine,
  c: Context<Env>,
  file: Pick<RecordedAction, 'subject' | 'detail'>,
  make: () => Promise<Result>,
): Promise<Result> {
  return c.req.method === 'HEAD' ? make() : record(engine, c, { kind: 'export', ...file }, make);
}

/** Returns the parameters of a request as the detail of an action. */
export function detailOf(query: Readonly<Record<string, unknown>>): RecordedAction['detail'] {
  return Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]));
}

function outcomeOf(error: unknown): string {
  if (error instanceof CompanionSilence) return error.isUnclear ? 'unknown' : 'not-sent';
  if (error instanceof CompanionRefusal) return error.problem.code;
  return error instanceof ProblemError ? error.code : 'failed';
}
