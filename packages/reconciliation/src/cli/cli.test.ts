import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walkAmounts } from '@financing-checkout/contract/reconciliation';
import type { TestCompanion } from '../companion/companion.fixture.ts';
import { readConfiguration } from '../config/config.ts';
import { openFacts } from '../facts/open.ts';
import { type RunningServer, serve } from '../serve.ts';
import { shopDays, startShop, until, variablesOf } from '../program.fixture.ts';
import { commandLine } from './cli.fixture.ts';

/**
 * Simulates a machine on which nothing listens on the default port, which may be in use on this
 * machine.
 */
const refused: typeof fetch = () =>
  Promise.reject(
    new TypeError('fetch failed', {
      cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    }),
  );

let folder: string;
const ends: (() => Promise<void>)[] = [];
let shop: TestCompanion;
let variables: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reconcile-cli-'));
  shop = await startShop(5, (close) => void ends.push(close));
  variables = variablesOf(shop, { RECONCILIATION_USER: 'Ines' }, folder);
});
afterAll(async () => {
  for (const end of ends) await end();
  rmSync(folder, { recursive: true, force: true });
});

const ledgerFile = (amount: number) => {
  const file = join(folder, 'ledger.csv');
  writeFileSync(
    file,
    `merchantOrderId,type,amount,currency,date,transactionId\nERP-1,settle,${amount},USD,${shopDays().from},T-1\n`,
  );
  return file;
};

/** Commands with their exit codes and output, with or without a running program. */
const verbs: [string[] | (() => string[]), number, RegExp][] = [
  [() => ['sync', '--from', shopDays().from, '--to', shopDays().to], 0, /^state +complete$/m],
  [['status'], 0, /^days .* proven$/m],
  [['orders', '--threshold', '9'], 0, /A-5 +STATUS_DISAGREES/],
  [['exceptions'], 2, /^STATUS_DISAGREES +1 +1 /m],
  [
    () => ['exceptions', '--from', shopDays().from, '--to', shopDays().to],
    2,
    /^STATUS_DISAGREES /m,
  ],
  [['exceptions', '--to', '2020-12-31'], 0, /^$/],
  [['explain', 'A-5', '--json'], 0, /"STATUS_DISAGREES"/],
  [['explain', 'lr-5'], 0, /^A-5$/m],
  [['explain', '100.05'], 0, /^A-5$/m],
  [['explain', 'a-5'], 0, /^A-5$/m],
  [['explain', 'Northway'], 1, /^KIND +MATCH +ORDER +TIME\nLender +Northway Credit/m],
  [['cases', 'list'], 0, /case_\S+ +A-5 /],
  [['cases', 'list', '--from', '2020-01-01'], 0, /case_\S+ +A-5 /],
  [['cases', 'list', '--to', '2020-12-31'], 0, /^$/],
  [['periods', 'list', '--from', '2020-01-01'], 0, /^PERIOD/],
  [['periods', 'list', '--to', '2020-12-31'], 0, /^$/],
  [['journals', 'list', '--to', '2020-12-31'], 0, /^$/],
  ...[
    ['trail', 'list'],
    ['cases', 'alerts'],
    ['imports'],
    ['fundings', 'quarantine'],
    ['fundings', 'syncs'],
  ].flatMap((words): [string[], number, RegExp][] => [
    [[...words, '--to', '2020-12-31'], 0, /^$/],
    [[...words, '--to', '2020-12-31', '--format', 'csv'], 0, /^[^\n]+\n?$/],
  ]),
  [
    ['trail', 'list', '--who', 'people', '--from', '2020-01-01'],
    0,
    /^AT +ACTOR +KIND +ORDER +AMOUNT +DETAIL +OUTCOME\n[^]* sync /,
  ],
  [['trail', 'list', '--who', 'program'], 0, / opened +A-5 /],
  [['fundings', 'syncs', '--from', '2020-01-01'], 0, /complete/],
  [['trail', 'verify'], 0, /^\d+ events are valid\.$[^]*^\d+:[0-9a-f]{64}$/m],
  [['walk'], 0, /unexplained/i],
  [['walk', '--step', 'expected'], 0, /^A-1 .* [\d.]+ USD$[^]*^Sum of \d orders: [\d.]+ USD\.$/m],
  [['walk', '--step', 'expected', '--format', 'csv'], 0, /,share,/],
  ...walkAmounts.map((step): [string[], number, RegExp] => [
    ['walk', '--step', step],
    0,
    /^No order has a share of this step\.$|^ORDER [^]*^Sum of \d orders?: [−\d.]+ USD\.$/m,
  ]),
  [() => ['radar', '--from', shopDays().from, '--to', shopDays().to], 0, /^\S.* RECONCILED /m],
  [['discounts', '--to', '2020-12-31'], 0, /^$/],
  [['radar', '--from', '2020-01-01', '--to', '2020-12-31', '--json'], 0, /^$/],
  [['export', 'orders'], 0, /A-5/],
  [
    () => ['import', ledgerFile(500), '--units', 'minor', '--dry-run'],
    0,
    /1 would be new[^]*^Dates without a zone are in UTC\.$/m,
  ],
  [() => ['migrate-report', '--from', shopDays().from, '--to', shopDays().to], 0, /in the report/],
  [['rebuild'], 0, /^analytics +ready$/m],
];

