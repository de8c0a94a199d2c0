import { DatabaseSync } from 'node:sqlite';
import type { TrailVerification } from '@financing-checkout/contract';
import { expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import type { LogFields } from '../platform/log.ts';
import { configure, run, startShop } from '../program.fixture.ts';

const DAY_MS = 86_400_000;

/** A program whose log is read, and whose clock the test advances. */
async function watch() {
  const logged: { event: string; fields: LogFields | undefined }[] = [];
  let later = 0;
  const config = configure(await startShop(0));
  const program = await run(config, {
    clock: { ...systemClock, now: () => Date.now() + later },
    logger: { log: (_level, event, fields) => void logged.push({ event, fields }) },
  });
  return {
    ...program,
    of: (event: string) => logged.filter((line) => line.event === event).map((line) => line.fields),
    nextDay: async () => {
      later += DAY_MS;
      await program.engine.leader?.tick();
    },
    meddle: (sql: string) => {
      const database = new DatabaseSync(config.store.url.reveal().replace(/^sqlite:/, ''));
      database.exec(sql);
      database.close();
    },
  };
}

test('logs the head of both trails at the end of each sync and each day, as an anchor', async () => {
  const { sync, of, get, nextDay } = await watch();
  await sync();
  const [first] = of('trail-anchor');
  expect(first?.anchor).toMatch(/^\d+:\d+:[0-9a-f]{64}$/);
  await nextDay();
  expect(of('trail-anchor')).toHaveLength(2);
  const path = `/trail/verification?anchor=${first?.anchor}`;
  expect(await get<TrailVerification>(path)).toMatchObject({ trail: { valid: true } });
  expect(of('trail-broken')).toEqual([]);
});

test('reports a shortened trail the next day, without being asked', async () => {
  const { sync, of, meddle, nextDay } = await watch();
  await sync();
  await nextDay();
  meddle(
    `delete from actions where seq > 0; update action_chain set last_seq = 0, last_hash = '${'0'.repeat(64)}'`,
  );
  expect(of('trail-broken')).toEqual([]);
  await nextDay();
  const reason = 'is missing: the anchor is after the end';
  expect(of('trail-broken')).toMatchObject([{ reason }]);
});
