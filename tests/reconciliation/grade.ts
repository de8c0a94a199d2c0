import type { TrueOrder } from './history.ts';

/** An exception as it was found. `name` is the order, or the lender's reference of a funding of none. */
export interface Found {
  name: string;
  currency: string;
  code: string;
  amount: number;
}

export interface Grade {
  /** Share of right ones in the findings, and share of the planted ones that were found. */
  precision: number;
  recall: number;
  planted: number;
  /** Found, and not so; so, and not found: the first of each. */
  wrong: string[];
  missed: string[];
}

const SHOWN = 20;

/** Compares findings with the truth: order, code and amount have to be the same. */
export async function grade(
  truth: AsyncIterable<TrueOrder>,
  found: AsyncIterable<Found> | Iterable<Found>,
): Promise<Grade> {
  const open = new Map<string, string>();
  for await (const { merchantOrderId, lenderReferenceId, currency, kind, exceptions } of truth) {
    const name = merchantOrderId ?? `reference ${lenderReferenceId ?? ''}`;
    for (const { code, amount } of exceptions) {
      // The side that is too small or too large is another question than how much it is.
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
