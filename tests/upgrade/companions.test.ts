import { expect, test } from 'vitest';
import { runChaos } from '../../bench/chaos/run.ts';
import { older } from './older.ts';

test('charges every order once while this version replaces the one before on one PostgreSQL', async () => {
  const checkouts = 60;
  const log: string[] = [];
  const result = await runChaos({
    checkouts,
    kills: 0,
    seed: 21,
    store: 'postgres',
    companions: 3,
    shoppers: 12,
    deadlineMs: 500,
    idempotency: 'kept',
    patienceMs: 120_000,
    // Each order has up to three events: primed, confirmed, webhook delivered.
    older: { file: older.companion, joinAt: checkouts * 0.5, leaveAt: checkouts * 2 },
    say: (line) => log.push(line),
  });
  const agreed = { lost: [], doubled: [], stuck: [], forgedWebhooks: 0 };
  expect(result, log.join('\n')).toMatchObject(agreed);
  expect(result.faults).toBeGreaterThan(10);
  expect(result.crossed).toBeGreaterThan(5);
});
