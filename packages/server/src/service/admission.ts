import { priorities, type Priority } from '../platform/priority.ts';

interface Waiter {
  admit: (leave: () => void) => void;
  turnAway: () => void;
}

/** Priorities that share a quarter of the slots. The other priorities may use all slots. */
const quarters: readonly (readonly Priority[])[] = [
  ['report'],
  // A page controls the number of these calls.
  ['refusal', 'page'],
];

/**
 * Limits the number of calls in flight and the number of queued calls. The most urgent queued call
 * goes first. Reports use at most a quarter of the slots, and calls whose number a page controls
 * use at most another quarter in total, so half of the slots are left for purchases.
 *
 * No library is used: the queues of p-queue and p-limit are unbounded, neither rejects the least
 * urgent call in favor of a money movement, and neither reserves slots. Bottleneck has the first
 * two features but uses its own timers and is unmaintained.
 */
export class Admission {
  readonly #places: number;
  /** Maximum number of calls in flight for each of the {@link quarters}. */
  readonly #quarter: number;
  readonly #queue: number;
  readonly #waiting: Record<Priority, Set<Waiter>> = {
    charge: new Set(),
    checkout: new Set(),
    report: new Set(),
    refusal: new Set(),
    page: new Set(),
  };
  readonly #inFlight: Record<Priority, number> = {
    charge: 0,
    checkout: 0,
    report: 0,
    refusal: 0,
    page: 0,
  };

  /** @param places maximum number of calls in flight @param queue maximum number of queued calls */
  constructor(places: number, queue: number) {
    this.#places = places;
    this.#quarter = Math.max(1, Math.floor(places / 4));
    this.#queue = queue;
  }

  get inFlight(): number {
    return this.#inFlightOf(priorities);
  }

  get waiting(): number {
    return priorities.reduce((sum, priority) => sum + this.#waiting[priority].size, 0);
  }

  /**
   * Waits for a slot.
   * @returns a function that releases the slot; undefined when the queue is full, a more urgent
   * call took the place in the queue, or the signal aborted the wait
   */
  enter(priority: Priority, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (this.#hasPlace(priority)) return Promise.resolve(this.#take(priority));
    if (this.waiting >= this.#queue && !this.#makeRoom(priority)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const end = (leave: (() => void) | undefined) => {
        this.#waiting[priority].delete(waiter);
        signal.removeEventListener('abort', waiter.turnAway);
        resolve(leave);
      };
      const waiter: Waiter = { admit: end, turnAway: () => end(undefined) };
      this.#waiting[priority].add(waiter);
      signal.addEventListener('abort', waiter.turnAway, { once: true });
    });
  }

  #hasPlace(priority: Priority): boolean {
    if (this.inFlight >= this.#places) return false;
    const sharing = quarters.find((each) => each.includes(priority));
    return sharing === undefined || this.#inFlightOf(sharing) < this.#quarter;
  }

  #inFlightOf(some: readonly Priority[]): number {
    return some.reduce((sum, priority) => sum + this.#inFlight[priority], 0);
  }

  #take(priority: Priority): () => void {
    this.#inFlight[priority]++;
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      this.#inFlight[priority]--;
      this.#admitNext();
    };
  }

  #admitNext(): void {
    for (const priority of priorities) {
      const [first] = this.#waiting[priority];
      if (first && this.#hasPlace(priority)) {
        first.admit(this.#take(priority));
        return;
      }
    }
  }

  /** Rejects the newest of the least urgent queued calls if it is less urgent than `priority`. */
  #makeRoom(priority: Priority): boolean {
    const lessUrgent = priorities.slice(priorities.indexOf(priority) + 1).reverse();
    for (const other of lessUrgent) {
      const last = Array.from(this.#waiting[other]).at(-1);
      if (last) {
        last.turnAway();
        return true;
      }
    }
    return false;
  }
}
