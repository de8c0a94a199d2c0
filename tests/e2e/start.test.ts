import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../scripts/paths.ts';
import { startProgram, type Program } from '../../scripts/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'financing-checkout-'));
let squatter: Server;
let start: Program;
const output = () => start.lines.join('\n');
const addresses = () =>
  [...output().matchAll(/http:\/\/(?:localhost|127\.0\.0\.1):\d+/g)].map(([address]) => address);

async function run() {
  let ready: () => void = () => undefined;
  const running = new Promise<void>((resolve) => (ready = resolve));
  start = startProgram({
    name: 'start',
    file: join(root, 'scripts', 'start.ts'),
    args: ['--data-dir', folder],
    cwd: root,
    env: {},
    onLine: (_, line) => line.includes('Let a day pass') && ready(),
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
  await run();
});
afterAll(async () => {
  await start.stop('SIGTERM', 10_000);
  squatter.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('npm start', () => {
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
    // No fundings have been read yet, so no day is proven.
    expect([status, stderr]).toEqual([3, expect.stringContaining('financing-reconcile sync')]);
    expect(stdout).not.toBe('');
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
    await start.stop('SIGINT', 10_000);
    expect(await start.ended).toEqual({ code: 0, signal: null });
    for (const address of addresses()) await expect(fetch(address)).rejects.toThrow();
  });

  test('leaves no program running when it is killed', async () => {
    await run();
    await start.stop('SIGKILL');
    for (const address of addresses()) {
      await expect.poll(() => fetch(address).catch(() => 'gone'), { timeout: 10_000 }).toBe('gone');
    }
  });

  test('npm run reset deletes only its own files', async () => {
    writeFileSync(join(folder, 'my thesis'), 'the only copy');
    expect((await reset(folder)).code).toBe(0);
    expect(readdirSync(folder)).toEqual(['my thesis']);
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
