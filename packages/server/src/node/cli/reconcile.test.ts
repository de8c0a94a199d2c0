import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  BACK_OFFICE_TOKEN,
  networkError,
  type Scripted,
  START,
  type UpstreamCall,
} from '../../companion.fixture.ts';
import { defaultPolicy, parsePolicy } from '../../reconciliation/policy.ts';
import { DAY_MS, reconciledCompanion } from '../../reconciliation/reconciled.fixture.ts';
import { CommandFailure } from './exit.ts';
import type { Shell } from './office.ts';
import { registerReconcile } from './reconcile.ts';

/** A companion with a funded order, one that is short, one that is missing, and commands on it. */
async function setUp({ clean = false, policy = defaultPolicy } = {}) {
  const unused = () => Promise.reject(new Error('unused'));
  const reconciliation = { policy, work: [], catchUp: unused, stop: unused };
  const companion = await reconciledCompanion({ reconciliation }, policy);
  await companion.prove();
  await companion.put({ order: 'A-funded' });
  if (!clean) {
    await companion.put({ order: 'B-short', fundings: [{ transactionAmount: 8_500 }] });
    await companion.put({ order: 'C-missing', fundings: [] });
  }
  await companion.follow();
  const out: string[] = [];
  const err: string[] = [];
  const shell = {
    env: {
      COMPANION_BACK_OFFICE_URL: 'http://companion.internal:4001/',
      COMPANION_BACK_OFFICE_TOKEN: BACK_OFFICE_TOKEN,
      RECONCILIATION_USER: 'Ines',
    } as Record<string, string>,
    fetch: async (url: string, init: RequestInit) => companion.backOffice.request(url, init),
    print: (line: string) => void out.push(line),
    say: (line: string) => void err.push(line),
  } satisfies Shell;
  /** Runs `reconcile …`. @returns what it printed, and the exit code it would end with */
  async function run(...words: string[]) {
    out.length = 0;
    err.length = 0;
    const program = new Command('financing-companion').exitOverride();
    program.configureOutput({
      writeErr: (text) => void err.push(text),
      writeOut: (text) => void out.push(text),
    });
    registerReconcile(program, shell);
    let code = 0;
    try {
      await program.parseAsync(['reconcile', ...words], { from: 'user' });
    } catch (error) {
      if (error instanceof CommandFailure) {
        code = error.exitCode;
        err.push(error.message);
      } else if (error instanceof CommanderError) code = error.exitCode;
      else throw error;
    }
    return { code, out: out.join('\n'), err: err.join('\n') };
  }
  return { companion, shell, run };
}

describe('exit codes', () => {
  test('0 when nothing is open, 2 when more is than allowed', async () => {
    const clean = await setUp({ clean: true });
    for (const command of ['orders', 'exceptions', 'walk']) {
      expect([command, (await clean.run(command)).code]).toEqual([command, 0]);
    }
    const { run } = await setUp();
    const { code, err } = await run('exceptions');
    expect([code, err]).toEqual([2, '2 exceptions are open; 0 are let pass.']);
    expect((await run('exceptions', '--threshold', '1')).code).toBe(2);
    expect((await run('exceptions', '--threshold', '2')).code).toBe(0);
    expect((await run('orders', '--threshold', '2')).code).toBe(0);
    expect((await run('cases', 'list')).code).toBe(0);
    expect((await run('cases', 'list', '--threshold', '1')).code).toBe(2);
    expect((await run('cases', 'list', '--threshold', '2')).code).toBe(0);
  });

  test('an exception whose case was ignored counts no more', async () => {
    const { run } = await setUp();
    const { out } = await run('cases', 'list', '--json');
    for (const line of out.split('\n')) {
      const { id } = JSON.parse(line) as { id: string };
      await run('cases', 'ignore', id, 'known');
    }
    const ignored = await run('exceptions');
    expect(ignored.code).toBe(0);
    expect(ignored.out).toMatch(/^AMOUNT_MISMATCH +0 +1 /m);
  });

  test('3 while a day is not proved, which comes before 2', async () => {
    const { companion, run } = await setUp();
    await companion.db
      .updateTable('funding_slices')
      .set({ state: 'unproven' })
      .where('day', '=', new Date(START - 2 * DAY_MS).toISOString().slice(0, 10))
      .execute();
    for (const words of [
      ['exceptions'],
      ['orders'],
      ['walk'],
      ['explain', 'A-funded'],
      ['radar'],
    ]) {
      const { code, err } = await run(...words);
      expect([words[0], code]).toEqual([words[0], 3]);
      expect(err).toContain('1 day is not proved');
      // A sync by itself reads no days that are older.
      expect(err).toContain('--from and --to for what is older than 400 days');
    }
  });

  test('3 while a record could not be held, whatever is asked; what is open is said all the same', async () => {
    const { companion, run } = await setUp();
    await companion.db
      .insertInto('funding_quarantine')
      .values({
        ...{ environment: 'sandbox', id: 'f', slice_day: '2026-11-11', order_key: 'order:Z' },
        ...{ reason: 'netAmount: amount-invalid', raw: '{}', seen_at: START },
      })
      .execute();
    for (const words of [
      ['status'],
      ['exceptions'],
      ['orders'],
      ['walk'],
      ['explain', 'A-funded'],
      ['discounts'],
      ['radar'],
      ['export', 'orders'],
    ]) {
      const { code, err } = await run(...words);
      expect([words[0], code]).toEqual([words[0], 3]);
      expect(err).toContain('1 record could not be held, and is in no sum.');
    }
    expect((await run('exceptions')).err).toContain('2 exceptions are open; 0 are let pass.');
    expect((await run('walk', '--format', 'csv')).out).toContain('Unexplained,0.00,,,,no,UTC');
    const { out } = await run('walk', '--format', 'svg');
    expect(out).toContain('every day proved, records not held: 1');
    expect(out).toContain('url(#hatch)');
  });

  test('1 for every error, also a misspelled word and a companion that is not there', async () => {
    const { run, shell } = await setUp();
    expect((await run('exceptions', '--threshhold', '3')).code).toBe(1);
    expect((await run('exeptions')).code).toBe(1);
    expect((await run('orders', '--headline', 'GOOD')).code).toBe(1);
    expect((await run('cases', 'list', '--days', 'x')).code).toBe(1);
    expect(await run('exceptions', '--limit', '0')).toMatchObject({ code: 1, out: '' });
    const backwards = await run('orders', '--from', '2026-11-02', '--to', '2026-11-01');
    expect([backwards.code, backwards.err]).toEqual([
      1,
      expect.stringContaining('to must be after "from"'),
    ]);
    expect((await run('explain', 'nobody')).code).toBe(1);
    shell.env.COMPANION_BACK_OFFICE_TOKEN = 'a-token-that-is-wrong';
    const denied = await run('orders');
    expect([denied.code, denied.err.includes('a-token-that-is-wrong')]).toEqual([1, false]);
    shell.fetch = () => Promise.reject(networkError('ECONNREFUSED'));
    expect((await run('exceptions')).code).toBe(1);
    expect((await run('--help')).code).toBe(0);
  });
});

