import { exceptionCodes, type ExceptionCode } from '@financing-checkout/contract/plain';
import type { OrderException } from '../order/lines.ts';
import type { Posting } from '../order/posting.ts';

interface Found {
  /**
   * Sums of the positive and of the negative differences, both as positive numbers. Kept apart
   * because they may cancel out.
   */
  more: number;
  less: number;
  count: number;
  since: number;
}

/** Codes for line-by-line comparisons: an excess on one line does not offset another's shortfall. */
const comparisons: ReadonlySet<ExceptionCode> = new Set(['AMOUNT_MISMATCH', 'NET_MISMATCH']);

/**
 * Collects exceptions, one per code, with the sum of its lines. For a comparison, it is the sum in
 * the larger direction, because opposite differences would cancel out.
 */
export class Findings {
  readonly #found = new Map<ExceptionCode, Found>();

  /** @param since milliseconds since 1970; the earliest wins */
  add(code: ExceptionCode, amount: number, count: number, since: number): void {
    const more = Math.max(0, amount);
    const less = Math.max(0, 0 - amount);
    const found = this.#found.get(code);
    if (!found) {
      this.#found.set(code, { more, less, count, since });
      return;
    }
    found.more += more;
    found.less += less;
    found.count += count;
    found.since = Math.min(found.since, since);
  }

  /** Adds an exception about one funding, dated by its posting. */
  addPosting(code: ExceptionCode, amount: number, { funding }: Posting): void {
    this.add(code, amount, 1, funding.fundedAt);
  }

  /** Returns all exceptions, most severe first. */
  all(): OrderException[] {
    if (this.#found.size === 0) return [];
    return exceptionCodes.flatMap((code) => {
      const found = this.#found.get(code);
      if (!found) return [];
      const { more, less, count, since } = found;
      const larger = more >= less ? more : 0 - less;
      return { code, amount: comparisons.has(code) ? larger : more - less, count, since };
    });
  }
}
