import type { AnswerOf, CaseVerb, InputOf } from '@financing-checkout/contract/reconciliation';
import { ApiError, call, isUnclear, newKey } from '../../api/client.ts';
import { sentenceOf } from '../../parts/states.ts';
import { bodyOf, type CaseAction, undoOf } from './action.ts';

/** One case in a bulk action. */
interface BulkItem {
  id: string;
  /** Display name of the case. */
  name: string;
  /**
   * The revision that the person saw, or has seen in the reason for a failure. Of a case that is done:
   * the one that the action gave it.
   */
  revision?: number | undefined;
  /** The case into which a merge puts this one, or from which a split takes it. */
  main?: string | undefined;
  state: 'waiting' | 'done' | 'failed';
  /** The API's error message if the action failed. */
  problem?: string;
  /** Whether the action failed because the case had changed. */
  isChanged?: boolean;
}

/** A bulk action. */
export interface BulkJob {
  /** Name of the user who started the job; no one else can continue it. */
  person: string;
  action: CaseAction;
  items: BulkItem[];
  /** Whether the request for the first waiting items was sent and not answered. */
  isSent?: boolean;
  /** Key of the request for the first waiting items, which stays until it is answered. */
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
  cases: readonly Omit<BulkItem, 'state' | 'problem'>[],
): BulkJob {
  const items = cases.map(({ id, name, revision, main }) => {
    return { id, name, revision, main, state: 'waiting' as const };
  });
  return { person, action, items, key: newKey() };
}

/**
 * Sends the waiting items of a job, some hundred in a request. Stops between two requests if the
 * signal is aborted, and after one that may have to be repeated, with its key.
 * @param changed called before each request and after its answer
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
    const operations = part.map((item) => operationOf(job.action, item));
    job.isSent = true;
    changed();
    try {
      const { results } = await send({ body: { operations }, key: job.key });
      for (const [index, item] of part.entries()) settle(item, results[index]);
    } catch (error) {
      const problem = error instanceof ApiError ? error : new ApiError(0, '');
      if (isUnclear(problem) || isOfPerson(problem)) return false;
      for (const item of part) fail(item, error);
    }
    job.key = newKey();
    job.isSent = false;
    changed();
  }
}

/** Errors that the user can resolve by signing in or getting more permissions. */
const isOfPerson = ({ code, status }: ApiError) => status === 401 || code === 'token-not-permitted';

type Operation = Request['body']['operations'][number];
const operationOf = (action: CaseAction, { id, main, revision }: BulkItem) => {
  const { note, text, verb } = action;
  const body = bodyOf({ verb, note, text: verb === 'merge' ? (main ?? text) : text }, revision);
  return { ...body, caseId: id, verb } as Operation & { verb: CaseVerb };
};

function settle(item: BulkItem, result: Answer['results'][number] | undefined): void {
  if (result !== undefined && 'problem' in result) {
    const { code, status, detail, parameters } = result.problem;
    fail(item, new ApiError(status, code, { detail, parameters }));
  } else {
    item.state = 'done';
    item.revision = result?.revision;
  }
}

function fail(item: BulkItem, error: unknown): void {
  item.state = 'failed';
  // The reason says what the colleague did: a retry is a decision that knows of it.
  item.isChanged = error instanceof ApiError && error.code === 'case-changed';
  if (item.isChanged) item.revision = undefined;
  item.problem = sentenceOf(error);
}

/**
 * Returns the job that undoes what a job has done; undefined if one press does not undo it, and while
 * it is unknown whether a request has taken effect. A case that has changed since is not overwritten.
 */
export function undoOfJob({ action, isSent, items, person }: BulkJob): BulkJob | undefined {
  const done = items.filter(({ state }) => state === 'done');
  const undo = undoOf(action);
  if (isSent === true || done.length === 0 || undo === undefined) return undefined;
  return newJob(person, undo, done);
}

/** Whether failed items can be retried: they would change a request that has to be repeated. */
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