describe('what people read', () => {
  test('orders: a table with amounts under each other', async () => {
    const { run } = await setUp();
    const { out } = await run('orders', '--headline', 'AMOUNT_MISMATCH');
    expect(out.split('\n')).toEqual([
      'ORDER    STATUS             EXPECTED     FUNDED  AWAITING  ALSO',
      'B-short  AMOUNT_MISMATCH  100.00 USD  85.00 USD  0.00 USD',
    ]);
  });

  test('--limit ends the list, and says that there is more', async () => {
    const { run } = await setUp();
    const { out, err } = await run('orders', '--limit', '2', '--json');
    expect(out.split('\n')).toHaveLength(2);
    expect(err).toContain('There are more');
  });

  test('orders and explain: what was given and taken back is told apart', async () => {
    const { companion, run } = await setUp({ clean: true });
    const ledger = [{}, { id: 'l-2', type: 'Refund' as const, amount: 3_000 }];
    const fundings = [
      {},
      { id: 'f-2', transactionType: 'Refund', transactionAmount: 3_000 },
      { id: 'f-3', transactionType: 'Chargeback', transactionAmount: 2_000 },
      { id: 'f-4', transactionType: 'Reversal', transactionAmount: 500 },
    ];
    await companion.put({ order: 'D-back', ledger, fundings });
    expect((await run('orders')).out).toMatch(/^D-back +\w+ +70\.00 USD +55\.00 USD /m);
    const { out } = await run('explain', 'D-back');
    expect(out).toMatch(/settled, refunded +100\.00 USD {3}30\.00 USD/);
    expect(out).toMatch(/charged back, reversed +20\.00 USD {3}5\.00 USD/);
    expect(out).toMatch(/discount, net +1\.60 USD {3}53\.40 USD/);
  });

  test('what comes in many pages is shown to its end', async () => {
    const { run, shell } = await setUp();
    const { fetch } = shell;
    shell.fetch = (url, init) => fetch(url.replace(/limit=\d+/, 'limit=1'), init);
    for (const [words, count] of [
      [['orders'], 3],
      [['exceptions'], 2],
      [['cases', 'list'], 2],
    ] as const) {
      const { out, err } = await run(...words, '--json');
      expect([words, new Set(out.split('\n')).size]).toEqual([words, count]);
      expect(err).not.toContain('There are more');
    }
  });

  test('exceptions: sums by kind, then each with its case', async () => {
    const { run } = await setUp();
    const { out } = await run('exceptions');
    expect(out).toMatch(/AMOUNT_MISMATCH +1 +1 +15\.00 USD/);
    expect(out).toMatch(/B-short +AMOUNT_MISMATCH +−15\.00 USD +\d{4}-\d\d-\d\d +case_\S+ open/);
  });

  test('sums that cannot be exact are said to be so, and the rest is shown', async () => {
    const { companion, run } = await setUp();
    for (const order of ['X', 'Y']) {
      const ledger = [{ amount: Number.MAX_SAFE_INTEGER }];
      await companion.put({ order, currency: 'EUR', ledger, fundings: [] });
    }
    await companion.follow();
    const { code, out } = await run('exceptions');
    expect(code).toBe(2);
    expect(out).toMatch(/MISSING_AT_LENDER +2 +2 +too large to be exact EUR/);
    expect(out).toMatch(/MISSING_AT_LENDER +1 +1 +100\.00 USD/);
    const ageing = await run('cases', 'ageing');
    expect(ageing.out.split('\n')[1]).toMatch(/EUR +2 +too large to be exact EUR/);
    await companion.put({
      order: 'Z',
      currency: 'JPY',
      ledger: [{ amount: 90_000_000 }],
      fundings: [],
    });
    await companion.follow();
    const rows = (await run('cases', 'ageing')).out.split('\n').slice(1);
    expect(rows.map((row) => /EUR|JPY|USD/.exec(row)?.[0])).toEqual(['EUR', 'JPY', 'USD', 'USD']);
    // Of one currency, the most money first.
    expect(rows[2]).toMatch(/100\.00 USD$/);
  });

  test('explain: why, in words; what happened when', async () => {
    const { run } = await setUp();
    const { out, code } = await run('explain', 'B-short');
    expect(code).toBe(0);
    expect(out).toContain('A transaction was funded with 15.00 USD less than the ledger says.');
    expect(out).toMatch(/2026-11-10 12:00 +ledger +Settle +100\.00 USD/);
    expect(out).toMatch(/2026-11-11 12:00 +funding +Settle +85\.00 USD +Meadow Credit +RECONCILED/);
    const json = await run('explain', 'B-short', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ orderKey: 'order:B-short' });
  });

  test('explain: by which name the other side knows each, and why a case is no longer open', async () => {
    const { companion, run } = await setUp();
    await companion.put({
      order: 'D-parts',
      ledger: [{ transactionId: 'T-77' }],
      fundings: [
        { transactionId: 'T-77', transactionAmount: 6_000, lenderReferenceId: 'MC-1' },
        { id: '2026-11-11:two', transactionId: 'T-77', transactionAmount: 1_000 },
      ],
    });
    await companion.follow();
    const { out: cases } = await run('cases', 'list', '--code', 'AMOUNT_MISMATCH', '--json');
    const ids = cases
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; orderKey: string });
    const { id = '' } = ids.find(({ orderKey }) => orderKey === 'order:D-parts') ?? {};
    await run('cases', 'ignore', id, 'the rest comes\u001b[2J in December');
    const { out } = await run('explain', 'D-parts');
    expect(out).toMatch(/WHEN.* CLAIM +REFERENCE\n/);
    expect(out).toMatch(/ledger +Settle +100\.00 USD +T-77\n/);
    expect(out).toMatch(/funding +Settle +60\.00 USD +Meadow Credit +RECONCILED +MC-1\n/);
    expect(out).toMatch(/funding +Settle +10\.00 USD +Meadow Credit +RECONCILED +T-77\n/);
    expect(out.split('\n').at(-1)).toBe(
      `case ${id}  AMOUNT_MISMATCH  ignored: the rest comes\uFFFD[2J in December`,
    );
    expect((await run('explain', 'B-short')).out.split('\n').at(-1)).toMatch(
      /^case \S+ {2}AMOUNT_MISMATCH {2}open$/,
    );
  });

  test('explain: from when what is awaited is overdue, the day after it was due', async () => {
    const { companion, run } = await setUp();
    await companion.put({ order: 'D-due', ledger: [{ occurredAt: START - DAY_MS }], fundings: [] });
    const { out } = await run('explain', 'D-due');
    expect(out).toContain('not funded yet; it is not overdue before 2026-11-25.');
  });

  test('explain: what was agreed on with the lender, since when, and what was kept', async () => {
    const contract = { lender: 'Meadow Credit', basisPoints: 290, returnedOnRefund: true };
    const contracts = [{ ...contract, from: '2026-01-01' }];
    const { companion, run } = await setUp({ policy: parsePolicy(JSON.stringify({ contracts })) });
    await companion.put({ order: 'D-dear', fundings: [{ discountAmount: 340 }] });
    const agreed = '2.90 % of 100.00 USD agreed with Meadow Credit since 2026-01-01: 2.90 USD';
    expect((await run('explain', 'D-dear')).out).toContain(
      `  ${agreed}, kept 3.40 USD, 0.50 USD too much kept`,
    );
    expect((await run('explain', 'A-funded')).out).toContain(`  ${agreed}, kept 2.90 USD\n`);
    expect((await run('discounts')).out).toMatch(/SINCE +AGREED.*\n.*2026-01-01 +2\.90 %/);
  });

  test('explain and discounts: what was agreed on of each settle besides', async () => {
    const contract = { lender: 'Meadow Credit', basisPoints: 260, returnedOnRefund: true };
    const contracts = [{ ...contract, perSettle: { USD: 30 } }];
    const { run } = await setUp({ policy: parsePolicy(JSON.stringify({ contracts })) });
    expect((await run('explain', 'A-funded')).out).toContain(
      '  2.60 % of 100.00 USD + 0.30 USD agreed with Meadow Credit: 2.90 USD, kept 2.90 USD\n',
    );
    expect((await run('discounts')).out).toMatch(/Meadow Credit +2\.60 % \+ 0\.30 USD +2\.90 %/);
  });

  test('explain: whose money that of nobody may be, by amount and time', async () => {
    const { companion, run } = await setUp();
    await companion.put({ order: undefined, fundings: [{}] });
    const { out } = await run('explain', 'C-missing');
    expect(out).toContain('  perhaps together with funding:nameless: −100.00 USD open, 1 d after');
    const other = await run('explain', 'funding:nameless', '--order-key');
    expect(other.out).toContain('  perhaps together with C-missing: 100.00 USD open, 1 d before');
    expect((await run('explain', 'A-funded')).out).not.toContain('perhaps');
  });

  test('walk: every step that is not nothing, down to unexplained 0.00', async () => {
    const { run } = await setUp();
    const { out, code } = await run('walk');
    expect(code).toBe(0);
    expect(out).toMatch(/Settled +300\.00 USD/);
    expect(out).toMatch(/Short: not coming +−\d+\.\d\d USD/);
    expect(out.split('\n').at(-1)).toMatch(/^Unexplained +0\.00 USD$/);
    expect((await run('walk', '--format', 'csv')).out).toContain('USD,Unexplained,0.00');
    expect(JSON.parse((await run('walk', '--json')).out)).toMatchObject({
      statements: [{ currency: 'USD', expected: 30_000, unexplained: 0 }],
    });
  });

  test('walk: what nobody knows the currency of is in no sum, and told', async () => {
    const { companion, run } = await setUp({ clean: true });
    await companion.put({ order: undefined, currency: '' });
    expect((await run('walk')).err).toBe('1 funding is in no sum: nobody knows its currency.');
  });

  test('walk: what no step explains ends with 2, and says how much', async () => {
    const { companion, run } = await setUp({ clean: true });
    await companion.put({ order: 'N', fundings: [{ netAmount: 9_000, discountAmount: 290 }] });
    const { code, err } = await run('walk');
    expect([code, err]).toEqual([2, 'Unexplained: −7.10 USD.']);
  });

  test('discounts and radar have a row for each lender', async () => {
    const { run } = await setUp();
    expect((await run('discounts')).out).toMatch(/Meadow Credit +2\.90 % +185\.00 USD/);
    const contracts = [{ lender: 'Meadow Credit', basisPoints: 287.5, returnedOnRefund: true }];
    const agreed = await setUp({ policy: { ...defaultPolicy, contracts } });
    expect((await agreed.run('discounts')).out).toMatch(/Meadow Credit +2\.875 % +2\.903 % +185/);
    expect((await run('radar')).out).toMatch(
      /Meadow Credit +RECONCILED +2 +185\.00 USD +1 +85\.00 USD/,
    );
  });

  test('a lender of another name is not taken for one that posted nothing, nor for all of them', async () => {
    const { run } = await setUp();
    for (const command of ['walk', 'discounts', 'radar']) {
      const { out, err } = await run(command, '--lender', 'Meadow Kredit');
      expect(`${out}${err}`).toContain('Nothing was posted by a lender of this name');
      const yen = await run(command, '--currency', 'JPY');
      expect(`${yen.out}${yen.err}`).toMatch(/in this currency|of what was asked for/);
    }
  });

  test('control characters of an order’s name do nothing to the terminal', async () => {
    const { companion, run } = await setUp();
    await companion.put({ order: 'x\u001b[2J\u202eevil' });
    const { out } = await run('orders');
    expect(out).toContain('x\uFFFD[2J\uFFFDevil');
  });
});