describe('without a running program', () => {
  it('takes the lease, runs the command in its own process and releases the lease', async () => {
    const { run } = commandLine(variables, refused);
    // All verbs reach the program in the same way, so four examples suffice: reading, writing, a
    // file and a finding.
    const kinds = ['sync', 'exceptions', 'export', 'import'];
    for (const [words, code, out] of verbs) {
      const asked = typeof words === 'function' ? words() : words;
      if (!kinds.includes(asked[0] ?? '')) continue;
      const ended = await run(...asked);
      expect([asked[0], ended.code, ended.err]).toEqual([asked[0], code, expect.any(String)]);
      expect(ended.out).toMatch(out);
    }
    const facts = await openFacts(join(folder, 'facts.db'));
    expect(await facts.leaseHolder()).toBeUndefined();
    await facts.close();
  });

  it('exits with 69 and names the lease holder if the holder is unreachable', async () => {
    const facts = await openFacts(join(folder, 'facts.db'));
    const now = Date.now();
    const fence = await facts.takeLease('elsewhere', 'http://10.0.0.7:4002', now, now + 60_000);
    const { run } = commandLine(variables, refused);
    const ended = await run('orders');
    expect(ended.code).toBe(69);
    expect(ended.err).toContain('The process at http://10.0.0.7:4002 is using the record store');
    if (fence) await facts.releaseLease(fence);
    await facts.close();
  });
});

