import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { KeyRing } from '../environments/keys.ts';
import { discard, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';
import { oldestNode } from '../supported-node.ts';
import { main, runHere, start } from './command.fixture.ts';

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

/** Starts `serve` as a process on free ports. @returns the process, and its lines until "ready" */
async function serve(...more: string[]) {
  const ports = ['--api-port', '0', '--hosted-port', '0', '--control-port', '0'];
  const child = spawn(process.execPath, [main, 'serve', '--data-dir', dataDir, ...ports, ...more]);
  running = child;
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes('ready')) break;
  }
  return { child, output: lines.join('\n') };
}

/** Runs the program on a Node.js that reports a different version and has no `node:sqlite`. */
function runOn(version: string, ...parameters: string[]) {
  const pretend = `import { registerHooks } from 'node:module';
    const value = { ...process.versions, node: '${version}' };
    Object.defineProperty(process, 'versions', { value });
    const resolve = (name, context, next) => next(name === 'node:sqlite' ? 'node:none' : name, context);
    registerHooks({ resolve });`;
  return start(
    '--import',
    `data:text/javascript,${encodeURIComponent(pretend)}`,
    main,
    ...parameters,
  );
}

it('rejects an older Node.js with a one-line message', async () => {
  const [major = 0, minor = 0] = oldestNode.split('.').map(Number);
  expect(manifest.engines.node).toBe(`>=${oldestNode}`);
  const older = [`${major - 2}.20.2`, `${major}.${minor - 1}.0`];
  for (const version of older) {
    const { code, output } = await runOn(version, 'serve', '--data-dir', dataDir);
    expect(output).toBe(
      `financing-sandbox needs Node.js ${oldestNode} or later; this is ${version}.\n`,
    );
    expect(code).toBe(1);
  }
  // The oldest supported version passes the check, and then fails on the missing module.
  expect((await runOn(`${major}.${minor}.0`, '--help')).output).toContain('node:none');
});

it.each(['serve', 'seed'])('%s explains that its folder cannot be used', async (command) => {
  const more = command === 'seed' ? ['--orders', '10'] : ['--api-port', '0'];
  const file = join(dataDir, 'sandbox.db');
  writeFileSync(file, 'not a database, but long enough to be looked at as one'.repeat(10));
  const damaged = await runHere(command, '--data-dir', dataDir, ...more);
  expect(damaged).toMatchObject({
    code: 1,
    output: expect.stringContaining('move it away') as string,
  });
  const noFolder = await runHere(command, '--data-dir', file, ...more);
  expect(noFolder).toMatchObject({ code: 1, output: expect.stringContaining('EEXIST') as string });
  expect(damaged.output + noFolder.output).not.toContain(' at ');
});

