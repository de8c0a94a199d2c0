import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { main, runHere, start } from './command.fixture.ts';

let dataDir: string;
let running: ChildProcess | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sandbox-conformance-'));
});
afterEach(() => {
  running?.kill('SIGKILL');
  running = undefined;
  rmSync(dataDir, { recursive: true });
});

/** Serves on free ports. @returns what it said until it was ready */
async function serve(...more: string[]): Promise<string> {
  const ports = ['--api-port', '0', '--hosted-port', '0', '--control-port', '0'];
  running = spawn(process.execPath, [main, 'serve', '--data-dir', dataDir, ...ports, ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  if (!running.stdout) throw new Error('It has no output.');
  for await (const line of createInterface({ input: running.stdout })) {
    said += `${line}\n`;
    if (line.endsWith('ready')) break;
  }
  return said;
}

const conformance = (...parameters: string[]) => start(main, 'conformance', ...parameters);

/** The arguments that judge the sandbox which said this. */
function subject(said: string): string[] {
  const key = (name: string) => join(dataDir, 'keys', `sandbox.${name}`);
  return [
    ...['--base-url', /API of sandbox: (\S+)/.exec(said)?.[1] ?? ''],
    ...['--environment', 'sandbox'],
    ...['--public-key', readFileSync(key('public'), 'utf8').trim()],
    ...['--private-key-file', key('private')],
    ...['--ca-file', join(dataDir, 'ca.pem')],
  ];
}

it('prints a table and ends with 0 when no rule failed; JSON on request', async () => {
  const args = subject(await serve());
  const table = await conformance(...args);
  expect(table).toMatchObject({ code: 0, stderr: '' });
  expect(table.stdout).toMatch(/^pass +5\.3\.missing +A missing key is answered 401$/m);
  expect(table.stdout).toMatch(/^not checkable +4\.2 /m);
  expect(table.stdout).toMatch(/\d+ passed, 0 failed, \d+ not checkable, \d+ not run/);
  const json = await runHere('conformance', ...args, '--json', '--only', '5.2', '9.path');
  expect(JSON.parse(json.stdout)).toMatchObject({ environment: 'sandbox', passed: 2, failed: 0 });
  const privateKey = readFileSync(join(dataDir, 'keys', 'sandbox.private'), 'utf8').trim();
  expect(table.stdout + json.stdout).not.toContain(privateKey);
});

it('ends with 1 when a rule failed, against a sandbox that says it is broken', async () => {
  const said = await serve('--break', 'public-key');
  expect(said).toContain('BROKEN ON PURPOSE: public-key');
  const { code, stdout } = await conformance(...subject(said));
  expect(stdout).toMatch(/^FAIL +5\.4 /m);
  expect(stdout).toMatch(/\b1 failed/);
  expect(code).toBe(1);
});

it('ends with 2, and judges nothing, when an argument is wrong', async () => {
  const file = join(dataDir, 'key');
  writeFileSync(file, 'a-private-key-of-nobody\n');
  const right = {
    '--base-url': 'https://localhost:9',
    '--environment': 'sandbox',
    '--public-key': 'p',
    '--private-key-file': file,
  };
  const wrong: [Record<string, string>, RegExp][] = [
    [{}, /Nothing answers at https:\/\/localhost:9/],
    [{ '--base-url': 'http://localhost:9' }, /begins with https/],
    [{ '--environment': 'moon' }, /uat, sandbox, production/],
    [
      { '--private-key-file': join(dataDir, 'none') },
      /--private-key-file cannot be read \(ENOENT\)/,
    ],
    [{ '--prime-body-file': file }, /does not hold a JSON object/],
    [{ '--ca-file': file }, /not a certificate in PEM/],
    [{ '--timeout': 'soon' }, /--timeout is a number/],
    [{ '--only': '4.9' }, /no such rule/],
    [{ '--privet-key': 'x' }, /unknown option/],
  ];
  for (const [change, message] of wrong) {
    const { code, stdout, stderr } = await runHere(
      'conformance',
      ...Object.entries({ ...right, ...change }).flat(),
    );
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toMatch(/a-private-key|\n {4}at /);
  }
});
