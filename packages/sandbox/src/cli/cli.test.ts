import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** The command as it is published: built beforehand by `tsc -b`. */
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

let dataDir: string;
let running: ChildProcess | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sandbox-cli-'));
});
afterEach(() => {
  running?.kill('SIGKILL');
  running = undefined;
  rmSync(dataDir, { recursive: true });
});

/** Serves on free ports. @returns the lines it said until it was ready, and the process */
async function serve(...more: string[]) {
  const ports = ['--api-port', '0', '--hosted-port', '0', '--control-port', '0'];
  const child = spawn(process.execPath, [main, 'serve', '--data-dir', dataDir, ...ports, ...more]);
  running = child;
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes('ready')) break;
  }
  return { child, said: lines.join('\n') };
}

async function run(...parameters: string[]) {
  const child = spawn(process.execPath, [main, ...parameters]);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

it.each(['SIGINT', 'SIGTERM'] as const)(
  'serves, moves its clock, ends at %s with 0',
  async (signal) => {
    const { child, said } = await serve();
    const controlUrl = /control API: (\S+)/.exec(said)?.[1] ?? '';
    const set = await run('clock', 'set', '2030-01-01T00:00:00Z', '--control-url', controlUrl);
    expect(set).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^2030-01-01T/) as unknown,
    });
    const advanced = await run('clock', 'advance', '2d', '--control-url', controlUrl);
    expect(advanced.output).toMatch(/^2030-01-03T/);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);

it('logs lines of JSON on request', async () => {
  const { said } = await serve('--log', 'json');
  for (const line of said.split('\n')) {
    expect(JSON.parse(line)).toMatchObject({ level: 'info', part: 'sandbox' });
  }
});

it('shows private keys only when told to', async () => {
  await serve();
  const privateKey = readFileSync(join(dataDir, 'keys', 'sandbox.private'), 'utf8').trim();
  expect((await run('keys', '--data-dir', dataDir)).output).not.toContain(privateKey);
  const revealed = await run('keys', '--data-dir', dataDir, '--reveal-private');
  expect(revealed.output).toContain(privateKey);
});

it.each([
  [['keys', '--data-dir', '/nowhere'], /There are no keys in/],
  [['clock', 'show', '--control-url', 'http://127.0.0.1:9'], /No sandbox answers/],
  [['serve', '--data-dir', 'x', '--api-port', '70000'], /A port is a number/],
])('%j is refused with what to do', async (parameters, message) => {
  const { code, output } = await run(...parameters);
  expect(code).toBe(1);
  expect(output).toMatch(message);
  expect(output).not.toMatch(/\n {4}at /);
});
