import {
  type Fence,
  type FundingDay,
  LeaseLostError,
  type LedgerImportFact,
  type SupersededContent,
  type SyncRun,
} from '../facts/store.ts';
import type { FactStore } from '../facts/store.ts';
import type { SyncFacts } from './day-work.ts';

/** An in-memory record store, limited to what a sync and the analytics database need. */
export interface MemoryFacts
  extends SyncFacts, Pick<FactStore, 'id' | 'head' | 'superseded' | 'writeImports'> {
  /** Takes the lease away from its holder. */
  take(holder: string): Fence;
  /** Called before a day is written; may throw. */
  beforeDay: ((day: Omit<FundingDay, 'number'>) => void | Promise<void>) | undefined;
  /** Returns a copy of the store, as a restored backup would be. */
  copy(): MemoryFacts;
}

interface State {
  number: number;
  fence: Fence;
  days: Map<string, FundingDay>;
  contents: Map<string, Uint8Array>;
  superseded: SupersededContent[];
  runs: Map<string, SyncRun>;
  imports: { fact: LedgerImportFact; content: Uint8Array }[];
}

export function memoryFacts(
  id = 'store-1',
  state: State = {
    number: 0,
    fence: { holder: 'one', number: 1 },
    days: new Map(),
    contents: new Map(),
    superseded: [],
    runs: new Map(),
    imports: [],
  },
): MemoryFacts {
  const next = (fence: Fence) => {
    if (fence.number !== state.fence.number || fence.holder !== state.fence.holder) {
      throw new LeaseLostError('The lease was taken.');
    }
    return ++state.number;
  };
  const byNumber = (one: { number: number }, other: { number: number }) =>
    one.number - other.number;
  const facts: MemoryFacts = {
    id,
    beforeDay: undefined,
    head: () => Promise.resolve(state.number),
    take(holder) {
      state.fence = { holder, number: state.fence.number + 1 };
      return state.fence;
    },
    copy: () => memoryFacts(id, structuredClone(state)),
    days: (from = '', to = '9999-12-31') =>
      Promise.resolve(
        [...state.days.values()]
          .filter(({ day }) => day >= from && day <= to)
          .sort((one, other) => (one.day < other.day ? -1 : 1)),
      ),
    daysAfter: (number, limit) =>
      Promise.resolve(
        [...state.days.values()]
          .filter((day) => day.number > number)
          .sort(byNumber)
          .slice(0, limit),
      ),
    content: (day) => Promise.resolve(state.contents.get(day)),
    async writeDay(fence, day, change, run) {
      await facts.beforeDay?.(day);
      const number = next(fence);
      state.days.set(day.day, { ...day, number });
      if (change) state.contents.set(day.day, change.content);
      if (change?.superseded) {
        const replacedAt = day.provenAt ?? 0;
        state.superseded.push({ day: day.day, number, replacedAt, ...change.superseded });
      }
      if (run) state.runs.set(run.id, { ...run });
      return number;
    },
    superseded: (day) => Promise.resolve(state.superseded.filter((one) => one.day === day)),
    writeSync: (fence, run) =>
      Promise.resolve().then(() => {
        next(fence);
        state.runs.set(run.id, { ...run });
      }),
    syncs: (limit) => Promise.resolve([...state.runs.values()].reverse().slice(0, limit)),
    writeImports(fence, imports) {
      for (const { fact, content } of imports) {
        state.imports.push({ fact: { ...fact, number: next(fence) }, content });
      }
      return Promise.resolve(state.imports.at(-1)?.fact.number ?? 0);
    },
    importsAfter: (number, limit) =>
      Promise.resolve(
        state.imports
          .map(({ fact }) => fact)
          .filter((fact) => fact.number > number)
          .slice(0, limit),
      ),
    importContent: (of) =>
      Promise.resolve(
        state.imports.find(({ fact }) => fact.id === of)?.content ?? new Uint8Array(),
      ),
  };
  return facts;
}
