import type { CaseRecord } from '@financing-checkout/contract/reconciliation';
import { expect, it } from 'vitest';
import { shareProgram, shopDays, startShop } from '../program.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';
import { commandsOf } from './cli.fixture.ts';

/** A shop with two cases of one currency. */
const shared = shareProgram(
  async (atEnd) => {
    const shop = await startShop(1, atEnd);
    shop.records.push(wireRecord(7, new Date(Date.now() - 2 * 86_400_000).toISOString()));
    return shop;
  },
  { RECONCILIATION_DEFAULT_CURRENCY: 'USD' },
);
const by = ['--by', 'Ines'];

it('merges a case into another one, lists it only on request, and splits it', async () => {
  const { run } = commandsOf(shared.program);
  const { from, to } = shopDays();
  await run('sync', '--from', from, '--to', to);
  const listed = async (...options: string[]) => {
    const { out } = await run('cases', 'list', '--json', ...options);
    const lines = out.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as CaseRecord);
  };
  const [main, other] = await listed();
  if (main === undefined || other === undefined) throw new Error('The shop has no two cases.');
  const stale = await run('cases', 'merge', other.id, main.id, '--if-revision', '999999', ...by);
  expect([stale.code === 0, stale.err]).toEqual([false, expect.stringContaining('revision')]);
  const merged = await run('cases', 'merge', other.id, main.id, 'one outage', ...by);
  expect([merged.code, merged.out]).toEqual([0, expect.stringContaining(`open, with ${main.id}`)]);
  expect((await listed()).map(({ id }) => id)).toEqual([main.id]);
  expect((await run('cases', 'list')).out).toContain('open, with 1 merged');
  for (const options of [['--merged'], ['--merged-into', main.id]]) {
    expect((await listed(...options)).map(({ id }) => id)).toEqual([other.id]);
  }
  expect((await run('cases', 'show', other.id)).out).toContain(
    `merged    loopback, for Ines  into "${main.id}", note "one outage"`,
  );
  const exported = await run('export', 'cases', '--merged');
  expect(exported.out.trim().split('\n')).toHaveLength(2);
  expect((await run('cases', 'resolve', other.id, 'paid', ...by)).err).toContain(main.id);
  expect((await run('cases', 'split', other.id, 'another cause', ...by)).code).toBe(0);
  expect(await listed()).toHaveLength(2);
});
