/* The promotions of `npm run bench:failover` that lose commits. */
import { expect, test } from 'vitest';
import { runLosses } from '../../bench/failover/losses.ts';
import { patienceMs } from '../../vitest.shared.ts';

test('names what an asynchronous standby has lost, and charges no order a second time', async () => {
  const log: string[] = [];
  const result = await runLosses({
    promotions: 2,
    seed: 22,
    patienceMs,
    say: (line) => log.push(line),
  });
  expect(result, log.join('\n')).toEqual({ lost: 5, undetected: [], doubled: [] });
});
