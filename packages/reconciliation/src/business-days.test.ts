import { expect, test } from 'vitest';
import { commandsOf } from './cli/cli.fixture.ts';
import { settle, startCompanion } from './companion/companion.fixture.ts';
import { configure, run } from './program.fixture.ts';
import { systemClock } from './platform/clock.ts';

const ZONE = 'America/New_York';

test('shows the days and times of orders in the business zone, and names it', async () => {
  const shop = await startCompanion();
  // 23:30 of the last day of October; the next day has 25 hours.
  shop.entries.push({ ...settle(1, 'A-1', 30_000), occurredAt: '2026-11-01T03:30:00.000Z' });
  const clock = { ...systemClock, now: () => Date.parse('2026-11-10T04:30:00.000Z') };
  const program = await run(configure(shop, { RECONCILIATION_ZONE: ZONE }), { clock });
  await program.sync({ from: '2026-10-30', to: '2026-11-09' });
  const { run: command } = commandsOf(program);

  const explained = (await command('explain', 'A-1')).out;
  expect(explained).toContain(`WHEN (${ZONE})`);
  expect(explained).toMatch(/^2026-10-31 23:30 +ledger +Settle/m);
  expect((await command('exceptions')).out).toContain(`SINCE (${ZONE})`);
});

test('refuses a sync from a day that is too early in the business zone', async () => {
  const shop = await startCompanion();
  const clock = { ...systemClock, now: () => Date.parse('2026-11-02T04:30:00.000Z') };
  const program = await run(configure(shop, { RECONCILIATION_ZONE: ZONE }), { clock });
  const answer = await program.post('/syncs', { from: '2000-01-01', to: '2000-01-02' });
  expect(answer.status).toBe(400);
  // 4,000 days before 1 November 2026, which still lasts.
  expect(await answer.text()).toContain('must be 2015-11-19 or later');
});
