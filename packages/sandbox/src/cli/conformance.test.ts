import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KeyKind } from '../environments/keys.ts';
import { startSandbox, type Sandbox } from '../sandbox.ts';
import { runHere } from './command.fixture.ts';

let dataDir: string;
let running: Sandbox | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sandbox-conformance-'));
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  process.exitCode = undefined;
  rmSync(dataDir, { recursive: true });
});

/** Starts a sandbox for the command, with an optional wrapper around its API. */
async function serve(...front: [Parameters<typeof startSandbox>[1]?]): Promise<Sandbox> {
  running = await startSandbox({ dataDir }, ...front);
  return running;
}

const conformance = (...parameters: string[]) => runHere('conformance', ...parameters);

/** Returns the command-line arguments for checking a sandbox. */
function subject({ apiUrl, caFile }: Sandbox): string[] {
  const key = (name: string) => join(dataDir, 'keys', `sandbox.${name}`);
  return [
    ...['--base-url', apiUrl],
    ...['--environment', 'sandbox'],
    ...['--public-key', readFileSync(key('public'), 'utf8').trim()],
    ...['--private-key-file', key('private')],
    ...['--ca-file', caFile],
  ];
}

it('prints a table, or JSON on request, when no rule fails', async () => {
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

it('sets exit code 1 when a rule fails', async () => {
  const sandbox = await serve((app, keys) => ({
    fetch: (request: Request, bindings: never) => {
      const key = (kind: KeyKind) => `Bearer ${keys.get('sandbox', kind).value}`;
      const accepted = new Request(request);
      if (request.headers.get('authorization') === key('public')) {
        accepted.headers.set('authorization', key('private'));
      }
      return app.fetch(accepted, bindings);
    },
  }));
  const { stdout } = await conformance(...subject(sandbox), '--only', '5');
  expect(stdout).toMatch(/^FAIL +5\.4 /m);
  expect(stdout).toMatch(/\b1 failed/);
  expect(process.exitCode).toBe(1);
});

it('exits with 2 and prints no report for an invalid argument', async () => {
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
