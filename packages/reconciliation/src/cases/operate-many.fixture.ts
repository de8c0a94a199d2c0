// A process that resolves all cases in one transaction and stops before the commit, so that a test
// can kill it. Prints "written" after the last statement.
import { systemClock } from '@financing-checkout/kit';
import { openFacts } from '../facts/open.ts';
import type { FactStore, Fence } from '../facts/store.ts';
import { operateOnCases } from './operations.ts';

const [, , url = '', fence = ''] = process.argv;
const own = await openFacts(url);
const facts: FactStore = {
  ...own,
  changeCases: (held, work) =>
    own.changeCases(held, async (cases) => {
      await work(cases);
      process.stdout.write('written\n');
      return new Promise(() => process.stdin.resume());
    }),
};
const all = await facts.findCases({ limit: 1_000 });
const operation = { kind: 'resolved', reason: 'paid' } as const;
const requests = all.map(({ id }) => ({ caseId: id, operation, by: 'Ines' }));
await operateOnCases(
  { facts, fence: JSON.parse(fence) as Fence, clock: systemClock },
  requests,
  'k1',
);
