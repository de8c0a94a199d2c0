import type { Clock } from '../clock/clock.ts';
import { type Fence, type FundingBooks, LeaseLostError } from './books.ts';

/** A lease while somebody works under it: extended again and again, until it is given back. */
export class HeldLease {
  readonly fence: Fence;
  readonly #books: FundingBooks;
  readonly #clock: Clock;
  readonly #ms: number;
  #cancel: () => void = () => undefined;
  #lost = false;
  #ended = false;

  private constructor(books: FundingBooks, fence: Fence, clock: Clock, ms: number) {
    this.#books = books;
    this.fence = fence;
    this.#clock = clock;
    this.#ms = ms;
    this.#schedule();
  }

  /** Undefined while another one holds it. @param ms how long it is held without a word */
  static async take(
    books: FundingBooks,
    fence: Fence,
    clock: Clock,
    ms: number,
  ): Promise<HeldLease | undefined> {
    const now = clock.now();
    if (!(await books.takeLease(fence, now, now + ms))) return undefined;
    return HeldLease.taken(books, fence, clock, ms);
  }

  /** One that was taken just now. */
  static taken(books: FundingBooks, fence: Fence, clock: Clock, ms: number): HeldLease {
    return new HeldLease(books, fence, clock, ms);
  }

  /** @throws {LeaseLostError} when another one has taken it */
  check(): void {
    if (this.#lost) throw new LeaseLostError('The lease was taken.');
  }

  async release(): Promise<void> {
    this.#ended = true;
    this.#cancel();
    if (this.#lost) return;
    try {
      await this.#books.releaseLease(this.fence);
    } catch {
      // The database is away: the lease runs out by itself, and what was done under it is done.
    }
  }

  #schedule(): void {
    this.#cancel = this.#clock.after(this.#ms / 3, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    try {
      const held = await this.#books.renewLease(this.fence, this.#clock.now() + this.#ms);
      if (!held && !this.#ended) this.#lost = true;
    } catch {
      // The database is away: the next write will say so, and the next turn may find it again.
    }
    if (!this.#lost && !this.#ended) this.#schedule();
  }
}
