import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ContentError } from '../facts/content.ts';
import { sqliteFacts, take } from '../facts/facts.fixture.ts';
import { sha256 } from '../platform/digest.ts';
import { TemporaryFiles } from '../platform/temporary-files.ts';
import { runSync, type SyncOptions } from '../sync/sync.ts';
import { historyService, wireRecord } from '../sync/history.fixture.ts';
import { borrowAnalytics } from './analytics.fixture.ts';
import { replay } from './replay.ts';
import { upgradeContents } from './upgrade-contents.ts';

/** Days of January 2026 as version 0.2.0 stored them: the last one has two equal records. */
const lines = (day: string, identity: string, hash: string) =>
  `{"identity":"${identity}","hash":"${hash.repeat(64)}","merchantOrderId":"A-1","status":"RECONCILED","transactionType":"Settle","lenderName":"Quillmoor","transactionAmount":"12.340","discountAmount":"0.34","netAmount":"12","fundedAt":${Date.parse(day)},"updatedAt":${Date.parse(day)},"transactionDate":null,"transactionId":"t-1","merchantTransactionId":null,"chargeId":null,"lenderReferenceId":"LR-1","productType":null,"promoCode":null,"problem":"transactionDate is not a date"}\n`;
const days = new Map([
  ['2026-01-01', lines('2026-01-01', 'r.LR-1.Settle', 'a')],
  ['2026-01-02', ''],
  ['2026-01-03', lines('2026-01-03', 'r.LR-2.Settle', 'b').repeat(2)],
]);

/** `wireRecord(1, '2026-03-01T00:00:00.000Z')` as version 0.2.0 stored it. */
const OLD_LINE =
  '{"identity":"r.LR-1.Settle","hash":"c44cce6fc789c578dd27ee58468c7c434714f96e8e7f2802c7d3bf3a2b80799e","merchantOrderId":"A-1","status":"RECONCILED","transactionType":"Settle","lenderName":"Northway Credit","transactionAmount":"100.01","discountAmount":"1.5","netAmount":"98.51","fundedAt":1772323200000,"updatedAt":1772323200000,"transactionDate":1772323200000,"transactionId":"txn-1","merchantTransactionId":"mtx-1","chargeId":"chg-1","lenderReferenceId":"LR-1","productType":"Installments","promoCode":null,"problem":null}';

async function oldStore() {
  const made = sqliteFacts();
  const facts = await made.open();
  let number = 0;
  for (const [day, text] of days) {
    number += 1;
    const count = text.split('\n').length - 1;
    await made.meddle(`
      insert into funding_days values ('${day}', ${number}, 'complete', null, 'UTC', 'sync-1', 2, 2, 0,
        ${count}, ${count}, 0, '${sha256(text)}', 1);
      insert into funding_contents values ('${day}', x'${zstdCompressSync(Buffer.from(text)).toString('hex')}');
      update fact_head set last_number = ${number}`);
  }
  const { database, folder } = await borrowAnalytics({ facts, fill: () => Promise.resolve() });
  const files = await TemporaryFiles.open(join(folder, 'pages'));
  return { facts, database, files };
}

test('replaces contents of version 0.2.0 by the same records, one day after another', async () => {
  const { facts, database, files } = await oldStore();
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
    upgradeContents({ database, files, facts: interrupted, onUpgraded }),
  ).rejects.toThrow('killed');
  expect((await facts.oldContent())?.day).toBe('2026-01-03');
  await replay({ database, files, facts, defaultCurrency: 'USD', onUpgraded });
  expect(upgraded).toEqual([2, 1, 0]);
  expect(await facts.oldContent()).toBeUndefined();
  const rows = await database.read(async (connection) =>
    (
      await connection.runAndReadAll(
        'select id, hash, transaction_text, net_text, record_problem, funded_at from fundings order by id',
      )
    ).getRowsJson(),
  );
  const hash = (digit: string) =>
    digit.repeat(32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const rest = ['12.340', '12', 'transactionDate is not a date'];
  expect(rows).toEqual([
    ['2026-01-01:r.LR-1.Settle', hash('a'), ...rest, String(Date.UTC(2026, 0, 1))],
    ['2026-01-03:r.LR-2.Settle', hash('b'), ...rest, String(Date.UTC(2026, 0, 3))],
    ['2026-01-03:r.LR-2.Settle~2', hash('b'), ...rest, String(Date.UTC(2026, 0, 3))],
  ]);
});

test('refuses a content with other records than those that were proven', async () => {
  const { facts, database, files } = await oldStore();
  await upgradeContents({ database, files, facts });
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

test('gives records the hashes that a sync gives them', async () => {
  const made = sqliteFacts();
  const facts = await made.open();
  const { database, folder } = await borrowAnalytics({ facts, fill: () => Promise.resolve() });
  const files = await TemporaryFiles.open(join(folder, 'pages'));
  const service = historyService([wireRecord(1, '2026-03-01T00:00:00.000Z')]);
  const options: SyncOptions = {
    facts,
    database,
    files,
    fence: await take(facts),
    source: { page: (query) => service.fetchPage(query) },
    settings: { defaultCurrency: 'USD', pageSize: 20, overlap: 3 },
  };
  const range = { from: '2026-03-01', to: '2026-03-01' };
  await runSync(options, { id: 'sync-1', ...range });
  // The line as version 0.2.0 wrote it for the same record.
  const text = `${OLD_LINE}\n`;
  await made.meddle(`
    update funding_days set sha256 = '${sha256(text)}';
    insert into funding_contents values ('2026-03-01', x'${zstdCompressSync(Buffer.from(text)).toString('hex')}')`);
  await upgradeContents({ database, files, facts });
  const run = await runSync(options, { id: 'sync-2', ...range });
  expect(run).toMatchObject({ state: 'complete', records: 1, changed: 0, gone: 0 });
});
