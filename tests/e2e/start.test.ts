import { spawnSync } from 'node:child_process';
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
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  exceptionCodes,
  type PeriodDetail,
  type Periods,
} from '../../packages/contract/dist/index.js';
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
});
afterAll(async () => {
  await start.stop();
  squatter.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends a request to reconciliation as ben, who may only read. */
async function ask<Body>(path: string): Promise<Body> {
  const [, url = ''] = /Reconciliation {2,}(\S+)/.exec(output()) ?? [];
  const token = readFileSync(join(folder, 'secrets/ben-token'), 'utf8');
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as Body;
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
