/* The promotions of `npm run bench:failover` that lose commits. */
import { expect, test } from 'vitest';
import { runLosses } from '../../bench/failover/losses.ts';

test('names what an asynchronous standby has lost, and charges no order a second time', async () => {
  const log: string[] = [];
  const result = await runLosses({
    promotions: 2,
    seed: 22,
    patienceMs: 60_000,
    say: (line) => log.push(line),
  });
  expect(result, log.join('\n')).toEqual({ lost: 5, undetected: [], doubled: [] });
});
