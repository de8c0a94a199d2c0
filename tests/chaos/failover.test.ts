/* A smaller run of `npm run bench:failover`. */
import { expect, test } from 'vitest';
import { runFailover } from '../../bench/failover/run.ts';
import { patienceMs } from '../../vitest.shared.ts';

test('two companions and reconciliation move to the promoted standby, and no order is lost or charged twice', async () => {
  const log: string[] = [];
  const result = await runFailover({
    promotions: 1,
    companions: 2,
    rate: 5,
    shoppers: 2,
    loadMs: 500,
    seed: 21,
    patienceMs,
    say: (line) => log.push(line),
  });
  const agreed = { lost: [], doubled: [], stuck: [], promotions: 1, writesToFormer: 0 };
  expect(result, log.join('\n')).toMatchObject(agreed);
  expect(result.orders).toBeGreaterThan(0);
});
