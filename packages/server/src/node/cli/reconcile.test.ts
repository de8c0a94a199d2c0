import { describe, expect, test } from 'vitest';
import { networkError, START } from '../../companion.fixture.ts';
import { defaultPolicy, parsePolicy } from '../../reconciliation/policy.ts';
import { DAY_MS } from '../../reconciliation/reconciled.fixture.ts';
import { setUp } from './reconcile.fixture.ts';

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