describe('cases', () => {
  const idOf = async (run: Awaited<ReturnType<typeof setUp>>['run'], code: string) => {
    const { out } = await run('cases', 'list', '--code', code, '--json');
    return (JSON.parse(out) as { id: string }).id;
  };

  test('list, assign, note, resolve, show: who did what', async () => {
    const { run } = await setUp();
    const id = await idOf(run, 'AMOUNT_MISMATCH');
    expect((await run('cases', 'list')).out).toMatch(/case_\S+ +B-short +AMOUNT_MISMATCH +−15\.00/);
    expect((await run('cases', 'assign', id, 'Tomas')).out).toContain('Tomas');
    await run('cases', 'note', id, 'asked the lender', '--by', 'Tomas');
    const resolved = await run('cases', 'resolve', id, 'they pay tomorrow');
    expect(resolved.err).toMatch(/^Idempotency-Key [0-9a-f-]{36}$/);
    const { out } = await run('cases', 'show', id);
    expect(out).toMatch(/assigned +Ines +assignee "Tomas"/);
    expect(out).toMatch(/noted +Tomas +note "asked the lender"/);
    expect(out).toMatch(/resolved +Ines +reason "they pay tomorrow"/);
    expect((await run('cases', 'list', '--state', 'resolved')).out).toContain(id);
  });

  test('show reads a trail to its end', async () => {
    const { companion, shell, run } = await setUp();
    const id = await idOf(run, 'AMOUNT_MISMATCH');
    for (const note of ['one', 'two', 'three']) await run('cases', 'note', id, note);
    shell.fetch = async (url, init) => {
      const page = new URL(url);
      page.searchParams.set('limit', '2');
      return companion.backOffice.request(page, init);
    };
    const { out } = await run('cases', 'show', id);
    expect(out.match(/(?:opened|note ".*")/g)).toEqual([
      'opened',
      'note "one"',
      'note "two"',
      'note "three"',
    ]);
    const json = JSON.parse((await run('cases', 'show', id, '--json')).out) as {
      events: unknown[];
    };
    expect([Object.keys(json), json.events.length]).toEqual([['case', 'events'], 4]);
  });

  test('the same --key does it once', async () => {
    const { run } = await setUp();
    const id = await idOf(run, 'AMOUNT_MISMATCH');
    for (let time = 0; time < 2; time++) await run('cases', 'note', id, 'x', '--key', 'key-1');
    const { out } = await run('cases', 'show', id);
    expect(out.match(/noted/g)).toHaveLength(1);
  });

  test('a key that no header can carry is refused before anything is sent', async () => {
    const { run } = await setUp();
    for (const key of ['', 'with space', '鍵']) {
      const { code, err } = await run('cases', 'note', 'case_1', 'x', '--key', key);
      expect([code, err.trim()]).toEqual([1, expect.stringMatching(/^A --key is .*ASCII/)]);
    }
  });

  test('nobody writes without a name', async () => {
    const { run, shell } = await setUp();
    delete shell.env.RECONCILIATION_USER;
    const { code, err } = await run('cases', 'note', 'case_1', 'x');
    expect([code, err.includes('--by')]).toEqual([1, true]);
  });

  test('ageing counts the open ones', async () => {
    const { run } = await setUp();
    expect((await run('cases', 'ageing')).out).toMatch(/3–7 days +10–100 USD +1 +15\.00 USD/);
  });

  test('verify says that the trail is whole, and names the first link that is not', async () => {
    const { companion, run } = await setUp();
    const whole = await run('cases', 'verify');
    expect([whole.code, whole.out.split('\n')[0]]).toEqual([0, '2 events are as written.']);
    const anchor = whole.out.split('\n')[1] ?? '';
    expect((await run('cases', 'verify', '--anchor', anchor)).code).toBe(0);
    await companion.db.updateTable('cases').set({ count: 7 }).execute();
    expect((await run('cases', 'verify')).err).toMatch(
      /event [12] of case case_\S+ is not how the case stands\. All 2 events are as written\.$/,
    );
    await companion.db
      .updateTable('case_events')
      .set({ detail: '{}' })
      .where('seq', '=', 2)
      .execute();
    const broken = await run('cases', 'verify');
    expect(broken.code).toBe(1);
    expect(broken.err).toMatch(
      /^The trail is broken: event 2 of case case_\S+ is not as it was written\. The 1 before/,
    );
  });
});

