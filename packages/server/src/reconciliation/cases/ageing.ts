import { ageBuckets, type ageingSchema, moneyBuckets } from '@financing-checkout/contract';
import type { z } from 'zod';
import { isoTime } from '../../clock/clock.ts';
import { compareTexts } from '../../compare-texts.ts';
import { turn } from '../answers/orders.ts';
import { majorUnit } from '../answers/reasons.ts';
import { added } from '../answers/sum.ts';
import type { CaseStore } from './store.ts';

type Ageing = z.infer<typeof ageingSchema>;
type Cell = Ageing['cells'][number];

const DAY_MS = 86_400_000;
const PAGE_SIZE = 1_000;
/** Where a bucket ends: days, and major units; the last one has no end. */
const DAYS = [1, 3, 7, 30];
const MONEY = [10, 100, 1_000];

/** Open cases by how old they are and how much they are about; of each currency the largest sum first. */
export async function ageingOfCases(
  store: CaseStore,
  environment: string,
  now: number,
): Promise<Ageing> {
  const cells = new Map<string, Cell>();
  let after = '';
  for (;;) {
    const page = await store.findCases({ environment, state: 'open', after, limit: PAGE_SIZE });
    for (const { amount, currency, since } of page) {
      const about = Math.abs(amount);
      const days = bucketOf(ageBuckets, DAYS, (now - since) / DAY_MS);
      const money = bucketOf(moneyBuckets, MONEY, about / majorUnit(currency));
      const key = JSON.stringify([currency, days, money]);
      const cell = cells.get(key) ?? { currency, days, money, count: 0, amount: 0 };
      cell.count += 1;
      cell.amount = added(cell.amount, about);
      cells.set(key, cell);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) break;
    after = last.id;
    await turn();
  }
  return {
    asOf: isoTime(now),
    cells: [...cells.values()].sort(
      (a, b) => compareTexts(a.currency, b.currency) || size(b) - size(a),
    ),
  };
}

/** More than can be told comes first. */
function size({ amount }: Cell): number {
  return amount ?? Number.MAX_VALUE;
}

function bucketOf<Name extends string>(
  names: readonly [...Name[]],
  ends: readonly number[],
  value: number,
): Name {
  const index = ends.findIndex((end) => value < end);
  const name = names[index === -1 ? ends.length : index];
  if (name === undefined) throw new RangeError('There are fewer buckets than ends.');
  return name;
}