describe('with a running program', () => {
  let leader: RunningServer;
  let standby: RunningServer;
  const started = async (change: Record<string, string>) =>
    serve(
      readConfiguration({ ...variables, ...change }, () => ''),
      { tickMs: 250, logger: { log: () => undefined } },
    );
  const client = (server: RunningServer, change: Record<string, string> = {}) =>
    commandLine({ RECONCILIATION_URL: server.url, RECONCILIATION_USER: 'Ines', ...change });

  beforeAll(async () => {
    leader = await started({});
    await until(async () => (await fetch(`${leader.url}/readyz`)).ok);
    standby = await started({
      RECONCILIATION_ANALYTICS_FILE: join(folder, 'standby.duckdb'),
    });
    await until(async () => (await fetch(`${standby.url}/readyz`)).ok);
  });
  afterAll(async () => {
    await standby.stop();
    await leader.stop();
  });

  it('refuses a program of another store, with both names, before anything is read or written', async () => {
    const own = variablesOf(shop, { RECONCILIATION_URL: leader.url });
    const made = await openFacts(own.RECONCILIATION_STORE?.slice('sqlite:'.length) ?? '');
    await made.close();
    const before = await leader.program.engine.facts.head();
    for (const words of [
      ['import', ledgerFile(500), '--units', 'minor'],
      ['export', 'orders'],
    ]) {
      const ended = await commandLine(own).run(...words);
      expect([ended.code, ended.out]).toEqual([78, '']);
      expect(ended.err).toContain(own.RECONCILIATION_STORE?.slice('sqlite:'.length));
      expect(ended.err).toContain(join(folder, 'facts.db'));
    }
    expect(await leader.program.engine.facts.head()).toBe(before);
  });

  it('refuses a program of another store if the file of its own store is missing', async () => {
    const missing = join(folder, 'missing', 'facts.db');
    const ended = await client(leader, { RECONCILIATION_STORE: `sqlite:${missing}` }).run('orders');
    expect([ended.code, ended.out]).toEqual([78, '']);
    expect(ended.err).toContain(missing);
    expect(existsSync(missing)).toBe(false);
  });

  it('refuses a program of another environment, with both names', async () => {
    const ended = await client(leader, { RECONCILIATION_ENVIRONMENT: 'production' }).run('orders');
    expect([ended.code, ended.out]).toEqual([78, '']);
    expect(ended.err).toMatch(/"sandbox"[^]*"production"/);
    const headers = { 'financing-environment': 'production' };
    const answer = await fetch(`${leader.url}/syncs`, { method: 'POST', headers });
    expect([answer.status, await answer.json()]).toMatchObject([
      409,
      { code: 'environment-mismatch' },
    ]);
  });

  it('finds the program of its own configuration at RECONCILIATION_PORT', async () => {
    const own = { ...variables, RECONCILIATION_PORT: new URL(leader.url).port };
    const asked: string[] = [];
    const { run } = commandLine(own, (input, init) => {
      asked.push(input);
      return fetch(input, init);
    });
    expect((await run('trail', 'verify')).code).toBe(0);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((url) => !url.startsWith(`${leader.url}/`))).toEqual([]);
  });

  it('runs each verb through its API', async () => {
    const { run } = client(leader);
    for (const [words, code, out] of verbs) {
      const asked = typeof words === 'function' ? words() : words;
      const ended = await run(...asked);
      expect([asked[0], ended.code, ended.err]).toEqual([asked[0], code, expect.any(String)]);
      expect(ended.out).toMatch(out);
    }
  });

  it('serves queries on a standby and rejects writes with the leader’s URL', async () => {
    const { run } = client(standby);
    await until(async () => (await run('exceptions')).code === 2);
    for (const words of [['orders', '--threshold', '9'], ['walk'], ['cases', 'list']]) {
      expect([words[0], (await run(...words)).code]).toEqual([words[0], 0]);
    }
    const file = ledgerFile(500);
    for (const words of [['sync'], ['import', file, '--units', 'minor']]) {
      const ended = await run(...words);
      expect([words[0], ended.code]).toEqual([words[0], 69]);
      expect(ended.err).toContain(`Send the request to ${leader.url}`);
    }
  });

  it('applies a case action once per key, on behalf of a person', async () => {
    const { run } = client(leader);
    const [line = ''] = (await run('cases', 'list', '--json')).out.split('\n');
    const { id } = JSON.parse(line) as { id: string };
    for (let tries = 0; tries < 2; tries++) {
      expect((await run('cases', 'note', id, 'asked', '--key', 'key-1')).code).toBe(0);
    }
    const { out } = await run('cases', 'show', id);
    expect(out.match(/note "asked"/g)).toHaveLength(1);
    expect(out).toContain('loopback, for Ines');
    const unnamed = client(leader, { RECONCILIATION_USER: '' });
    const ended = await unnamed.run('cases', 'note', id, 'again');
    expect([ended.code, ended.err]).toEqual([
      1,
      'Name the person with --by or RECONCILIATION_USER.',
    ]);
    expect((await run('cases', 'ignore', id, 'agreed')).code).toBe(0);
    expect((await run('exceptions')).code).toBe(0);
    expect((await run('cases', 'reopen', id, 'not agreed')).code).toBe(0);
  });

  it('lists and exports only unassigned cases', async () => {
    const { run } = client(leader);
    const [line = ''] = (await run('cases', 'list', '--json')).out.split('\n');
    const { id } = JSON.parse(line) as { id: string };
    const both = async () => [
      (await run('cases', 'list', '--unassigned')).out.includes(id),
      (await run('export', 'cases', '--unassigned')).out.includes(id),
    ];
    expect(await both()).toEqual([true, true]);
    expect((await run('cases', 'assign', id, 'Tomas')).code).toBe(0);
    expect(await both()).toEqual([false, false]);
    expect((await run('cases', 'assign', id)).code).toBe(0);
    const other = await run('export', 'orders', '--unassigned');
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('does not apply')]);
  });

  it('snoozes a case, lists it only on request, and wakes it', async () => {
    const { run } = client(leader);
    const [line = ''] = (await run('cases', 'list', '--json')).out.split('\n');
    const { id } = JSON.parse(line) as { id: string };
    const ended = await run('cases', 'snooze', id, '2099-01-31');
    expect([ended.code, ended.out]).toEqual([0, expect.stringContaining('snoozed')]);
    expect((await run('cases', 'list')).out).not.toContain(id);
    expect((await run('cases', 'list', '--snoozed')).out).toContain('snoozed until 2099-01-31');
    expect((await run('cases', 'wake', id)).code).toBe(0);
    expect((await run('cases', 'list')).out).toContain(id);
  });

  it('waits until a file is imported, and withdraws the import with the same file', async () => {
    const { run } = client(leader);
    const file = ledgerFile(500);
    const added = await run('import', file, '--units', 'minor');
    expect([added.code, added.out]).toEqual([0, expect.stringContaining('1 new')]);
    expect((await run('explain', 'ERP-1')).out).toContain('5.00 USD');
    const gone = await run('import', file, '--units', 'minor', '--withdraw');
    expect(gone.out).toContain('1 withdrawn');
    const wrong = join(folder, 'wrong.csv');
    writeFileSync(wrong, 'merchantOrderId,type,amount,currency,date\nA,settle,x,USD,yesterday\n');
    const refusedFile = await run('import', wrong, '--units', 'minor');
    expect([refusedFile.code, refusedFile.err]).toEqual([1, '2 errors: the ledger is unchanged.']);
    expect((await run('import', join(folder, 'nowhere.csv'))).err).toBe('The file does not exist.');
  });

  it('writes an export in each format, readable only by its owner', async () => {
    const { run } = client(leader);
    for (const [format, begins] of [
      ['csv', 'order'],
      ['ndjson', '{'],
      ['parquet', 'PAR1'],
      ['xlsx', 'PK'],
    ] as const) {
      const file = join(folder, `orders.${format}`);
      const ended = await run('export', 'orders', '--format', format, '--output', file);
      expect([format, ended.code, ended.err]).toEqual([format, 0, '']);
      expect(readFileSync(file, 'latin1').toLowerCase()).toMatch(
        new RegExp(`^${begins.toLowerCase()}`),
      );
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    for (const format of ['parquet', 'xlsx']) {
      const ended = await run('export', 'orders', '--format', format);
      expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('--output')]);
    }
    const file = join(folder, 'walk.xlsx');
    await run('walk', '--format', 'xlsx', '--output', file);
    expect(readFileSync(file, 'latin1')).toMatch(/^PK/);
    const unnamed = await run('walk', '--format', 'xlsx');
    expect([unnamed.code, unnamed.err]).toEqual([1, expect.stringContaining('--output')]);
  });

  it('writes a backup while the program runs', async () => {
    const { run } = commandLine(variables);
    const file = join(folder, 'backup.db');
    expect(await run('backup', file)).toEqual({ code: 0, out: '', err: 'The backup is complete.' });
    const copy = await openFacts(file);
    expect(await copy.head()).toBeGreaterThan(0);
    await copy.close();
  });

  it('doctor reports a healthy installation and each kind of problem', async () => {
    const { run } = commandLine(variables);
    const well = await run('doctor');
    expect([well.code, well.out]).toEqual([0, expect.stringMatching(/a process writes/)]);
    const closed = commandLine({ ...variables, RECONCILIATION_COMPANION_TOKEN: 'x'.repeat(32) });
    const ill = await closed.run('doctor');
    expect([ill.code, ill.out]).toEqual([1, expect.stringContaining('scope "fundings"')]);
    const other = commandLine({ ...variables, RECONCILIATION_ENVIRONMENT: 'production' });
    expect((await other.run('doctor')).out).toContain('holds facts of "sandbox"');
    const away = commandLine({ ...variables, RECONCILIATION_LAKE: '/no-such-folder' });
    expect((await away.run('doctor')).out).toContain('Check RECONCILIATION_LAKE');
    const none = commandLine({});
    expect((await none.run('doctor', '--json')).code).toBe(78);
  });

  it('doctor names pending migrations and applies none', async () => {
    const file = join(folder, 'empty.db');
    new DatabaseSync(file).close();
    const doctor = async () => {
      const { out } = await commandLine({
        ...variables,
        RECONCILIATION_STORE: `sqlite:${file}`,
      }).run('doctor');
      return out;
    };
    expect(await doctor()).toContain('is empty');
    await (await openFacts(file)).close();
    expect(await doctor()).toContain('0 facts');
    const store = new DatabaseSync(file);
    const version = () => store.prepare('select count(*) as applied from kysely_migration').get();
    store.exec(`update kysely_migration set name = '0001-baseline'`);
    expect(await doctor()).toContain('name a new, empty store in RECONCILIATION_STORE');
    expect(version()).toEqual({ applied: 1 });
    store.close();
  });
});
