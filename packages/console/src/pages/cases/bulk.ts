import type { AnswerOf, CaseVerb, InputOf } from '@financing-checkout/contract/reconciliation';
import { ApiError, call, isUnclear, newKey } from '../../api/client.ts';
import { sentenceOf } from '../../parts/states.ts';
import { bodyOf, type CaseAction } from './action.ts';

/** One case in a bulk action. */
interface BulkItem {
  id: string;
  /** Display name of the case. */
  name: string;
  /** The revision that the user saw, either in the list or in the reason for a failure. */
  revision?: number | undefined;
  state: 'waiting' | 'done' | 'failed';
  /** The API's error message if the action failed. */
  problem?: string;
}

/** A bulk action. */
export interface BulkJob {
  /** Name of the user who started the job; no one else can continue it. */
  person: string;
  action: CaseAction;
  items: BulkItem[];
  /**
   * Key of the request for the first waiting items. It stays the same until the request is
   * answered.
   */
  key: string;
}

/** Maximum number of cases per request, so that it has room for the longest text with each. */
export const CASES_OF_REQUEST = 250;
const STORED = 'financing-console-bulk';

type Request = InputOf<'post /cases/operations'> & { key: string };
type Answer = AnswerOf<'post /cases/operations'>;
const sendRequest = (request: Request): Promise<Answer> => call('post /cases/operations', request);

export function newJob(
  person: string,
  action: CaseAction,
  cases: readonly { id: string; name: string; revision: number }[],
): BulkJob {
  const items = cases.map((one) => ({ ...one, state: 'waiting' as const }));
  return { person, action, items, key: newKey() };
}

/**
 * Sends a job's waiting items, a few hundred per request. Stops between two requests if the signal
 * is aborted, and after one that may have to be repeated with the same key.
 * @param changed called after each answer
 * @returns whether no waiting items are left
 */
export async function runJob(
  job: BulkJob,
  changed: () => void,
  { signal, send = sendRequest }: { signal?: AbortSignal; send?: typeof sendRequest } = {},
): Promise<boolean> {
  for (;;) {
    const part = job.items.filter(({ state }) => state === 'waiting').slice(0, CASES_OF_REQUEST);
    if (part.length === 0) return true;
    if (signal?.aborted === true) return false;
    const operations = part.map(({ id, revision }) => operationOf(job.action, id, revision));
    try {
      const { results } = await send({ body: { operations }, key: job.key });
      for (const [index, item] of part.entries()) settle(item, results[index]);
    } catch (error) {
      const problem = error instanceof ApiError ? error : new ApiError(0, '');
      if (isUnclear(problem) || isOfPerson(problem)) return false;
      for (const item of part) fail(item, error);
    }
    job.key = newKey();
    changed();
  }
}

/** Errors that the user can resolve by signing in or getting more permissions. */
const isOfPerson = ({ code, status }: ApiError) => status === 401 || code === 'token-not-permitted';

type Operation = Request['body']['operations'][number];
const operationOf = (action: CaseAction, caseId: string, revision: number | undefined) =>
  ({ ...bodyOf(action, revision), caseId, verb: action.verb }) as Operation & { verb: CaseVerb };

function settle(item: BulkItem, result: Answer['results'][number] | undefined): void {
  if (result !== undefined && 'problem' in result) {
    const { code, status, detail, parameters } = result.problem;
    fail(item, new ApiError(status, code, { detail, parameters }));
  } else item.state = 'done';
}

function fail(item: BulkItem, error: unknown): void {
  item.state = 'failed';
  // The reason says what the colleague did, so a retry is a decision made with that knowledge.
  if (error instanceof ApiError && error.code === 'case-changed') item.revision = undefined;
  item.problem = sentenceOf(error);
}

/**
 * Whether failed items can be retried. Not while items are waiting, because their request may have
 * to be repeated unchanged.
 */
export function mayRetry({ items }: BulkJob): boolean {
  const states = new Set(items.map(({ state }) => state));
  return states.has('failed') && !states.has('waiting');
}

/** Resets the failed items to waiting. */
export function retryFailed(job: BulkJob): void {
  for (const item of job.items) {
    if (item.state !== 'failed') continue;
    item.state = 'waiting';
    delete item.problem;
  }
}

/** Stores a job in this tab, so that it can continue with the same key after a reload. */
export function keepJob(job: BulkJob | undefined, storage = sessionStorage): void {
  if (job === undefined) storage.removeItem(STORED);
  else storage.setItem(STORED, JSON.stringify(job));
}

/** Returns a user's stored job. */
export function keptJob(person: string, storage = sessionStorage): BulkJob | undefined {
  const text = storage.getItem(STORED);
  if (text === null) return undefined;
  const job = JSON.parse(text) as BulkJob;
  return job.person === person ? job : undefined;
}
