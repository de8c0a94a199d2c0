/**
 * What a call is for. Money comes first; whole reports wait. Looks at refused charges come last: a
 * page decides how many there are.
 */
export type Priority = 'charge' | 'checkout' | 'report' | 'refusal';

const inOrder: readonly Priority[] = ['charge', 'checkout', 'report', 'refusal'];

/**
 * Returns the priority of a call that states none: charges, and the look-ups of their outcome,
 * before everything else.
 */
export function priorityOf(route: string): Priority {
  if (route.includes('/fundings/')) return 'report';
  return route.includes('/post-sale/') ? 'charge' : 'checkout';
}

interface Waiting {
  resolve: (entry: (() => void) | undefined) => void;
  forget: () => void;
}

/**
 * Bounds how many calls of the service are under way, and how many wait for one to end. Charges go
 * before primes, primes before reports and reports before looks at refused charges. Reports never hold
 * more than a quarter of the places, nor do those looks.
 *
 * Written here, against the rule to take a library: p-queue and p-limit order what waits, but their
 * queues have no end, none sends away the least urgent to let money through, and none keeps places
 * free from one kind of work. Bottleneck has the first two and timers, and is not kept any more.
 */
export class Admission {
  readonly #places: number;
  /** The places that reports hold at most, and looks at refused charges. */
  readonly #patientPlaces: number;
  readonly #queue: number;
  readonly #waiting: Record<Priority, Set<Waiting>> = {
    charge: new Set(),
    checkout: new Set(),
    report: new Set(),
    refusal: new Set(),
  };
  readonly #underWay: Record<Priority, number> = { charge: 0, checkout: 0, report: 0, refusal: 0 };

  /** @param places calls at a time @param queue calls that may wait */
  constructor(places: number, queue: number) {
    this.#places = places;
    this.#patientPlaces = Math.max(1, Math.floor(places / 4));
    this.#queue = queue;
  }

  get underWay(): number {
    return inOrder.reduce((sum, priority) => sum + this.#underWay[priority], 0);
  }

  get waiting(): number {
    return inOrder.reduce((sum, priority) => sum + this.#waiting[priority].size, 0);
  }

  /**
   * Waits for a place. The answer gives it back; undefined when there is no room to wait, when
   * something more urgent took that room, or when the signal ended the wait.
   */
  enter(priority: Priority, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (this.#hasPlace(priority)) return Promise.resolve(this.#take(priority));
    if (this.waiting >= this.#queue && !this.#makeRoom(priority)) return Promise.resolve(undefined);
    const queue = this.#waiting[priority];
    return new Promise((resolve) => {
      const end = () => {
        queue.delete(waiting);
        resolve(undefined);
      };
      const waiting: Waiting = {
        resolve,
        forget: () => {
          queue.delete(waiting);
          signal.removeEventListener('abort', end);
        },
      };
      queue.add(waiting);
      signal.addEventListener('abort', end, { once: true });
    });
  }

  #hasPlace(priority: Priority): boolean {
    if (this.underWay >= this.#places) return false;
    const isPatient = priority === 'report' || priority === 'refusal';
    return !isPatient || this.#underWay[priority] < this.#patientPlaces;
  }

  #take(priority: Priority): () => void {
    this.#underWay[priority]++;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#underWay[priority]--;
      this.#admitNext();
    };
  }

  #admitNext(): void {
    for (const priority of inOrder) {
      const [first] = this.#waiting[priority];
      if (first && this.#hasPlace(priority)) {
        first.forget();
        first.resolve(this.#take(priority));
        return;
      }
    }
  }

  /** Sends away the one who came last among the least urgent, if that is less urgent. */
  #makeRoom(priority: Priority): boolean {
    for (const other of inOrder.slice(inOrder.indexOf(priority) + 1).reverse()) {
      const last = Array.from(this.#waiting[other]).at(-1);
      if (last) {
        last.forget();
        last.resolve(undefined);
        return true;
      }
    }
    return false;
  }
}
