import type { Forecast, OrderExplanation } from '@financing-checkout/contract/reconciliation';
import { addDays } from '@financing-checkout/contract/money';
import { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { expect, test } from 'vitest';
import { commandsOf } from './cli/cli.fixture.ts';
import { settle, startCompanion } from './companion/companion.fixture.ts';
import { configure, run } from './program.fixture.ts';
import { isoTime, systemClock } from '@financing-checkout/kit';

const ZONE = 'America/New_York';

test('shows the days and times of orders in the business zone, and names the zone', async () => {
  const shop = await startCompanion();
  // 23:30 on the last day of October; the next day has 25 hours.
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
  // 4,000 days before 1 November 2026, which has not ended yet.
  expect(await answer.text()).toContain('must be 2015-11-19 or later');
});

test.each([
  // 23:30 on 26 October, due on the 31st, which ends half an hour later.
  ['2026-10-27T03:30:00.000Z', '2026-11-01T03:30:00.000Z', '2026-10-31'],
  // 23:30 on 27 October, due on 1 November, which has 25 hours.
  ['2026-10-28T03:30:00.000Z', '2026-11-02T04:30:00.000Z', '2026-11-01'],
])('a settle of %s is due at %s, on the same day everywhere', async (occurredAt, at, day) => {
  const shop = await startCompanion();
  shop.entries.push({ ...settle(1, 'A-1', 30_000), occurredAt });
  let now = Date.parse(at);
  const clock = { ...systemClock, now: () => now };
  const program = await run(configure(shop, { RECONCILIATION_ZONE: ZONE }), { clock });
  await program.sync({ from: '2026-10-26', to: day });

  const { days, late } = await program.get<Forecast>('/forecast');
  expect({ days, late }).toEqual({
    days: [{ day, currency: 'USD', amount: 30_000, count: 1 }],
    late: [],
  });
  const next = addDays(day, 1);
  const before = await program.get<OrderExplanation>('/orders/order:A-1');
  expect(before.currencies[0]?.status?.recheckAt).toBe(isoTime(new Calendar(ZONE).startOf(next)));
  expect(before.currencies[0]?.reasons).toEqual([
    `300.00 USD is settled and not funded yet; it is not overdue before ${next} (${ZONE}).`,
  ]);

  now += 45 * 60_000;
  await program.sync({ from: '2026-10-26', to: next });
  expect((await program.get<Forecast>('/forecast')).late).toMatchObject([{ amount: 30_000 }]);
  const after = await program.get<OrderExplanation>('/orders/order:A-1');
  expect(after.currencies[0]?.status?.headline).toBe('MISSING_AT_LENDER');
});
