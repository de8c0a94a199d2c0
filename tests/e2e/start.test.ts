import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CaseRecord,
  type CaseSummary,
  exceptionCodes,
  type Forecast,
  type ListedOrder,
  type PeriodDetail,
  type Periods,
  type ReconciliationSummary,
  type Today,
} from '../../packages/contract/dist/reconciliation/index.js';
import { isUnused } from '../../scripts/history/sandbox.ts';
import { root } from '../../scripts/paths.ts';
import { startProgram, type Program } from '../../scripts/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'financing-checkout-'));
let squatter: Server;
let start: Program;
const output = () => start.lines.join('\n');
const addresses = () =>
  [...output().matchAll(/http:\/\/(?:localhost|127\.0\.0\.1):\d+/g)].map(([address]) => address);

const DAY_MS = 86_400_000;
const LAST_LINE = 'Let a day pass';
const MONTH_LINE = 'The console shows a seeded month';

/** Runs `npm start` until it prints a text. */
async function run(until: string) {
  let ready: () => void = () => undefined;
  const running = new Promise<void>((resolve) => (ready = resolve));
  start = startProgram({
    name: 'start',
    file: join(root, 'scripts', 'start.ts'),
    args: ['--data-dir', folder],
    cwd: root,
    env: {},
    onLine: (_, line) => line.includes(until) && ready(),
  });
  const how = await Promise.race([running, start.ended]);
  if (how) throw new Error(`It ended instead of starting:\n${output()}`);
}

async function reset(dataDir: string, ...more: string[]) {
  const program = startProgram({
    name: 'reset',
    file: join(root, 'scripts', 'reset.ts'),
    args: ['--data-dir', dataDir, ...more],
    cwd: root,
    env: {},
  });
  const { code } = await program.ended;
  return { code, output: program.lines.join('\n') };
}

beforeAll(async () => {
  // Another program occupies the shop's usual port.
  squatter = createServer().listen(3000);
  await once(squatter, 'listening').catch(() => undefined);
  await run(MONTH_LINE);
}, 900_000);
afterAll(async () => {
  await start.stop();
  squatter.close();
  rmSync(folder, { recursive: true, force: true });
});

const reconciliation = () => /Reconciliation {2,}(\S+)/.exec(output())?.[1] ?? '';

/** Sends a request to reconciliation as ben, who may only read. */
async function read(path: string): Promise<string> {
  const token = readFileSync(join(folder, 'secrets/ben-token'), 'utf8');
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(reconciliation() + path, { headers });
  expect(answer.status, path).toBe(200);
  return answer.text();
}
const ask = async <Body>(path: string) => JSON.parse(await read(path)) as Body;

interface Sum {
  currency: string;
  amount: number | null;
}

/** Returns the sums of absolute amounts by currency, without amounts of unknown currency. */
function sumsOf(list: readonly Sum[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { amount, currency } of list.toSorted((a, b) => (a.currency < b.currency ? -1 : 1))) {
    if (amount === null || amount === 0 || currency === '') continue;
    sums[currency] = (sums[currency] ?? 0) + Math.abs(amount);
  }
  return sums;
}

interface Summary {
  complete: boolean;
  exceptions: { code: string }[];
}
let summary: Summary;

