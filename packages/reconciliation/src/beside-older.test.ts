import { expect, test } from 'vitest';
import { startCompanion } from './companion/companion.fixture.ts';
import { readConfiguration } from './config/config.ts';
import { sqliteFacts } from './facts/facts.fixture.ts';
import { byOlder, OLDER_LINE } from './facts/older.fixture.ts';
import { run, variablesOf } from './program.fixture.ts';
import { wireRecord } from './sync/history.fixture.ts';

test('compares the contents of version 0.2.0 in a sync, and leaves them to that version', async () => {
  const store = sqliteFacts();
  const facts = await store.open();
  const [day, time] = ['2026-03-01', '2026-03-01T00:00:00.000Z'];
  await store.meddle(byOlder(day, 1, `${OLDER_LINE}\n`));
  const older = () => store.ask('select * from funding_days natural join funding_contents');
  const before = await older();
  const companion = await startCompanion();
  companion.records.push(wireRecord(1, time));
  const config = readConfiguration(
    variablesOf(companion, { RECONCILIATION_STORE: `sqlite:${store.url}` }),
    () => '',
  );
  const program = await run(config);
  const range = { from: day, to: day };
  // The records have the hashes that this version gives them.
  expect(await program.sync(range)).toMatchObject({ state: 'complete', changed: 0, gone: 0 });
  companion.records[0] = wireRecord(1, time, { netAmount: 98.5 });
  companion.records.push(wireRecord(2, time));
  expect(await program.sync(range)).toMatchObject({ state: 'complete', changed: 2, gone: 0 });
  expect(await facts.superseded(day)).toMatchObject([{ count: 1 }]);
  const { content, count, sha256 } = before[0] ?? expect.fail();
  expect(await older()).toMatchObject([{ content, count, sha256, state: 'stale' }]);
});
