/**
 * The purpose of a call. Money comes first; whole reports wait. Look-ups of refused charges come last
 * because a page decides how many there are.
 */
export type Priority = 'charge' | 'checkout' | 'report' | 'refusal';

const priorities: readonly Priority[] = ['charge', 'checkout', 'report', 'refusal'];

/** Returns the default priority of a call: charges and look-ups of their outcome come first. */
export function priorityOf(route: string): Priority {
  if (route.includes('/fundings/')) return 'report';
  return route.includes('/post-sale/') ? 'charge' : 'checkout';
}

interface Waiter {
  admit: (leave: () => void) => void;
  turnAway: () => void;
}

/**
 * Limits the calls in flight and the calls that wait for one of them to end. Charges go before primes,
 * primes before reports, and reports before look-ups of refused charges. Reports use at most a quarter
 * of the places, and so do those look-ups.
 *
 * This is not a library: the queues of p-queue and p-limit are unbounded, neither turns away the least
 * urgent call to let money through, and neither reserves places. Bottleneck has the first two but
 * brings timers and is unmaintained.
 */
export class Admission {
  readonly #places: number;
  /** Maximum number of reports in flight, and of look-ups of refused charges. */
  readonly #lowPriorityPlaces: number;
  readonly #queue: number;
  readonly #waiting: Record<Priority, Set<Waiter>> = {
    charge: new Set(),
    checkout: new Set(),
    report: new Set(),
    refusal: new Set(),
  };
  readonly #inFlight: Record<Priority, number> = { charge: 0, checkout: 0, report: 0, refusal: 0 };

  /** @param places maximum number of calls in flight @param queue maximum number of waiting calls */
  constructor(places: number, queue: number) {
    this.#places = places;
    this.#lowPriorityPlaces = Math.max(1, Math.floor(places / 4));
    this.#queue = queue;
  }

  get inFlight(): number {
    return priorities.reduce((sum, priority) => sum + this.#inFlight[priority], 0);
  }

  get waiting(): number {
    return priorities.reduce((sum, priority) => sum + this.#waiting[priority].size, 0);
  }

  /**
   * Waits for a place.
   * @returns a function that frees the place; undefined when the queue is full, a more urgent call
   * took the queued position, or the signal ended the wait
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
    const isLow = priority === 'report' || priority === 'refusal';
    return !isLow || this.#inFlight[priority] < this.#lowPriorityPlaces;
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

  /** Turns away the newest of the least urgent waiting calls if it is less urgent than `priority`. */
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
