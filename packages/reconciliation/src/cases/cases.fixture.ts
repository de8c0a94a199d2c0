import type { CaseException, JudgedOrder } from '@financing-checkout/reconciliation-rules';
import type { CaseFact } from '../facts/case-facts.ts';
import { take, type TestFacts } from '../facts/facts.fixture.ts';
import type { FactStore } from '../facts/store.ts';
import { TestClock } from '@financing-checkout/kit/testing';
import { silentLogger } from '../platform/log.ts';
import type { ExceptionSource, SourceState } from './exception-source.ts';
import { followExceptions } from './follow.ts';
import { verifyTrail } from './trail.ts';

export const DAY_MS = 86_400_000;

export function exception(change: Partial<CaseException> = {}): CaseException {
  return {
    orderKey: 'order:A-1001',
    currency: 'USD',
    code: 'AMOUNT_MISMATCH',
    amount: -1_500,
    count: 1,
    since: Date.UTC(2026, 10, 18),
    contentHash: 'content-1',
    ...change,
  };
}

const keyOf = ({ orderKey, currency, code }: CaseException) =>
  JSON.stringify([orderKey, currency, code]);

/** In-memory exceptions, compared with a mirror of the cases as in the analytics database. */
export class TestExceptions implements ExceptionSource {
  exceptions: CaseException[] = [];
  current: SourceState = 'complete';
  readonly dirty = new Set<string>();
  /** Orders with a quarantined record, or with lines but no status. */
  readonly partial = new Set<string>();
  /** Money at stake by case ID, where it is less than the amount. */
  readonly atStake = new Map<string, number>();
  /** Orders with a guessed currency. */
  readonly assumed = new Set<string>();
  readonly #facts: FactStore;
  readonly #mirror = new Map<string, CaseFact>();
  #applied = 0;

  constructor(facts: FactStore) {
    this.#facts = facts;
  }

  state(): Promise<SourceState> {
    return Promise.resolve(this.current);
  }

  async *changedOrders(): AsyncGenerator<string[]> {
    for (;;) {
      const page = await this.#facts.casesAfter(this.#applied, 100);
      for (const row of page) this.#mirror.set(row.id, row);
      this.#applied = page.at(-1)?.number ?? this.#applied;
      if (page.length === 0) break;
    }
    const cases = [...this.#mirror.values()];
    const known = new Map(cases.map((row) => [keyOf(row), row]));
    const there = new Set(this.exceptions.map(keyOf));
    const changed = this.exceptions.filter((row) => {
      const found = known.get(keyOf(row));
      return (
        found?.contentHash !== row.contentHash ||
        found.state === 'closed' ||
        found.amount !== row.amount ||
        found.count !== row.count
      );
    });
    const gone = cases.filter((row) => row.state !== 'closed' && !there.has(keyOf(row)));
    const orderKeys = new Set([...changed, ...gone].map(({ orderKey }) => orderKey));
    if (orderKeys.size > 0) yield [...orderKeys].sort();
  }

  stakes(caseIds: readonly string[]): Promise<Map<string, number>> {
    const own = caseIds.flatMap((id) => {
      const stake = this.atStake.get(id);
      return stake === undefined ? [] : [[id, stake] as const];
    });
    return Promise.resolve(new Map(own));
  }

  judged(orderKeys: readonly string[]): Promise<JudgedOrder[]> {
    return Promise.resolve(
      orderKeys
        .filter((orderKey) => !this.dirty.has(orderKey))
        .map((orderKey) => ({
          orderKey,
          exceptions: this.exceptions.filter((row) => row.orderKey === orderKey),
          isWhole: !this.partial.has(orderKey),
          currencyAssumed: this.assumed.has(orderKey),
        })),
    );
  }
}

/** Opens cases in a new record store. */
export async function openCases(store: TestFacts) {
  const facts = await store.open();
  const clock = new TestClock();
  const source = new TestExceptions(facts);
  const ctx = { facts, fence: await take(facts), clock, logger: silentLogger };
  const find = () => facts.findCases({ limit: 1_000 });
  const follow = () => followExceptions(ctx, source);
  return {
    ...store,
    facts,
    clock,
    source,
    ctx,
    find,
    follow,
    events: () => facts.trailEvents({ after: 0, limit: 10_000 }),
    kinds: async () =>
      (await facts.trailEvents({ after: 0, limit: 1_000 })).map(({ kind }) => kind),
    verify: () => verifyTrail({ facts, environment: 'sandbox' }),
    /** Runs a pass for one exception and returns its case. */
    async openCase(change: Partial<CaseException> = {}) {
      source.exceptions.push(exception(change));
      await follow();
      const [row] = await find();
      if (row === undefined) throw new Error('No case was opened.');
      return row;
    },
  };
}

export type Cases = Awaited<ReturnType<typeof openCases>>;