it('serves until SIGTERM, with an optional JSON Lines log', async () => {
  const { child, output } = await serve('--log', 'json');
  const lines = output.split('\n').map((line) => JSON.parse(line) as { message: string });
  expect(lines).toContainEqual(expect.objectContaining({ level: 'info', part: 'sandbox' }));
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('serves until SIGINT', async () => {
  const { child } = await serve();
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

it('exits with 0 when the reader closes the pipe', async () => {
  const child = spawn(process.execPath, [main, '--help']);
  running = child;
  child.stdout.destroy();
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(output).toBe('');
});

it('hides private keys without --reveal-private', async () => {
  const { value } = new KeyRing(dataDir, Date.now).get('sandbox', 'private');
  expect((await runHere('keys', '--data-dir', dataDir)).output).not.toContain(value);
  const revealed = await runHere('keys', '--data-dir', dataDir, '--reveal-private');
  expect(revealed.output).toContain(value);
});

it('explains that serve cannot listen on an unknown host', async () => {
  const { code, output } = await runHere(
    ...['serve', '--data-dir', dataDir, '--host', 'nowhere.invalid'],
  );
  expect(output).toMatch(/cannot listen on nowhere\.invalid.*--host/);
  expect(code).toBe(1);
});

it.each([
  [1, ['serve', '--data-dir', ''], /cannot be used \(ENOENT\)/],
  [1, ['seed', '--data-dir', '', '--orders', '9'], /cannot be used \(ENOENT\)/],
  [1, ['keys', '--data-dir', '/nowhere'], /There are no keys in/],
  [1, ['clock', 'show', '--control-url', 'http://127.0.0.1:9'], /No sandbox answers/],
  [1, ['state', 'load', '/nowhere.db', '--data-dir', 'x'], /cannot be used \(ENOENT\)/],
  [1, ['state', 'load', '--data-dir', '/nowhere', main], /no control token in \/nowhere/],
  [1, ['notify', 'set', 'http://localhost/', '--authorization-file', '/nowhere'], /cannot be read/],
  [2, ['serve', '--data-dir', 'x', '--notify-authorization-file', 'y'], /needs --notify-url/],
  [2, ['fault', 'list', '--control-url', 'nowhere'], /not a URL/],
  [2, ['lender', 'set', 'nobody', '--lag', '1'], /tamberley, quillmoor/],
  [2, ['lender', 'set', 'quillmoor', '--rate', '3'], /percentage such as/],
  [2, ['lender', 'set', 'quillmoor', '--lag', 'soon'], /whole number/],
  [2, ['lender', 'set', 'quillmoor'], /--name, --rate, --lag or --leaves-out/],
  [2, ['seed', '--orders', '0'], /--orders must be a whole number from 1/],
  [2, ['seed', '--orders', '9', '--days', '2'], /--days must be a whole number from 5/],
  [2, ['seed', '--orders', '9', '--from', '2026-02-30'], /--from must be a day/],
  [2, ['seed', '--orders', '9', '--faults', 'bad=1%'], /no kind of mismatch/],
  [2, ['seed', '--orders', '9', '--currencies', 'XXX'], /ISO 4217/],
  [2, ['serve', '--data-dir', 'x', '--api-port', '70000'], /A port is a number/],
  [2, ['serve'], /--data-dir/],
  [2, ['keys', 'rotate', 'staging'], /uat, sandbox, production/],
  [2, ['keys', 'rotate'], /environment/],
  [2, ['fault', 'add', 'earthquake'], /latency, refused/],
  [2, ['fault', 'add', 'reset', '--probability', '2'], /from 0 to 1/],
  [2, ['outcome', 'set', 'maybe'], /approve, decline/],
  [2, ['outcome', 'resolve', 'x', 'perhaps'], /approved, declined/],
  [2, ['transaction', 'set', 'pending-fail', 'Chargeback'], /Settle, Refund, Void/],
  [2, ['behavior', 'set', 'charge-idempotency', 'perhaps'], /kept, token-only/],
  [2, ['behavior', 'set', 'mood', 'kept'], /charge-idempotency, unknown-confirmation/],
  [2, ['state', 'save', '--data-dir', 'x'], /file/],
  [2, ['state', 'save', 'x'], /--data-dir/],
] as const)('returns exit code %d for %j, with a hint', async (expected, parameters, message) => {
  const { code, output } = await runHere(...parameters);
  expect(output).toMatch(message);
  expect(code).toBe(expected);
  expect(output).not.toMatch(/\n {4}at /);
});

it.each([
  [1, ['keys', '--data-dir', '/nowhere'], /There are no keys in/],
  [2, ['nonsense'], /unknown command/],
] as const)('exits the process with %d for %j', async (expected, parameters, message) => {
  const { code, stdout, stderr } = await start(main, ...parameters);
  expect(stderr).toMatch(message);
  expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
  expect(stderr).not.toMatch(/\n {4}at /);
});

it.each([
  ['outcome set', /Arguments:\n {2}outcome .*"approve", "decline"/s],
  ['outcome resolve', /decision .*"approved", "declined"/s],
  ['transaction set', /outcome .*"pending-complete".*type .*"Settle", "Refund"/s],
  ['transaction resolve', /end .*"completed", "failed"/s],
  ['notify stop', /environment .*"uat"/s],
])('%s --help lists the choices', async (command, choices) => {
  expect((await runHere(...command.split(' '), '--help')).output).toMatch(choices);
});

it.each(['', 'keys rotate', 'clock', 'fault add', 'outcome set', 'state', 'notify set'])(
  '%s --help shows examples and exits with 0',
  async (command) => {
    const { code, output } = await runHere(...command.split(' ').filter(Boolean), '--help');
    expect(code).toBe(0);
    expect(output).toMatch(/Examples:\n {2}financing-sandbox/);
  },
);

describe('commands for a running sandbox', () => {
  let test: TestSandbox;
  let controlUrl: string;
  beforeAll(async () => {
    test = await startTestSandbox();
    controlUrl = test.sandbox.controlUrl;
  });
  afterAll(() => discard(test));
  afterEach(() => test.control('POST', '/reset'));
  const ask = async (...parameters: string[]) => {
    const { code, output } = await runHere(...parameters, '--control-url', controlUrl);
    return { code, output };
  };
  const does = async (...parameters: string[]) => {
    const { code, output } = await ask(...parameters);
    expect({ code, output }).toMatchObject({ code: 0 });
    return output;
  };
  const json = async (...parameters: string[]) =>
    JSON.parse(await does(...parameters, '--json')) as Record<string, unknown>;

  it('separates columns after a long lender name', async () => {
    const name = 'A Lender Of A Rather Long Name';
    const set = ['lender', 'set', 'quillmoor', '--name', name, '--control-url', controlUrl];
    expect((await runHere(...set)).output).toMatch(
      /^quillmoor +A Lender .* Long Name keeps 2\.90%/,
    );
  });

  it('rotates keys', async () => {
    const file = join(test.dataDir, 'keys', 'uat.private');
    const old = readFileSync(file, 'utf8');
    expect(await does('keys', 'rotate', 'uat', '--grace', '1h')).toContain(file);
    expect(readFileSync(file, 'utf8')).not.toBe(old);
    expect(await json('keys', 'rotate', 'uat', '--grace', '0')).toMatchObject({ kind: 'private' });
  });

  it('adds, lists and clears faults', async () => {
    const which = ['--nth', '2', '--operation', 'charges.create', 'charges.settle'];
    expect(await does('fault', 'add', 'status', '--status', '429', ...which)).toBe(
      '1: status 429 before the effect · charges.create, charges.settle · ' +
        'call 2 since it was set · struck 0 of 0\n',
    );
    expect(await json('fault', 'add', 'dropped', '--next', '3')).toMatchObject({ id: 2 });
    expect(await json('fault', 'list')).toHaveLength(2);
    expect(await does('fault', 'clear', '1')).toBe('1 cleared\n');
    expect(await does('fault', 'clear')).toBe('1 cleared\n');
    expect(await ask('fault', 'add', 'reset', '--for', '1s')).toEqual({
      code: 2,
      output: 'The sandbox refused: for is not for reset\n',
    });
  });

  it('distinguishes invalid arguments from state-dependent errors', async () => {
    const commands = [
      [2, 'clock advance soon', 'duration'],
      [2, 'clock set yesterday', 'ISO'],
      [2, 'keys rotate uat --grace soon', 'duration'],
      [2, 'outcome set approve --after 1h', 'pending'],
      [2, 'lender set quillmoor --lag 999', '365'],
      [2, 'notify set ftp://localhost/', 'https'],
      [2, 'fund chargeback', 'give chargeId or merchantOrderId'],
      [2, 'fund post --amount 0.001', 'more decimals'],
      [1, 'fund chargeback --order A-1', 'not found'],
      [1, 'outcome resolve nobody approved', 'no application'],
      [2, 'transaction set pending-fail Settle --after soon', 'duration'],
      [1, 'transaction resolve nobody failed', 'No transaction'],
    ] as const;
    for (const [code, command, output] of commands) {
      const answer = await ask(...command.split(' '));
      expect({ command, ...answer }).toMatchObject({ command, code });
      expect(answer.output).toContain(output);
    }
  });

  it('sets, lists and clears outcomes of transactions', async () => {
    const set = ['transaction', 'set', 'pending-fail', 'Refund', '--next', '2'];
    expect(await does(...set, '--environment', 'uat')).toBe(
      'pending-fail for the next 2 Refund of uat\n',
    );
    expect(await json('transaction', 'list')).toMatchObject([{ type: 'Refund', next: 2 }]);
    expect(await does('transaction', 'clear')).toBe('1 cleared\n');
    expect(await does('transaction', 'list')).toBe('No outcomes are set.\n');
  });

  it('sets outcomes, and saves, loads and resets the state', async () => {
    expect(await does('outcome', 'set', 'pending-approve', '--after', '5m', '--next', '2')).toBe(
      'pending-approve (confirmation) for the next 2\n',
    );
    const saved = join(dataDir, 'saved.db');
    const ofSandbox = ['--data-dir', test.dataDir];
    expect(await json('state', 'save', saved, ...ofSandbox)).toMatchObject({ file: saved });
    expect(await does('outcome', 'clear')).toBe('1 cleared\n');
    expect(await does('state', 'load', saved, ...ofSandbox)).toContain('loaded');
    expect(await json('outcome', 'list')).toMatchObject([{ outcome: 'pending-approve', next: 2 }]);
    expect(await does('state', 'reset')).toBe('empty\n');
    expect(await json('outcome', 'list')).toEqual([]);
    writeFileSync(saved, 'no state');
    const bad = await ask('state', 'load', saved, ...ofSandbox);
    expect(bad).toMatchObject({ code: 1 });
    expect(bad.output).toContain('Nothing was changed');
  });

  it('sets and removes the notification URL', async () => {
    const secret = join(dataDir, 'authorization');
    writeFileSync(secret, 'Bearer agreed-in-advance\n');
    const address = 'http://localhost:9/notifications';
    const set = ['notify', 'set', address, '--authorization-file', secret, '--twice', '0.5'];
    expect(await json(...set)).toMatchObject({ authorizationSet: true, disorder: { twice: 0.5 } });
    const listed = await does('notify', 'list');
    expect(listed).toContain(`sandbox: ${address}`);
    expect(listed).not.toContain('agreed-in-advance');
    expect(await does('notify', 'flush')).toBe('0 tried\n');
    expect(await does('notify', 'stop')).toContain('no address');
  });
});
