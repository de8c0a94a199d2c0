import { exceptionCodes, type ExceptionCode } from '@financing-checkout/contract/plain';
import type { OrderException } from '../order/lines.ts';
import type { Posting } from '../order/posting.ts';

/** Collects exceptions: one per code, with the sum of its lines. */
export class Findings {
  readonly #found = new Map<ExceptionCode, OrderException>();

  /** @param since milliseconds since 1970; the earliest wins */
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

  /** Adds an exception about one funding, dated when it was posted. */
  addPosting(code: ExceptionCode, amount: number, { funding }: Posting): void {
    this.add(code, amount, 1, funding.fundedAt);
  }

  /** Returns all exceptions, gravest first. */
  all(): OrderException[] {
    if (this.#found.size === 0) return [];
    return exceptionCodes.flatMap((code) => this.#found.get(code) ?? []);
  }
}
