import { exceptionCodes, type ExceptionCode } from '@financing-checkout/contract/plain';
import type { OrderException } from './lines.ts';
import type { Posting } from './posting.ts';

/** Exceptions as they are found: one of a code, with what all its lines sum to. */
export class Findings {
  readonly #found = new Map<ExceptionCode, OrderException>();

  /** @param since milliseconds since 1970; of several the earliest holds */
  add(code: ExceptionCode, amount: number, count: number, since: number): void {
    const found = this.#found.get(code);
    if (!found) {
      this.#found.set(code, { code, amount, count, since });
      return;
    }
    found.amount += amount;
    found.count += count;
    found.since = Math.min(found.since, since);
  }

  /** About one funding, since it was posted. */
  addPosting(code: ExceptionCode, amount: number, { funding }: Posting): void {
    this.add(code, amount, 1, funding.fundedAt);
  }

  /** Gravest first. */
  all(): OrderException[] {
    if (this.#found.size === 0) return [];
    return exceptionCodes.flatMap((code) => this.#found.get(code) ?? []);
  }
}
