import type { TrueOrder } from './history.ts';

/**
 * A found exception. `name` is the order, or the lender's reference of a funding without an order.
 */
export interface Found {
  name: string;
  currency: string;
  code: string;
  amount: number;
}

export interface Grade {
  /** Share of correct findings, and share of planted exceptions that were found. */
  precision: number;
  recall: number;
  planted: number;
  /** First wrong and first missed exceptions. */
  wrong: string[];
  missed: string[];
}

const SHOWN = 20;

/** Compares findings with the truth by order, code and amount. */
export async function grade(
  truth: AsyncIterable<TrueOrder>,
  found: AsyncIterable<Found> | Iterable<Found>,
): Promise<Grade> {
  const open = new Map<string, string>();
  for await (const { merchantOrderId, lenderReferenceId, currency, kind, exceptions } of truth) {
    const name = merchantOrderId ?? `reference ${lenderReferenceId ?? ''}`;
    for (const { code, amount } of exceptions) {
      // Compares sizes only: the direction of a difference is not graded.
      open.set(`${name} ${currency} ${code} ${Math.abs(amount)}`, kind);
    }
  }
  const planted = open.size;
  const wrong: string[] = [];
  let right = 0;
  let count = 0;
  for await (const { name, currency, code, amount } of found) {
    count += 1;
    const key = `${name} ${currency} ${code} ${Math.abs(amount)}`;
    if (open.delete(key)) right += 1;
    else if (wrong.length < SHOWN) wrong.push(key);
  }
  return {
    precision: count === 0 ? 0 : right / count,
    recall: planted === 0 ? 0 : right / planted,
    planted,
    wrong,
    missed: [...open].slice(0, SHOWN).map(([key, kind]) => `${key} (${kind})`),
  };
}
