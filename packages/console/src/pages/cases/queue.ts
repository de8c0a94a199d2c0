import type { CaseRecord } from '@financing-checkout/contract/reconciliation';
import { get } from '../../api/client.ts';
import { entryKey } from '../../parts/navigation.ts';
import { queryOf } from './filters.ts';

/** The queue as the user left it, so that a case page knows the next case. */
export interface Queue {
  /** The query in its URL: filters and order. */
  search: string;
  /** The loaded cases, in order. */
  ids: readonly string[];
  /** Cursor for the cases that are not loaded. */
  next?: string | undefined;
  /** The cases that were taken out of the order of the list: see {@link bringForward}. */
  forward?: readonly string[];
}

/** A case's place in the queue. */
export interface QueuePlace {
  search: string;
  /** Starts at 1. */
  position: number;
  /** Number of loaded cases. */
  count: number;
  hasMore: boolean;
  previous: string | undefined;
  next: string | undefined;
}

const STORED = 'financing-console-queue';

/** Stores the queue for this tab. */
export function keepQueue(queue: Queue, storage = sessionStorage): void {
  storage.setItem(STORED, JSON.stringify(queue));
}

function keptQueue(storage: Storage): Queue | undefined {
  const text = storage.getItem(STORED);
  return text === null ? undefined : (JSON.parse(text) as Queue);
}

let left: { id: string; entry: string } | undefined;

/** Remembers the case whose page the user leaves, for the next page. */
export function leaveCase(id: string): void {
  left = { id, entry: entryKey() };
}

/**
 * Returns the case that the user came from, then the other cases of the queue, nearest first, in
 * case it has left the queue. Empty if the user came from another page.
 */
export function casesToReturnTo(storage = sessionStorage): readonly string[] {
  const from = left;
  left = undefined;
  if (from?.entry !== entryKey()) return [];
  const ids = keptQueue(storage)?.ids ?? [];
  const index = ids.indexOf(from.id);
  return index < 0 ? [from.id] : [...ids.slice(index), ...ids.slice(0, index).reverse()];
}

/**
 * Returns a case's place in the queue, loading more of the queue after its last loaded case.
 * Undefined if the user did not come from a queue with this case.
 * @throws {ApiError}
 */
export async function placeOf(
  id: string,
  signal: AbortSignal,
  storage = sessionStorage,
): Promise<QueuePlace | undefined> {
  let queue = keptQueue(storage);
  const index = queue?.ids.indexOf(id) ?? -1;
  if (queue === undefined || index < 0) return undefined;
  if (index === queue.ids.length - 1 && queue.next !== undefined) {
    queue = await extended(queue, queue.next, signal);
    keepQueue(queue, storage);
  }
  const { ids, next, search } = queue;
  return {
    search,
    position: index + 1,
    count: ids.length,
    hasMore: next !== undefined,
    previous: ids[index - 1],
    next: ids[index + 1],
  };
}

/** Returns the list's query, with the queue's order and filters. */
export function queueQuery(storage = sessionStorage): string {
  const search = new URLSearchParams(keptQueue(storage)?.search);
  const query = Object.entries(queryOf(Object.fromEntries(search))).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return new URLSearchParams(query).toString();
}

/**
 * Puts the other cases of an order behind one of its cases in the queue, which goes on after them. None
 * moves if the person did not come from a queue with the case.
 */
export function bringForward(
  id: string,
  others: readonly string[],
  storage = sessionStorage,
): void {
  const queue = keptQueue(storage);
  if (queue?.ids.includes(id) !== true || others.length === 0) return;
  const rest = queue.ids.filter((one) => !others.includes(one));
  const ids = rest.toSpliced(rest.indexOf(id) + 1, 0, ...others);
  keepQueue({ ...queue, ids, forward: [...(queue.forward ?? []), ...others] }, storage);
}

/**
 * Returns the place of a case, followed by the case that is next in the list now. A case that was
 * brought forward has another place in the list, and is followed by the next one of the queue.
 */
export function placeBefore(
  place: QueuePlace | undefined,
  next: string | undefined,
  storage = sessionStorage,
): QueuePlace | undefined {
  const queue = keptQueue(storage);
  if (place === undefined || queue === undefined || next === undefined) return place;
  const isForward = queue.forward?.includes(queue.ids[place.position - 1] ?? '') === true;
  if (isForward && place.next !== undefined) return place;
  if (!queue.ids.includes(next)) {
    keepQueue({ ...queue, ids: queue.ids.toSpliced(place.position, 0, next) }, storage);
  }
  return { ...place, next };
}

/** Reads all cases that match a query, up to `most`. @throws {ApiError} */
export async function readCases(
  query: Record<string, string | undefined>,
  most: number,
): Promise<readonly CaseRecord[]> {
  const found: CaseRecord[] = [];
  let after: string | undefined;
  do {
    const limit = String(Math.min(1_000, most - found.length));
    const page = await get<CasePage>('/cases', { ...query, limit, after });
    found.push(...page.cases);
    after = page.next;
  } while (after !== undefined && found.length < most);
  return found;
}

interface CasePage {
  cases: CaseRecord[];
  next?: string;
}

async function extended(queue: Queue, after: string, signal: AbortSignal): Promise<Queue> {
  const query = queryOf(Object.fromEntries(new URLSearchParams(queue.search)));
  const { cases, next } = await get<CasePage>('/cases', { ...query, after }, signal);
  const known = new Set(queue.ids);
  // A case that changed between two pages may be on both.
  const added = cases.map(({ id }) => id).filter((id) => !known.has(id));
  return { ...queue, ids: [...queue.ids, ...added], next };
}