describe('npm start', () => {
  test('prints the address of the console first, and the files with the tokens for it', () => {
    const [first = ''] =
      output()
        .split('Financing Checkout is running')[1]
        ?.match(/http\S+/) ?? [];
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/$/);
    expect(output()).toContain('anna-token');
  });

  test('prints the address of the documentation', () => {
    expect(output()).toMatch(/Documentation {2,}http:\/\/127\.0\.0\.1:\d+\//);
  });

  test('opens with a proven month of orders that has an exception of each code', async () => {
    summary = await ask<Summary>('/summary');
    expect(summary.complete).toBe(true);
    const found = new Set(summary.exceptions.map(({ code }) => code));
    expect([...found].toSorted()).toEqual([...exceptionCodes].toSorted());
    const { orders } = await ask<{ orders: object[] }>('/orders?limit=500');
    expect(orders.length).toBeGreaterThan(350);
    const today = new Date().toISOString().slice(0, 10);
    const before = new Date(Date.now() - 36 * DAY_MS).toISOString().slice(0, 10);
    const { days } = await ask<{ days: { state: string }[] }>(`/days?from=${before}&to=${today}`);
    expect(days.map(({ state }) => state)).toEqual(Array.from({ length: 37 }, () => 'complete'));
  });

  test('opens with cases that people worked on', async () => {
    const states = ['open', 'resolved', 'ignored'] as const;
    for (const state of states) {
      const { cases } = await ask<{ cases: object[] }>(`/cases?state=${state}`);
      expect(cases.length, state).toBeGreaterThan(0);
    }
    const { cases } = await ask<{ cases: { assignee?: string }[] }>('/cases?limit=500');
    const assignees = new Set(cases.map(({ assignee }) => assignee));
    expect(assignees).toEqual(new Set(['anna', 'ben', undefined]));
    expect(await ask('/trail/verification')).toMatchObject({ valid: true });
  });

  test('opens with a period that two persons closed, and the next one ready for decisions', async () => {
    const { periods, open } = await ask<Periods>('/periods');
    expect(periods.at(-1)).toMatchObject({
      state: 'closed',
      seal: { seq: 1, preparedBy: 'anna', approvedBy: 'clara', isApprovedBySecond: true },
    });
    const { checks } = await ask<PeriodDetail>(`/periods/${open}`);
    const left = checks.flatMap(({ check, state }) => (state === 'done' ? [] : [check]));
    expect(left).toEqual(['cases-decided', 'fundings-counted']);
    expect(await ask('/periods/verification')).toMatchObject({ isIntact: true });
  });

  test('opens with work of the day: exceptions and holds that end soon', async () => {
    const { counts } = await ask<{ counts: Record<string, number> }>('/today');
    expect(counts).toMatchObject({ hold: 5 });
    expect(counts.exception).toBeGreaterThan(20);
  });

  test('states one money at stake, to the cent, in each answer, export and command', async () => {
    const { cases } = await ask<{ cases: CaseRecord[] }>('/cases?state=open&limit=1000');
    const { orders } = await ask<{ orders: ListedOrder[] }>('/orders?limit=1000');
    // The rule once more: what is open of an order whose payment is unclear; else each amount, and
    // of two that tell of the same money the larger one.
    const ofOrders = Map.groupBy(
      cases.filter(({ currency, currencyAssumed = false }) => currency !== '' && !currencyAssumed),
      ({ orderKey, currency }) => JSON.stringify([orderKey, currency]),
    );
    const expected = sumsOf(
      [...ofOrders.values()].map((own) => {
        const [{ orderKey, currency } = { orderKey: '', currency: '' }] = own;
        const left = new Map(own.map(({ code, amount }) => [code, Math.abs(amount)]));
        const take = (code: CaseRecord['code']) => {
          const amount = left.get(code) ?? 0;
          left.delete(code);
          return amount;
        };
        let amount = Math.max(take('DOUBLE_DEBIT'), take('CHARGEBACK_OPEN'));
        amount += Math.max(take('NOT_IN_LEDGER'), take('MISSING_IN_SERVICE'));
        if (left.has('AMBIGUOUS_PAYMENT') && left.has('MISSING_AT_LENDER')) {
          const order = orders.find(
            (one) => one.orderKey === orderKey && one.currency === currency,
          );
          const open = (order?.expected.settle ?? 0) - (order?.funded.settle ?? 0);
          expect(open).toBeGreaterThan(0);
          expect(take('MISSING_AT_LENDER')).toBeGreaterThan(open);
          take('AMBIGUOUS_PAYMENT');
          amount += open;
        }
        return { currency, amount: [...left.values()].reduce((sum, one) => sum + one, amount) };
      }),
    );
    expect(Object.keys(expected)).toEqual(['CAD', 'EUR', 'USD']);

    const assumed = cases.filter(({ currencyAssumed = false }) => currencyAssumed).length;
    expect(assumed).toBeGreaterThan(0);
    const summary = await ask<CaseSummary>('/cases/summary?state=open&merged=false');
    expect(summary).toMatchObject({ count: cases.length, assumedCurrency: assumed });
    const today = await ask<Today>('/today');
    const { exception, 'late-funding': late } = today.amounts;
    const aging = await ask<{ cells: Sum[]; assumedCurrency: number }>('/cases/aging');
    expect(aging.assumedCurrency).toBe(assumed);
    const { exceptions } = await ask<ReconciliationSummary>('/summary');
    const items = today.items.filter(
      ({ currencyAssumed = false, kind }) =>
        !currencyAssumed && (kind === 'exception' || kind === 'late-funding'),
    );
    const listed = cases.filter(({ currencyAssumed = false }) => !currencyAssumed);
    const sums: Record<string, Sum[]> = {
      'rows of cases': listed.map(({ amount, atStake, currency }) => ({
        currency,
        amount: atStake ?? amount,
      })),
      'summary of cases': summary.amounts,
      'aging of cases': aging.cells,
      'tiles of Today': [...(exception ?? []), ...(late ?? [])],
      'items of Today': items.map(({ amount = 0, currency = '' }) => ({ amount, currency })),
      summary: exceptions,
      'export of cases': await exported('exports/cases?state=open&merged=false', 'at_stake'),
      'export of exceptions': await exported('exports/exceptions?', 'at_stake'),
      'export of the aging': await exported('cases/aging?', 'amount'),
      'export of Today': [
        ...(await exported('today?kind=exception', 'amount')),
        ...(await exported('today?kind=late-funding', 'amount')),
      ],
      'cases list': (await run('cases', 'list', '--limit', '1000'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as CaseRecord)
        .filter(({ currencyAssumed = false }) => !currencyAssumed)
        .map(({ amount, atStake, currency }) => ({ currency, amount: atStake ?? amount })),
      'cases aging': (await run('cases', 'aging'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Sum),
    };
    const found = Object.fromEntries(
      Object.entries(sums).map(([name, list]) => [name, sumsOf(list)]),
    );
    expect(found).toEqual(Object.fromEntries(Object.keys(sums).map((name) => [name, expected])));

    // What is late is the same money on Today, in the calendar and in the list of its orders.
    const forecast = await ask<Forecast>('/forecast');
    const due = await ask<{ shares: Sum[] }>('/orders?due=late');
    expect([sumsOf(forecast.late), sumsOf(due.shares)]).toEqual([
      sumsOf(late ?? []),
      sumsOf(late ?? []),
    ]);
    const opened = [...(await read('/metrics')).matchAll(/cases_open\{.*\} (\d+)$/gm)];
    expect(opened.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(cases.length);
    const { counts } = today;
    expect((counts.exception ?? 0) + (counts['late-funding'] ?? 0)).toBe(
      cases.length - summary.countedWithOthers,
    );

    async function exported(query: string, column: string): Promise<Sum[]> {
      const text = await read(`/${query}&format=csv`);
      const [head = [], ...lines] = text
        .trim()
        .split('\r\n')
        // No quoted text is needed.
        .map((line) => line.replaceAll(/"[^"]*"/g, '').split(','));
      const at = (name: string) => head.indexOf(name);
      return lines
        .filter((line) => line[at('currency_assumed')] !== 'yes')
        .map((line) => ({
          currency: line[at('currency')] ?? '',
          amount: Math.round(Number(line[at(column)]) * 100),
        }));
    }

    /** Runs a command and returns what it prints as JSON. */
    async function run(...args: string[]): Promise<string> {
      const main = join(root, 'packages/reconciliation/dist/cli/main.js');
      const env = {
        ...process.env,
        RECONCILIATION_URL: reconciliation(),
        RECONCILIATION_TOKEN_FILE: join(folder, 'secrets/ben-token'),
      };
      const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, '--json'], {
        env,
      });
      return stdout;
    }
  });

  test('opens with charges to settle and to refund', async () => {
    const [, backOffice = ''] = /Companion .*back office, (\S+)/.exec(output()) ?? [];
    const token = readFileSync(join(folder, 'secrets/back-office-token'), 'utf8');
    // Orders that are only authorized move no money, so reconciliation does not list them; they came first.
    const { orders } = await ask<{ orders: { merchantOrderId?: string }[] }>('/orders?limit=500');
    const own = orders.flatMap(({ merchantOrderId = '' }) => {
      const [, number] = /^NB-\d{4}-(\d+)$/.exec(merchantOrderId) ?? [];
      return number === undefined ? [] : [Number(number)];
    });
    const states = Array.from({ length: 8 }, async (_, index) => {
      const order = `NB-${new Date().getUTCFullYear()}-${Math.max(...own) - index}`;
      const answer = await fetch(`${backOffice}/charges?merchantOrderId=${order}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { charges } = (await answer.json()) as { charges: { state: string }[] };
      return charges.map(({ state }) => state);
    });
    expect((await Promise.all(states)).flat().toSorted()).toEqual([
      ...['Authorized', 'Authorized', 'Authorized', 'PartiallySettled', 'PartiallySettled'],
      ...['Settled', 'Settled', 'SettledPartiallyRefunded'],
    ]);
  });

  test('reports an occupied port, uses the next one, and prints working addresses', async () => {
    expect(output()).toMatch(/Port 3000 \(shop\) is taken by another program: using \d+/);
    const shop = /Shop {2,}(http:\/\/localhost:\d+)/.exec(output())?.[1] ?? '';
    expect(shop).not.toMatch(/^$|:3000$/);
    const page = await fetch(shop);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<h1');
  });

  test('prints a command that shows fundings', () => {
    const command = /What lenders paid {2,}(.+)/.exec(output())?.[1] ?? '';
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd: root,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/37/);
  });

  test('prefixes the output of each program', () => {
    for (const name of ['sandbox', 'companion', 'reconciliation', 'shop']) {
      expect(start.lines.some((line) => line.startsWith(`${name} `) && line.includes('│'))).toBe(
        true,
      );
    }
  });

  test('npm run reset refuses to delete its folder', async () => {
    const { code, output } = await reset(folder);
    expect(output).toContain('end it first, with Ctrl-C');
    expect(code).toBe(1);
    expect(existsSync(join(folder, 'secrets'))).toBe(true);
  });

  test('stops all programs on Ctrl-C', async () => {
    expect(new Set(addresses()).size).toBeGreaterThanOrEqual(6);
    await start.stop('SIGINT');
    expect(await start.ended).toEqual({ code: 0, signal: null });
    for (const address of addresses()) await expect(fetch(address)).rejects.toThrow();
  });

  test('opens with the same month at the second start, and leaves no program running when it is killed', async () => {
    await run(LAST_LINE);
    expect(output()).not.toContain('seeded month');
    expect(await ask('/summary')).toEqual(summary);
    await start.stop('SIGKILL');
    for (const address of addresses()) {
      await expect.poll(() => fetch(address).catch(() => 'gone')).toBe('gone');
    }
  });

  test('npm run reset deletes only its own files', async () => {
    writeFileSync(join(folder, 'my thesis'), 'the only copy');
    expect((await reset(folder)).code).toBe(0);
    expect(readdirSync(folder)).toEqual(['my thesis']);
    expect(isUnused(folder)).toBe(true);
    mkdirSync(join(folder, 'shop'));
    expect((await reset(folder)).code).toBe(0);
    expect(readdirSync(folder)).toEqual(['my thesis', 'shop']);
  });
});

describe('npm run reset', () => {
  test('deletes a damaged state, and accepts a missing folder', async () => {
    const own = mkdtempSync(join(tmpdir(), 'financing-checkout-'));
    mkdirSync(join(own, 'sandbox'));
    writeFileSync(join(own, 'sandbox', 'sandbox.db'), 'no database'.repeat(1000));
    expect((await reset(own)).code).toBe(0);
    expect(readdirSync(own)).toEqual([]);
    expect((await reset(join(own, 'none'))).code).toBe(0);
  });

  test('prints its usage for an unknown option', async () => {
    const { code, output } = await reset(folder, '--folder', 'x');
    expect(output).toContain('Usage: npm run reset');
    expect(code).toBe(2);
  });
});