describe('export', () => {
  const folder = () => {
    const path = mkdtempSync(join(tmpdir(), 'export-'));
    onTestFinished(() => rmSync(path, { recursive: true }));
    return path;
  };

  test('writes a file for its owner, once it is whole', async () => {
    const { run } = await setUp();
    const file = join(folder(), 'orders.csv');
    expect((await run('export', 'orders', '--output', file)).code).toBe(0);
    const lines = readFileSync(file, 'utf8').split('\r\n');
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual([
      'A-funded',
      'B-short',
      'C-missing',
      '',
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a byte order mark and decimal commas get as far as the file', async () => {
    const { run } = await setUp();
    const file = join(folder(), 'orders.csv');
    expect((await run('export', 'orders', '--bom', '--output', file)).code).toBe(0);
    expect(readFileSync(file, 'utf8').startsWith('\uFEFForder,')).toBe(true);
    const words = ['--bom', '--decimal', 'comma', '--output', file];
    expect((await run('export', 'orders', ...words)).code).toBe(0);
    expect(readFileSync(file, 'utf8').startsWith('\uFEFForder;')).toBe(true);
    expect((await run('walk', '--format', 'csv', '--decimal', 'comma')).out).toMatch(
      /;-?\d+,\d\d;/,
    );
  });

  test('to the shell it is the same, line by line', async () => {
    const { run } = await setUp();
    const { out } = await run('export', 'exceptions', '--format', 'ndjson');
    expect(out.split('\n').map((line) => (JSON.parse(line) as { code: string }).code)).toEqual([
      'AMOUNT_MISMATCH',
      'MISSING_AT_LENDER',
    ]);
  });

  test('an answer that is cut off leaves no file, and ends with 1', async () => {
    const { run, shell } = await setUp();
    const path = folder();
    const cutOff = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('order\r\nA-1')),
      pull: (controller) => controller.error(new Error('reset')),
    });
    const headers = { 'content-type': 'text/csv; charset=utf-8' };
    shell.fetch = () => Promise.resolve(new Response(cutOff, { headers }));
    const { code, err } = await run('export', 'orders', '--output', join(path, 'orders.csv'));
    expect([code, err.includes('not all of it')]).toEqual([1, true]);
    expect(readdirSync(path)).toEqual([]);
  });

  describe('a companion that takes the request and says nothing more', () => {
    const MINUTE = 60_000;
    const head = { status: 200, headers: { 'content-type': 'text/csv; charset=utf-8' } };
    const piece = new TextEncoder().encode('order\r\nA-1');

    /** A command whose companion answers as `fetch` does, while time is for the test to pass. */
    async function exportFrom(answer: (signal: AbortSignal) => Promise<Response>, words: string[]) {
      const { run, shell } = await setUp();
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const asked = Promise.withResolvers<unknown>();
      shell.fetch = (url, { signal }) => {
        if (!url.includes('/exports/') && !url.includes('/migration')) {
          return Promise.resolve(new Response(null, { status: 500 }));
        }
        asked.resolve(undefined);
        return answer(signal ?? new AbortController().signal);
      };
      const ended = run(...words);
      await asked.promise;
      return ended;
    }

    /** What nobody answers, until nobody waits any more. */
    const forEver = (signal: AbortSignal) =>
      new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    const silentAfter = (signal: AbortSignal, ...pieces: Uint8Array[]) =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const one of pieces) controller.enqueue(one);
          signal.addEventListener('abort', () => controller.error(signal.reason));
        },
      });

    const answered = (body: ReadableStream<Uint8Array>, how: ResponseInit = head) =>
      Promise.resolve(new Response(body, how));

    test.each<[string, (signal: AbortSignal) => Promise<Response>]>([
      ['before its answer', forEver],
      ['before the first byte', (signal) => answered(silentAfter(signal))],
      ['in the middle', (signal) => answered(silentAfter(signal, piece))],
      [
        'in the middle of why not',
        (signal) => answered(silentAfter(signal, piece), { status: 503 }),
      ],
    ])('%s is waited for five minutes; the file of before stays', async (_, answer) => {
      const path = folder();
      const file = join(path, 'orders.csv');
      writeFileSync(file, 'order\r\n');
      const ended = exportFrom(answer, ['export', 'orders', '--output', file]);
      const settled = vi.fn();
      void ended.then(settled, settled);
      await vi.waitUntil(() => vi.isFakeTimers() && vi.getTimerCount() > 0);
      await vi.advanceTimersByTimeAsync(5 * MINUTE - 1);
      expect(settled).not.toHaveBeenCalled();
      // A piece that is still being written is no silence.
      await vi.waitUntil(async () => {
        await vi.advanceTimersByTimeAsync(MINUTE);
        return settled.mock.calls.length > 0;
      });
      const { code, err } = await ended;
      expect([code, err]).toEqual([1, expect.stringContaining('Nothing came') as string]);
      expect(readFileSync(file, 'utf8')).toBe('order\r\n');
      expect(readdirSync(path)).toEqual(['orders.csv']);
    });

    test('one that is slow, and not silent, is read to its end', async () => {
      const file = join(folder(), 'orders.csv');
      let left = 3;
      const slow = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            if (left-- === 0) {
              controller.close();
              return;
            }
            await new Promise((resolve) => setTimeout(resolve, 4 * MINUTE));
            controller.enqueue(piece);
          },
        },
        { highWaterMark: 0 },
      );
      const answer = () => answered(slow);
      const ended = exportFrom(answer, ['export', 'orders', '--output', file]);
      for (let piece = 0; piece < 3; piece++) {
        await vi.waitUntil(() => vi.isFakeTimers() && left === 2 - piece);
        await vi.advanceTimersByTimeAsync(4 * MINUTE);
      }
      await ended;
      expect(readFileSync(file)).toHaveLength(3 * piece.length);
      expect(vi.getTimerCount()).toBe(0);
    });

    test('a comparison of many days, of which nothing differs, may take long', async () => {
      const words = ['migrate-report', '--from', '2026-01-01', '--to', '2026-11-01'];
      const ended = exportFrom(forEver, words);
      const settled = vi.fn();
      void ended.then(settled, settled);
      await vi.waitUntil(() => vi.isFakeTimers() && vi.getTimerCount() > 0);
      await vi.advanceTimersByTimeAsync(59 * MINUTE);
      expect(settled).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(MINUTE);
      expect((await ended).err).toContain('Nothing came');
    });
  });

  test('the page of another server is no export: the file of before stays', async () => {
    const { run, shell } = await setUp();
    const file = join(folder(), 'orders.csv');
    writeFileSync(file, 'order\r\n');
    const headers = { 'content-type': 'text/html' };
    shell.fetch = () => Promise.resolve(new Response('<!doctype html>', { headers }));
    const { code, err } = await run('export', 'orders', '--output', file);
    expect([code, err.includes('answered 200, and not as a companion')]).toEqual([1, true]);
    expect(readFileSync(file, 'utf8')).toBe('order\r\n');
  });

  test('what is no file, such as a pipe, is written to and not replaced', async () => {
    const { run } = await setUp();
    const pipe = join(folder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const read = readFile(pipe, 'utf8');
    expect((await run('export', 'orders', '--output', pipe)).code).toBe(0);
    expect((await read).split('\r\n')[1]).toMatch(/^A-funded,/);
    expect(statSync(pipe).isFIFO()).toBe(true);
  });

  test('behind a link, what it leads to is replaced, and the link stays', async () => {
    const { run } = await setUp();
    const path = folder();
    const [file, link] = [join(path, 'orders.csv'), join(path, 'latest.csv')];
    for (const before of [undefined, 'order\r\n']) {
      if (before === undefined) symlinkSync('orders.csv', link);
      else writeFileSync(file, before);
      expect((await run('export', 'orders', '--output', link)).code).toBe(0);
      expect(readFileSync(file, 'utf8')).toMatch(/^order,.*\r\nA-funded,/);
      expect(lstatSync(link).isSymbolicLink()).toBe(true);
      expect(readdirSync(path).sort()).toEqual(['latest.csv', 'orders.csv']);
    }
  });

  test.each(['', '.'])('no file ("%s") is said before anything is asked', async (output) => {
    const { run, shell } = await setUp();
    const asked = vi.fn(shell.fetch);
    shell.fetch = asked;
    const { code, err } = await run('export', 'orders', '--output', output);
    expect([code, err]).toEqual([1, expect.stringContaining('--output')]);
    expect(asked).not.toHaveBeenCalled();
  });

  test.each([
    ['orders', '--state', 'open', '--state is of cases: leave it out.'],
    ['lines', '--days', '3', '--days is of cases: leave it out.'],
    ['cases', '--from', '2026-11-01', '--from is of all but cases: leave it out.'],
  ])('an option of another table is named: %s %s', async (table, option, value, message) => {
    const { run } = await setUp();
    expect(await run('export', table, option, value)).toEqual({ code: 1, out: '', err: message });
  });

  test.each([
    ['walk', '--json', '--decimal', 'comma'],
    ['walk', '--decimal', 'comma'],
    ['walk', '--format', 'svg', '--decimal', 'comma'],
    ['export', 'orders', '--format', 'ndjson', '--decimal', 'comma'],
    ['export', 'orders', '--format', 'ndjson', '--bom'],
  ])('how CSV is to be written is asked of CSV alone: %s %s %s %s', async (...words) => {
    const { run } = await setUp();
    const option = words.includes('--bom') ? '--bom' : '--decimal';
    const err = `${option} is of --format csv: leave it out.`;
    expect(await run(...words)).toEqual({ code: 1, out: '', err });
  });

  test('a walk is written in one format', async () => {
    const { run } = await setUp();
    const { code, out, err } = await run('walk', '--json', '--format', 'csv');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/--json.*cannot be used with.*--format/);
  });

  test('a file that cannot be written is said', async () => {
    const { run } = await setUp();
    const { code, err } = await run('export', 'orders', '--output', join(folder(), 'no', 'file'));
    expect([code, err.includes('could not be written')]).toEqual([1, true]);
  });
});

