import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../facts/facts.fixture.ts';
import type { CaseRecord } from '@financing-checkout/contract/reconciliation';
import { at, type Books, openBooks, periods } from '../periods/periods.fixture.ts';
import { dayBefore } from '../program.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';
import { commandLine } from './cli.fixture.ts';

/** Returns a command line with a person's token. */
const as = (books: Books, token: string) => {
  const env = { RECONCILIATION_URL: 'http://127.0.0.1:4002', RECONCILIATION_TOKEN: token };
  const { run } = commandLine(env, (input, init) =>
    Promise.resolve(books.program.app.request(input, init)),
  );
  return run;
};

test('exits with 3 for a period that is not ready, with --json too', async () => {
  const books = await openBooks();
  books.companion.records.push(wireRecord(3, at(8)));
  await books.sync();
  const shown = await as(books, 'anna-token-0000001')('periods', 'show', 'P1', '--json');
  expect([shown.code, shown.err]).toEqual([3, expect.stringContaining('Not done: cases-decided.')]);
  expect(JSON.parse(shown.out)).toMatchObject({ period: { id: 'P1' } });
});

test('closes a period from the command line, with two persons', async () => {
  const books = await openBooks();
  const anna = as(books, 'anna-token-0000001');
  const ben = as(books, 'ben-token-00000001');

  const shown = await anna('periods', 'show', 'P1');
  expect([shown.code, shown.err]).toEqual([0, '']);
  expect(shown.out).toMatch(/^unexplained-zero +done +0/m);
  expect(shown.out).toMatch(/^USD +0\.00 USD +200\.01 USD +−100\.01 USD +−1\.50 USD +98\.50 USD/m);
  const seen = /^Digest of the statements: (\w{12})$/m.exec(shown.out)?.[1] ?? '';
  const prepared = await anna('periods', 'prepare', 'P1', '--seen', seen);
  expect(prepared.code).toBe(0);
  expect(prepared.err).toContain('approves it: "periods close P1"');
  const alone = await anna('periods', 'close', 'P1');
  expect(alone.code).not.toBe(0);
  expect(alone.err).toContain('Another person has to approve it.');
  const other = await ben('periods', 'close', 'P1', '--seen', '0'.repeat(12));
  expect([other.code, other.err]).toEqual([
    1,
    expect.stringContaining(`their digest is ${seen} now.`),
  ]);
  const closed = await ben('periods', 'close', 'P1', '--seen', seen);
  expect(closed.code).toBe(0);
  expect(closed.err).toMatch(/SHA-256 of the seal: [0-9a-f]{64}/);

  const file = join(temporaryFolder(), 'seal.json');
  const sealed = await anna('periods', 'seal', 'P1', '--output', file);
  expect(sealed.code).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    period: { id: 'P1' },
    version: 1,
  });
  expect(await anna('periods', 'verify')).toMatchObject({ code: 0 });

  books.companion.records.push(
    wireRecord(0, at(8), { lenderReferenceId: 'LR-9', transactionId: '' }),
  );
  await books.sync();
  const late = await anna('periods', 'adjustments', 'P2');
  expect(late.out).toMatch(/^P1 +A-0 .*funding-changed/m);
  const orders = await anna('periods', 'orders', 'P1', '--step', 'discount');
  expect(orders.out).toMatch(/^A-0 +\S.* −1\.50 USD\n−1\.50 USD in all$/m);
  const exported = await anna('periods', 'adjustments', 'P2', '--format', 'csv');
  expect(exported.out).toMatch(/^P2,no,P1,A-0,order:A-0,USD,.*,funding-changed,/m);
  const walk = await anna('walk', '--period', 'P1', '--format', 'csv');
  expect(walk.out).toMatch(/,as_of,period,seal/);
  expect(walk.out).toMatch(/,P1,[0-9a-f]{64}/);
  expect(walk.err).toMatch(/^P1 as it was sealed: SHA-256 [0-9a-f]{64}\.$/m);
  const open = await anna('walk', '--period', 'P2');
  expect(open.err).toContain('P2 is open, with 1 adjusted order of closed periods.');
  const wrong = await anna('walk', '--period', 'P9');
  expect(wrong.err).toContain('This period does not exist');
  expect(wrong.err).toContain('P1 is the first one: periods begin with the oldest ledger line');

  await anna('periods', 'reopen', 'P1', 'the bank errs');
  const withdrawn = await anna('periods', 'withdraw', 'P1', 'reopening');
  expect(withdrawn.code).toBe(0);
  expect(withdrawn.err).not.toContain('asked to reopen');
  const asked = await anna('periods', 'reopen', 'P1', 'the bank differs');
  expect(asked.err).toContain('anna asked to reopen P1: the bank differs. Another person confirms');
  const reopened = await ben('periods', 'reopen', 'P1');
  expect(reopened.out).toMatch(/^P1 +\S+ +\S+ +open *$/m);
});

