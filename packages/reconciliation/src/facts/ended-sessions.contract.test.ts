import { describe, expect, test } from 'vitest';
import { databases, MINUTE_MS, NOW } from './facts.fixture.ts';

const DAY_MS = 1_440 * MINUTE_MS;

describe.each(databases)('ended sessions on %s', (_, make) => {
  test('are ended in every process, even after a restart', async () => {
    const { open } = await make();
    const [one, standby] = [await open(), await open()];
    expect(await standby.isSessionEnded('session-1')).toBe(false);
    await one.endSession('session-1', NOW + MINUTE_MS, NOW);
    expect(await standby.isSessionEnded('session-1')).toBe(true);
    expect(await (await open()).isSessionEnded('session-1')).toBe(true);
    expect(await standby.isSessionEnded('session-2')).toBe(false);
  });

  test('can be ended by several processes concurrently', async () => {
    const { open } = await make();
    const stores = [await open(), await open()];
    await Promise.all(stores.map((facts) => facts.endSession('session-1', NOW + MINUTE_MS, NOW)));
    expect(await stores[0]?.isSessionEnded('session-1')).toBe(true);
  });

  test('are forgotten a day after they would have expired', async () => {
    const { open } = await make();
    const facts = await open();
    const end = NOW + MINUTE_MS;
    await facts.endSession('session-1', end, NOW);
    await facts.endSession('session-2', end + 2 * DAY_MS, end + DAY_MS - 1);
    expect(await facts.isSessionEnded('session-1')).toBe(true);
    await facts.endSession('session-3', end + 2 * DAY_MS, end + DAY_MS + 1);
    expect(await facts.isSessionEnded('session-1')).toBe(false);
    expect(await facts.isSessionEnded('session-2')).toBe(true);
  });
});