describe('migrate-report', () => {
  const record = {
    ...{ status: 'RECONCILED', transactionType: 'Settle', lenderName: 'Meadow Credit' },
    ...{ transactionAmount: 100, discountAmount: 2.9, netAmount: 97.1 },
    ...{ fundedAt: '2026-11-11T00:00:00.000Z', updatedAt: '2026-11-11T00:00:00.000Z' },
    ...{ merchantOrderId: 'A-1', transactionId: 't-1' },
  };
  const days = ['migrate-report', '--from', '2026-11-11', '--to', '2026-11-12'];

  /** Commands on a service whose report has these records, and whose records operations have one. */
  async function migrating(...report: object[]) {
    const { companion, run } = await setUp({ clean: true });
    const answering =
      (records: object[]) =>
      ({ query }: UpstreamCall): Scripted => ({
        status: 200,
        body: { records: query.get('offset') === '0' ? records : [] },
      });
    companion.service
      .on('GET /v2/post-sale/fundings/report', answering(report))
      .on('GET /v1/post-sale/fundings/records', answering([record]))
      .on('GET /v2/post-sale/fundings/records', answering([record]));
    return run;
  }

  test('shows what becomes of a status, and each order only when asked to', async () => {
    const run = await migrating({ ...record, status: 'AMOUNT_MISMATCH' });
    const { code, out } = await run(...days, '--orders');
    expect(code).toBe(0);
    expect(out).toMatch(/A-1 +Settle +100\.00 USD +RECONCILED +RECONCILED +AMOUNT_MISMATCH/);
    expect(out).toMatch(/v2 RECONCILED +AMOUNT_MISMATCH +1 +100\.00 USD/);
    const brief = await run(...days);
    expect(brief.out).not.toContain('A-1');
    expect(brief.out).toContain('AMOUNT_MISMATCH');
  });

  test('names the other fields that differ, of each order and counted', async () => {
    const run = await migrating({ ...record, lenderName: 'Meadow' });
    const { out } = await run(...days, '--orders');
    expect(out).toMatch(/^A-1 .* RECONCILED +lenderName$/m);
    expect(out).toContain('1 funding in the report, 1 in records v1');
    expect(out).toContain('Beside the status: lenderName once.');
  });

  test('ends with 3 where a record could not be read, and lists it when asked to', async () => {
    const run = await migrating({ ...record, netAmount: 97.105 });
    const { code, out, err } = await run(...days, '--orders');
    expect(code).toBe(3);
    expect(out).toContain('2026-11-11, report: a record of A-1 cannot be read: netAmount cannot');
    expect(err).toContain('1 of the report, 0 of records v1, 0 of records v2');
    expect(out + err).not.toContain('97.105');
    const brief = await run(...days);
    expect([brief.code, brief.err]).toEqual([3, err]);
    expect(brief.out).not.toContain('cannot be read');
  });

  test('control characters of an order’s name do nothing to the terminal', async () => {
    const named = { ...record, merchantOrderId: 'A\u001b[2J-1' };
    for (const report of [named, { ...named, netAmount: 97.105 }]) {
      const run = await migrating(report);
      const { out } = await run(...days, '--orders');
      expect(out).toContain('A\uFFFD[2J-1');
      expect(out).not.toContain('\u001b');
    }
  });
});