test('accepts only the records that the person has seen, from the command line', async () => {
  const books = await openBooks();
  const anna = as(books, 'anna-token-0000001');
  books.companion.records.push(wireRecord(3, at(8)));
  await books.sync();
  const digestIn = async () => {
    const { out } = await anna('periods', 'show', 'P1');
    return /^cases-decided +blocked +\d+ +([0-9a-f]{12}) /m.exec(out)?.[1] ?? '';
  };
  const accept = (seen: string) =>
    anna('periods', 'accept', 'P1', 'cases-decided', 'known', '--seen', seen);
  const seen = await digestIn();
  books.companion.records.push(wireRecord(4, at(8)));
  await books.sync();
  const refused = await accept(seen);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain(`cases-decided: the digest is ${await digestIn()} now.`);
  const accepted = await accept(await digestIn());
  expect(accepted.out).toMatch(/^cases-decided +accepted +2 .*anna: known$/m);
});

test('prints what a close takes over, and what came since its preparation', async () => {
  const books = await openBooks();
  const anna = as(books, 'anna-token-0000001');
  const ben = as(books, 'ben-token-00000001');
  books.companion.records.push(wireRecord(3, at(8)));
  await books.sync();
  const blocked = await anna('periods', 'show', 'P1');
  expect(blocked.out).toMatch(/^cases-decided +blocked +1 +\S+ +100\.03 USD +A-3$/m);
  await books.accept('P1', 'cases-decided');
  await anna('periods', 'prepare', 'P1');
  await books.sync();
  const shown = await ben('periods', 'show', 'P1');
  expect(shown.code).toBe(0);
  expect(shown.out).toMatch(/ A-3; anna: known, the lender corrects it in November$/m);
  expect(shown.out).toMatch(/^NOT_IN_LEDGER +1 +100\.03 USD +1 +100\.03 USD$/m);
  expect(shown.out).toMatch(/^revenue +2 +−200\.01 USD$/m);
  expect(shown.out).toMatch(/^Since the preparation: 0 new cases, 1 sync \(\d+\)$/m);
  await ben('periods', 'close', 'P1');
  const next = await ben('periods', 'show', 'P2');
  expect(next.out).toMatch(/^EXCEPTION .* IN P1 +MONEY$/m);
});

test('lists exactly the cases that a close requires decided, snoozed ones included', async () => {
  const books = await openBooks();
  const anna = as(books, 'anna-token-0000001');
  books.companion.records.push(wireRecord(3, at(8)), wireRecord(4, at(4)));
  await books.sync();
  const listed = async () => {
    const { out } = await anna('cases', 'list', '--begun-to', periods[0]?.to ?? '', '--json');
    return out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as CaseRecord);
  };
  const [open] = await listed();
  expect(await listed()).toMatchObject([{ merchantOrderId: 'A-3' }]);
  await anna('cases', 'snooze', open?.id ?? '', dayBefore(-5));
  expect(await listed()).toMatchObject([{ merchantOrderId: 'A-3' }]);
});

test('exports a journal by order beside a summary, to its own folder, and names the other one', async () => {
  const books = await openBooks();
  await books.close('P1');
  const ben = as(books, 'ben-token-00000001');
  const folder = temporaryFolder();
  const exported = (detail: string, name: string) => {
    const output = ['--detail', detail, '--output', join(folder, name)];
    return ben('journals', 'export', 'P1', '--format', 'csv', ...output);
  };
  expect((await exported('summary', 'summary')).err).not.toContain('import only one');
  const other =
    'Export 1 has entries of the same money in another detail: import only one of both.';
  const detailed = await exported('orders', 'orders');
  expect([detailed.code, detailed.err]).toEqual([0, expect.stringContaining(other)]);
  const file = readFileSync(join(folder, 'orders', 'journal.json'), 'utf8');
  expect(JSON.parse(file)).toMatchObject({ seq: 2, detail: 'orders', otherDetail: 1 });
  const same = await exported('orders', 'summary');
  expect(same.code).toBe(1);
  expect(same.err).toContain('`journals file 2 --output <folder>` writes its files.');
});

test('writes the files of one journal to a folder, and refuses to overwrite them with another', async () => {
  const books = await openBooks();
  await books.close('P1');
  const ben = as(books, 'ben-token-00000001');
  const folder = join(temporaryFolder(), 'october');
  const exported = (format: string) =>
    ben('journals', 'export', 'P1', '--format', format, '--output', folder);
  expect(await exported('csv')).toMatchObject({ code: 0 });
  const names = readdirSync(folder);
  expect(names).toContain('journal.json');
  // Exporting the same journal again is permitted.
  expect(await exported('csv')).toMatchObject({ code: 0 });
  const { code, err } = await exported('beancount');
  expect(code).toBe(1);
  expect(err).toContain('has the journal.json of another export, and nothing was written.');
  expect(err).toContain(
    'Export 2 is stored: `journals file 2 --output <folder>` writes its files.',
  );
  expect(readdirSync(folder)).toEqual(names);
  chmodSync(folder, 0o777);
  const open = await exported('csv');
  expect([open.code, open.err]).toEqual([
    1,
    expect.stringMatching(/october is writable for every/),
  ]);
});
