import { expect, test } from 'vitest';
import { chargeIdempotencies, runChaos } from '../../bench/chaos/run.ts';

// A smaller run of `npm run bench:chaos`, from a seed of its own.
const small = { checkouts: 24, kills: 5, shoppers: 12, deadlineMs: 500, patienceMs: 60_000 };
const agreed = { lost: [], doubled: [], stuck: [], kills: small.kills, forgedWebhooks: 0 };

test.each(chargeIdempotencies)(
  'SQLite, a companion that is killed again and again, idempotency %s: every order is charged once, and all books agree',
  async (idempotency) => {
    const said: string[] = [];
    const result = await runChaos({
      ...small,
      idempotency,
      seed: 11,
      store: 'sqlite',
      companions: 1,
      say: (line) => said.push(line),
    });
    expect(result, said.join('\n')).toMatchObject(agreed);
    expect(result.faults).toBeGreaterThan(10);
  },
);

test('PostgreSQL, three companions under load of which one after another is killed: they behave as one', async () => {
  const said: string[] = [];
  const result = await runChaos({
    ...small,
    idempotency: 'token-only',
    seed: 12,
    store: 'postgres',
    companions: 3,
    say: (line) => said.push(line),
  });
  expect(result, said.join('\n')).toMatchObject(agreed);
  expect(result.faults).toBeGreaterThan(10);
});
