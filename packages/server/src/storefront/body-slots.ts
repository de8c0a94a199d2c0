import type { Clock } from '@financing-checkout/kit';

/**
 * Grace period in milliseconds before a body's transfer rate counts: recovering from a lost packet
 * may take a second.
 */
const GRACE_MS = 2_000;
/**
 * Transfer rate, in bytes per second, below which a body may lose its slot. A phone with a weak
 * signal is faster.
 */
const MIN_RATE = 65_536;

export interface BodySlot {
  count(bytes: number): void;
  /** Marks the body as complete and in processing: it can no longer lose its slot. */
  complete(): void;
  free(): void;
}

interface Holder {
  since: number;
  bytes: number;
  giveWay: () => void;
}

/**
 * Slots for large bodies. While all are taken, another body gets the slot of the slowest body that
 * arrives at less than {@link MIN_RATE}: a client that stops sending must not lock out others.
 */
export class BodySlots {
  readonly #clock: Clock;
  readonly #size: number;
  /** Number of taken slots, including those of bodies in processing. */
  #taken = 0;
  readonly #arriving = new Set<Holder>();

  constructor(size: number, clock: Clock) {
    this.#size = size;
    this.#clock = clock;
  }

  /**
   * @param giveWay aborts the body when another one gets its slot @returns undefined when no slot
   * is free
   */
  take(giveWay: () => void): BodySlot | undefined {
    if (this.#taken >= this.#size && !this.#evictSlowest()) return undefined;
    const holder: Holder = { since: this.#clock.now(), bytes: 0, giveWay };
    let isHeld = true;
    this.#taken++;
    this.#arriving.add(holder);
    const free = () => {
      this.#arriving.delete(holder);
      if (isHeld) this.#taken--;
      isHeld = false;
    };
    holder.giveWay = () => {
      free();
      giveWay();
    };
    return {
      count: (bytes) => void (holder.bytes += bytes),
      complete: () => void this.#arriving.delete(holder),
      free,
    };
  }

  #evictSlowest(): boolean {
    const now = this.#clock.now();
    let slowest: Holder | undefined;
    let lowest = MIN_RATE;
    for (const holder of this.#arriving) {
      const elapsed = now - holder.since;
      if (elapsed < GRACE_MS) continue;
      const rate = (holder.bytes * 1_000) / elapsed;
      if (rate < lowest) [slowest, lowest] = [holder, rate];
    }
    slowest?.giveWay();
    return slowest !== undefined;
  }
}
