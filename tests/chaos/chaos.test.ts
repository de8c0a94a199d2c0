/* Smaller runs of `npm run bench:chaos`. */
import { expect, test } from 'vitest';
import { runChaos } from '../../bench/chaos/run.ts';
import { patienceMs } from '../../vitest.shared.ts';

const kills = 5;

// Each store and each kind of service runs once; the two do not depend on each other.
test.each([
  {
    title: 'SQLite, one companion, a service that keeps its idempotency keys',
    setup: { store: 'sqlite', companions: 1, idempotency: 'kept', seed: 11 },
  },
  {
    title: 'PostgreSQL, three companions, a service that only refuses a used token',
    setup: { store: 'postgres', companions: 3, idempotency: 'token-only', seed: 12 },
  },
] as const)(
  'charges every order once while companions are killed, and all ledgers agree: $title',
  async ({ setup }) => {
    const log: string[] = [];
    const result = await runChaos({
      ...setup,
      checkouts: 24,
      kills,
      shoppers: 12,
      deadlineMs: 500,
      patienceMs,
      say: (line) => log.push(line),
    });
    const agreed = { lost: [], doubled: [], stuck: [], kills, forgedWebhooks: 0 };
    expect(result, log.join('\n')).toMatchObject(agreed);
    expect(result.faults).toBeGreaterThan(10);
  },
);