test.each(['{"kind":"of tomorrow"}', '{"kind":', 'A-1 of Ada'])(
  'a line of a comparison that is none is said, and never told: %s',
  async (text) => {
    const { run, shell } = await setUp({ clean: true });
    const headers = { 'content-type': 'application/x-ndjson' };
    shell.fetch = () => Promise.resolve(new Response(`${text}\n`, { headers }));
    const { code, err } = await run('migrate-report', '--from', '2026-11-11', '--to', '2026-11-12');
    expect([code, err]).toEqual([1, expect.stringContaining('What answers is not a companion')]);
    expect(err).not.toMatch(/Ada|tomorrow/);
  },
);

test('a stranger that answers 200 is told apart, whatever is asked', async () => {
  const { run, shell } = await setUp({ clean: true });
  shell.fetch = () => Promise.resolve(Response.json({ ok: true }));
  for (const words of [
    ['migrate-report', '--from', '2026-11-11', '--to', '2026-11-12'],
    ['export', 'lines'],
    ['walk', '--format', 'svg'],
    ['orders'],
    ['sync'],
  ]) {
    const { code, err, out } = await run(...words);
    expect([words[0], code, out]).toEqual([words[0], 1, '']);
    expect(err).toContain('not as a companion');
  }
});

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
    expect(explained.out).toMatch(/ledger +Settle withdrawn +12\.50 USD +Ines/);

    await run('import', file, ...options);
    await run('import', file, ...options, '--withdraw', '--by', 'Jonas');
    expect((await run('explain', 'N-1')).out).toMatch(/Settle withdrawn +12\.50 USD +Jonas/);

    await run('import', file, ...options);
    delete shell.env.RECONCILIATION_USER;
    const nobody = await run('import', file, ...options, '--withdraw');
    expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('Say who does it')]);
    const unnamed = await companion.officePost('/reconciliation/ledger?withdraw=true', []);
    expect(unnamed.status).toBe(400);
    expect(JSON.stringify(unnamed.body)).toContain('must say who takes the lines out');
    expect(await companion.db.selectFrom('ledger_lines').select('id').execute()).toContainEqual({
      id: 't:Settle:t-1',
    });
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

test('every command explains itself', async () => {
  const { run } = await setUp();
  const { out } = await run('--help');
  for (const word of [
    'orders',
    'exceptions',
    'explain',
    'cases',
    'walk',
    'export',
    'migrate-report',
  ]) {
    expect(out).toContain(word);
    expect((await run(word, '--help')).out).toContain('Usage:');
  }
  expect(out).toMatch(/0 {2}clean/);
});
