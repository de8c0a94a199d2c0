import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { setUp } from '../reconcile.fixture.ts';

describe('import', () => {
  const fileWith = (text: string) => {
    const path = mkdtempSync(join(tmpdir(), 'ledger-'));
    onTestFinished(() => rmSync(path, { recursive: true }));
    const file = join(path, 'ledger.csv');
    writeFileSync(file, text);
    return file;
  };
  const head = 'Order No,type,Total,currency,date,transactionId\n';
  const options = ['--map', 'order=Order No,amount=Total', '--units', 'major'];

  test('takes a file once: what is there already is recognised; a dry run keeps nothing', async () => {
    const { companion, run } = await setUp();
    const file = fileWith(
      `${head}N-1,Settle,12.50,USD,2026-11-18,t-1\nN-1,Refund,2.50,USD,2026-11-19,t-2\n`,
    );
    const lines = () =>
      companion.db
        .selectFrom('ledger_lines')
        .selectAll()
        .where('order_key', '=', 'order:N-1')
        .execute();
    const dry = await run('import', file, ...options, '--dry-run');
    expect([dry.code, dry.err]).toEqual([0, '']);
    expect(dry.out).toContain('2 lines read: 2 would be new, 0 there already.');
    expect(await lines()).toEqual([]);
    const first = await run('import', file, ...options);
    expect(first.out).toMatch(/Settle +1 +12\.50 USD/);
    expect(first.out).toContain('2 lines read: 2 new, 0 there already.');
    expect(await lines()).toMatchObject([
      { type: 'Refund', amount: 250, source: 'import' },
      { type: 'Settle', amount: 1_250, source: 'import' },
    ]);
    const again = await run('import', file, ...options, '--json');
    expect(JSON.parse(again.out)).toMatchObject({ added: 0, repeated: 2 });
  });

  test('the example of the help: how another bookkeeping writes is said with the file', async () => {
    const { companion, run } = await setUp();
    const help = (await run('import', '--help')).out;
    // The shell joins the lines, and takes the quotes away.
    const example = help.slice(help.indexOf('import sap.csv')).replaceAll('\\\n', '');
    const words = Array.from(
      example.matchAll(/"([^"]*)"|(\S+)/g),
      ([, quoted, bare]) => quoted ?? bare ?? '',
    );
    const rows =
      'N-1;Rechnung;1.234,50;18.11.2026 00:30\nN-1;Gutschrift;2,5-;19.11.2026\nN-1;Zahlung;;\n';
    const file = fileWith(`Auftrag;Art;Betrag;Datum\n${rows}`);
    const report = await run('import', file, ...words.slice(2));
    expect([report.code, report.err]).toEqual([0, '']);
    expect(report.out).toContain('1 line is of a type to skip.\n3 lines read: 2 new');
    const lines = await companion.db
      .selectFrom('ledger_lines')
      .select(['type', 'amount', 'currency', 'occurred_at'])
      .where('order_key', '=', 'order:N-1')
      .orderBy('occurred_at')
      .execute();
    expect(lines).toEqual([
      {
        type: 'Settle',
        amount: 123_450,
        currency: 'EUR',
        occurred_at: Date.UTC(2026, 10, 17, 23, 30),
      },
      { type: 'Refund', amount: 250, currency: 'EUR', occurred_at: Date.UTC(2026, 10, 18, 23) },
    ]);
    const signed = fileWith('merchantOrderId,amount,date,currency\nN-2,-5,2026-11-18,USD\n');
    const { out } = await run('import', signed, '--units', 'minor', '--type', 'sign', '--dry-run');
    expect(out).toMatch(/Refund +1 +0\.05 USD/);
  });

  test('lines that say the same and have no id are as many as there are, and are told', async () => {
    const { run } = await setUp();
    const refund = 'N-1,Refund,2.50,USD,2026-11-19,\n';
    const file = fileWith(`${head}${refund}${refund}`);
    const { code, out } = await run('import', file, ...options, '--dry-run');
    expect([code, out.split('\n').slice(-2)]).toEqual([
      0,
      [
        'One line says the same as another one, and neither has an id: both count.',
        '2 lines read: 2 would be new, 0 there already.',
      ],
    ]);
  });

  test('a file of which nothing can be read is told without a table of nothing', async () => {
    const { run } = await setUp();
    const { code, out } = await run('import', fileWith('Auftrag,Art\nN-1,Rechnung\n'), ...options);
    expect([code, out.split('\n')]).toEqual([
      1,
      [expect.stringMatching(/^the file: Line 1 names/)],
    ]);
  });

  test('--withdraw takes the file out again, and the order says who did', async () => {
    const { companion, run, shell } = await setUp();
    const file = fileWith(`${head}N-1,Settle,12.50,USD,2026-11-18,t-1\n`);
    await run('import', file, ...options);
    const dry = await run('import', file, ...options, '--withdraw', '--dry-run');
    expect(dry.out).toContain('1 line read: 1 would be taken out, 0 not in the books');
    const { code, out } = await run('import', file, ...options, '--withdraw');
    expect([code, out]).toEqual([0, expect.stringContaining('1 line read: 1 taken out, 0 not')]);
    const explained = await run('explain', 'N-1');
    expect(explained.out).toMatch(/ledger +Settle withdrawn +12\.50 USD +back-office, for Ines/);

    await run('import', file, ...options);
    await run('import', file, ...options, '--withdraw', '--by', 'Jonas');
    expect((await run('explain', 'N-1')).out).toMatch(
      /Settle withdrawn +12\.50 USD +back-office, for Jonas/,
    );

    await run('import', file, ...options);
    delete shell.env.RECONCILIATION_USER;
    const { COMPANION_BACK_OFFICE_TOKEN: token, ...without } = shell.env;
    shell.env = without;
    const unnamed = await run('import', file, ...options, '--withdraw');
    expect([unnamed.code, unnamed.err]).toEqual([1, expect.stringContaining('Say who does it')]);
    expect(await companion.db.selectFrom('ledger_lines').select('id').execute()).toContainEqual({
      id: 't:Settle:t-1',
    });
    // The token names the actor.
    shell.env = { ...without, COMPANION_BACK_OFFICE_TOKEN: token ?? '' };
    expect((await run('import', file, ...options, '--withdraw')).code).toBe(0);
    expect((await run('explain', 'N-1')).out).toMatch(
      /Settle withdrawn +12\.50 USD +back-office(?!, for)/,
    );
  });

  test('tells everything that is wrong at once, with its line, and takes nothing', async () => {
    const { companion, run } = await setUp();
    const file = fileWith(
      `${head}N-1,Settle,12.50,USD,2026-11-18,t-1\nN-2,Settle,twelve,USD,2026-11-18,t-2\nN-3,Settle,1.00,USD,someday,t-3\n`,
    );
    const { code, out, err } = await run('import', file, ...options);
    expect([code, err]).toEqual([1, '2 things are wrong: the books are as they were.']);
    expect(out).toMatch(/line 3: Total /);
    expect(out).toMatch(/line 4: date /);
    expect(out).not.toMatch(/twelve|someday/);
    const { count } = await companion.db
      .selectFrom('ledger_lines')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('order_key', 'like', 'order:N-%')
      .executeTakeFirstOrThrow();
    expect(count).toBe(0);
  });

  test('of very many things that are wrong it shows the first, and says how many more', async () => {
    const { run } = await setUp();
    const wrong = 'N-1,Settle,twelve,USD,2026-11-18,t-1\n';
    const { out, err } = await run('import', fileWith(head + wrong.repeat(1_001)), ...options);
    expect(err).toContain('1001 things are wrong');
    expect(out.split('\n').at(-1)).toBe('… and 1 more.');
  });

  test('is not held to the size of other requests', async () => {
    const { run } = await setUp();
    const rows = Array.from(
      { length: 5_000 },
      (_, index) => `M-${index},Settle,1.00,USD,2026-11-18,m-${index}`,
    );
    const { out } = await run('import', fileWith(head + rows.join('\n')), ...options);
    expect(out).toContain('5000 lines read: 5000 new');
  });

  describe('a companion that hangs', () => {
    const MINUTE = 60_000;

    /** An import of which so many pieces are taken, and then nothing more comes. */
    async function importInto(taken: number, words: string[] = []) {
      const { run, shell } = await setUp();
      const file = fileWith(head + 'N-1,Settle,1.00,USD,2026-11-18,t-1\n'.repeat(5_000));
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const asked = Promise.withResolvers<unknown>();
      shell.fetch = async (_, { body, signal }) => {
        const reader = (body as ReadableStream<Uint8Array>).getReader();
        let pieces = 0;
        while (pieces < taken && !(await reader.read()).done) pieces++;
        asked.resolve(undefined);
        return new Promise((_, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      };
      const ended = run('import', file, ...options, ...words);
      const settled = vi.fn();
      void ended.then(settled, settled);
      await asked.promise;
      return { ended, settled };
    }

    test.each([
      ['in the middle of the file: for five minutes', 1, 5],
      ['with all of the file: for an hour, which much of it may take', Infinity, 60],
    ])('%s', async (_, taken, minutes) => {
      const { ended, settled } = await importInto(taken);
      await vi.advanceTimersByTimeAsync(minutes * MINUTE - 1);
      expect(settled).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      const { code, err } = await ended;
      expect(code).toBe(1);
      expect(err).toContain(`Nothing came from the companion for ${minutes} minutes`);
      expect(err).toContain('Run the same command again');
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  test('a file that is not there, or a mapping that is none, is 1', async () => {
    const { run } = await setUp();
    expect((await run('import', '/nowhere/ledger.csv')).code).toBe(1);
    // Not that the companion cannot be reached.
    expect(await run('import', tmpdir())).toMatchObject({
      code: 1,
      err: expect.stringContaining('This is a folder') as string,
    });
    expect((await run('import', fileWith(head), '--map', 'colour=Red')).code).toBe(1);
  });
});
