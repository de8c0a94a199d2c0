import { ApiError, newKey } from '../../api/client.ts';
import { sentenceOf } from '../../parts/states.ts';
import { type CaseAction, performAction } from './action.ts';

/** One case of an action in bulk. Its key stays the same for each repeat. */
interface BulkItem {
  id: string;
  /** How the person recognizes it. */
  name: string;
  key: string;
  state: 'waiting' | 'done' | 'failed';
  /** Why it failed: the sentence of the API. */
  problem?: string;
}

/** One action on many cases. */
export interface BulkJob {
  /** Name of the session that began it; no other one continues it. */
  person: string;
  action: CaseAction;
  items: BulkItem[];
}

const AT_ONCE = 4;
const STORED = 'financing-console-bulk';
/** Problems that concern every case: the rest waits until the person continues. */
const ofAll = new Set(['offline', 'session-ended', 'standby', 'token-not-permitted']);

export function newJob(
  person: string,
  action: CaseAction,
  cases: readonly { id: string; name: string }[],
): BulkJob {
  return {
    person,
    action,
    items: cases.map(({ id, name }) => ({ id, name, key: newKey(), state: 'waiting' })),
  };
}

/**
 * Performs the waiting items of a job, at most four at once. Stops early where the signal is
 * aborted, or where a problem concerns all of them.
 * @returns whether no item waits any more
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
        await perform(item.id, job.action, item.key);
        item.state = 'done';
      } catch (error) {
        const { code, status } = error instanceof ApiError ? error : new ApiError(0, '');
        if (ofAll.has(code) || status === 401) {
          isStopped = true;
        } else {
          item.state = 'failed';
          item.problem = sentenceOf(error);
        }
      }
      changed();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return job.items.every(({ state }) => state !== 'waiting');
}

/** Lets the failed items wait again, with their former keys. */
export function retryFailed(job: BulkJob): void {
  for (const item of job.items) {
    if (item.state !== 'failed') continue;
    item.state = 'waiting';
    delete item.problem;
  }
}

/** Keeps a job for this tab, so that a reload continues it with the same keys. */
export function keepJob(job: BulkJob | undefined, storage = sessionStorage): void {
  if (job === undefined) storage.removeItem(STORED);
  else storage.setItem(STORED, JSON.stringify(job));
}

/** Returns the kept job of a person. */
export function keptJob(person: string, storage = sessionStorage): BulkJob | undefined {
  const text = storage.getItem(STORED);
  if (text === null) return undefined;
  const job = JSON.parse(text) as BulkJob;
  return job.person === person ? job : undefined;
}
