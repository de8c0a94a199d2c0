import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ContentError } from '../facts/content.ts';
import { sqliteFacts, take } from '../facts/facts.fixture.ts';
import { byOlder } from '../facts/older.fixture.ts';
import { TemporaryFiles } from '../platform/temporary-files.ts';
import { borrowAnalytics } from './analytics.fixture.ts';
import { replay, type ReplayOptions } from './replay.ts';
import { upgradeContents } from './upgrade-contents.ts';

/** Days of January 2026 as version 0.2.0 stored them: the last one has two equal records. */
const lines = (day: string, identity: string, hash: string) =>
  `{"identity":"${identity}","hash":"${hash.repeat(64)}","merchantOrderId":"A-1","status":"RECONCILED","transactionType":"Settle","lenderName":"Northway Credit","transactionAmount":"12.340","discountAmount":"0.34","netAmount":"12","fundedAt":${Date.parse(day)},"updatedAt":${Date.parse(day)},"transactionDate":null,"transactionId":"t-1","merchantTransactionId":null,"chargeId":null,"lenderReferenceId":"LR-1","productType":null,"promoCode":null,"problem":"transactionDate is not a date"}\n`;
const days = new Map([
  ['2026-01-01', lines('2026-01-01', 'r.LR-1.Settle', 'a')],
  ['2026-01-02', ''],
  ['2026-01-03', lines('2026-01-03', 'r.LR-2.Settle', 'b').repeat(2)],
]);

async function oldStore() {
  const made = sqliteFacts();
  const facts = await made.open();
  let number = 0;
  for (const [day, text] of days) {
    number += 1;
    await made.meddle(byOlder(day, number, text));
  }
  const { database, folder } = await borrowAnalytics({ facts, fill: () => Promise.resolve() });
  const files = await TemporaryFiles.open(join(folder, 'pages'));
  return { facts, database, files };
}

/** Returns the records of a database to which the facts were applied. */
async function recordsOf(options: Omit<ReplayOptions, 'defaultCurrency'>) {
  await replay({ ...options, defaultCurrency: 'USD' });
  return options.database.read(async (connection) => {
    const found = await connection.runAndReadAll(
      'select id, hash, transaction_text, net_text, record_problem, funded_at from fundings order by id',
    );
    return found.getRowsJson();
  });
}

/** Records of {@link days}. */
const hash = (digit: string) =>
  digit.repeat(32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
const rest = ['12.340', '12', 'transactionDate is not a date'];
const records = [
  ['2026-01-01:r.LR-1.Settle', hash('a'), ...rest, String(Date.UTC(2026, 0, 1))],
  ['2026-01-03:r.LR-2.Settle', hash('b'), ...rest, String(Date.UTC(2026, 0, 3))],
  ['2026-01-03:r.LR-2.Settle~2', hash('b'), ...rest, String(Date.UTC(2026, 0, 3))],
];

test('replaces contents of version 0.2.0 by the same records, one day after another', async () => {
  const { facts, database, files } = await oldStore();
  const fence = await take(facts);
  const upgraded: number[] = [];
  const interrupted = {
    ...facts,
    replaceOldContent: (...change: Parameters<typeof facts.replaceOldContent>) =>
      upgraded.length === 2
        ? Promise.reject(new Error('The process was killed.'))
        : facts.replaceOldContent(...change),
  };
  const onUpgraded = (left: number) => void upgraded.push(left);
  await expect(
    upgradeContents({ database, files, facts: interrupted, fence, onUpgraded }),
  ).rejects.toThrow('killed');
  expect(await facts.daysWithOldContent()).toEqual(['2026-01-03']);
  await upgradeContents({ database, files, facts, fence, onUpgraded });
  expect(upgraded).toEqual([2, 1, 0]);
  expect(await facts.daysWithOldContent()).toEqual([]);
  expect(await recordsOf({ database, files, facts })).toEqual(records);
});

test('reads contents of version 0.2.0 in a standby, which writes nothing', async () => {
  const { facts, database, files } = await oldStore();
  const days = await facts.days();
  expect(await recordsOf({ database, files, facts })).toEqual(records);
  expect(await facts.daysWithOldContent()).toHaveLength(3);
  expect(await facts.days()).toEqual(days);
});

test('refuses a content with other records than those that were proven', async () => {
  const { facts, database, files } = await oldStore();
  await upgradeContents({ database, files, facts, fence: await take(facts) });
  const other = (await facts.days()).map((day) => ({ ...day, digest: 'f'.repeat(32) }));
  const changed = {
    ...facts,
    days: (from = '') => Promise.resolve(other.filter(({ day }) => day === from)),
    daysAfter: () => Promise.resolve(other),
  };
  await expect(replay({ database, files, facts: changed, defaultCurrency: 'USD' })).rejects.toThrow(
    ContentError,
  );
});
