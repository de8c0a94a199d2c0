import { ApiError, newKey } from '../../api/client.ts';
import { sentenceOf } from '../../parts/states.ts';
import { type CaseAction, performAction } from './action.ts';

/** One case of a bulk action. Its key stays the same for every retry. */
interface BulkItem {
  id: string;
  /** Display name of the case. */
  name: string;
  key: string;
  /** The revision that the person saw, or has seen in the reason for a failure. */
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
}

const AT_ONCE = 4;
const STORED = 'financing-console-bulk';
/** Errors that affect every case: the remaining items wait until the user continues. */
const ofAll = new Set(['offline', 'session-ended', 'standby', 'token-not-permitted']);

export function newJob(
  person: string,
  action: CaseAction,
  cases: readonly { id: string; name: string; revision: number }[],
): BulkJob {
  return {
    person,
    action,
    items: cases.map((one) => ({ ...one, key: newKey(), state: 'waiting' })),
  };
}

/**
 * Processes the waiting items of a job, at most four at a time. Stops early if the signal is
 * aborted, or if an error affects all items.
 * @returns whether no waiting items are left
 */
export async function runJob(
  job: BulkJob,
  changed: () => void,
  {
    signal,
    perform = performAction,
  }: { signal?: AbortSignal; perform?: typeof performAction } = {},
): Promise<boolean> {
  const waiting = job.items.filter(({ state }) => state === 'waiting');
  let isStopped = false;
  const work = async () => {
    for (;;) {
      if (isStopped || signal?.aborted === true) return;
      const item = waiting.shift();
      if (item === undefined) return;
      try {
        const { id, key, revision } = item;
        await perform({ id, action: job.action, key, revision });
        item.state = 'done';
      } catch (error) {
        const { code, status } = error instanceof ApiError ? error : new ApiError(0, '');
        if (ofAll.has(code) || status === 401) {
          isStopped = true;
        } else {
          item.state = 'failed';
          // The reason says what the colleague did: a retry is a decision that knows of it.
          if (code === 'case-changed') item.revision = undefined;
          item.problem = sentenceOf(error);
        }
      }
      changed();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return job.items.every(({ state }) => state !== 'waiting');
}

/** Resets the failed items to waiting, with their original keys. */
export function retryFailed(job: BulkJob): void {
  for (const item of job.items) {
    if (item.state !== 'failed') continue;
    item.state = 'waiting';
    delete item.problem;
  }
}

/** Stores a job for this tab, so that it can continue with the same keys after a reload. */
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
