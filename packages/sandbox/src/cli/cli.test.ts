import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';
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

/** Runs a command on a Node that says that it is of another version, and has no `node:sqlite`. */
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

const run = (...parameters: string[]) => start(main, ...parameters);

it('says in a line that Node is too old, where npm has only warned of it', async () => {
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
  for (const version of [`${major}.${minor}.0`, `${major + 1}.0.0`]) {
    expect((await runOn(version, '--help')).output).toContain('node:none');
  }
});

it.each(['serve', 'seed'])('%s says in words that its folder cannot be used', async (command) => {
  const more = command === 'seed' ? ['--orders', '10'] : ['--api-port', '0'];
  const file = join(dataDir, 'sandbox.db');
  writeFileSync(file, 'not a database, but long enough to be looked at as one'.repeat(10));
  const damaged = await run(command, '--data-dir', dataDir, ...more);
  expect(damaged).toMatchObject({
    code: 1,
    output: expect.stringContaining('move it away') as string,
  });
  const noFolder = await run(command, '--data-dir', file, ...more);
  expect(noFolder).toMatchObject({ code: 1, output: expect.stringContaining('EEXIST') as string });
  expect(damaged.output + noFolder.output).not.toContain(' at ');
});

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

it('takes it for no failure that nobody reads on', async () => {
  const child = spawn(process.execPath, [main, '--help']);
  running = child;
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(said).toBe('');
});

it('logs lines of JSON on request', async () => {
  const { said } = await serve('--log', 'json');
  for (const line of said.split('\n')) {
    expect(JSON.parse(line)).toMatchObject({ level: 'info', part: 'sandbox' });
  }
});

it('shows private keys only when told to', async () => {
  await serve();
  const privateKey = readFileSync(join(dataDir, 'keys', 'sandbox.private'), 'utf8').trim();
  expect((await runHere('keys', '--data-dir', dataDir)).output).not.toContain(privateKey);
  const revealed = await runHere('keys', '--data-dir', dataDir, '--reveal-private');
  expect(revealed.output).toContain(privateKey);
});

it('serve says in words that there is no such address to listen on', async () => {
  const { code, output } = await run('serve', '--data-dir', dataDir, '--host', 'nowhere.invalid');
  expect(output).toMatch(/cannot listen on nowhere\.invalid.*--host/);
  expect(code).toBe(1);
});

it.each([
  [1, ['serve', '--data-dir', ''], /cannot be used \(ENOENT\)/],
  [1, ['seed', '--data-dir', '', '--orders', '9'], /cannot be used \(ENOENT\)/],
  [1, ['keys', '--data-dir', '/nowhere'], /There are no keys in/],
  [1, ['clock', 'show', '--control-url', 'http://127.0.0.1:9'], /No sandbox answers/],
  [1, ['state', 'load', '/nowhere.db'], /cannot be used \(ENOENT\)/],
  [1, ['notify', 'set', 'http://localhost/', '--authorization-file', '/nowhere'], /cannot be read/],
  [2, ['serve', '--data-dir', 'x', '--notify-authorization-file', 'y'], /goes with --notify-url/],
  [2, ['fault', 'list', '--control-url', 'nowhere'], /not at an address/],
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
  [2, ['behaviour', 'set', 'charge-idempotency', 'perhaps'], /kept, token-only/],
  [2, ['behaviour', 'set', 'mood', 'kept'], /charge-idempotency, unknown-confirmation/],
  [2, ['state', 'save'], /file/],
] as const)('exit code %d for %j, with what to do', async (expected, parameters, message) => {
  const { code, output } = await runHere(...parameters);
  expect(output).toMatch(message);
  expect(code).toBe(expected);
  expect(output).not.toMatch(/\n {4}at /);
});

it.each([
  [1, ['keys', '--data-dir', '/nowhere'], /There are no keys in/],
  [2, ['nonsense'], /unknown command/],
] as const)('so it is of the program: %d for %j', async (expected, parameters, message) => {
  const { code, stdout, stderr } = await run(...parameters);
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
])('%s --help lists what can be said', async (command, choices) => {
  expect((await runHere(...command.split(' '), '--help')).output).toMatch(choices);
});

it.each(['', 'keys rotate', 'clock', 'fault add', 'outcome set', 'state', 'notify set'])(
  '%s --help shows how, and ends with 0',
  async (command) => {
    const { code, output } = await runHere(...command.split(' ').filter(Boolean), '--help');
    expect(code).toBe(0);
    expect(output).toMatch(/Examples:\n {2}financing-sandbox/);
  },
);

describe('the knobs of a running sandbox', { timeout: 120_000 }, () => {
  let test: TestSandbox;
  let controlUrl: string;
  beforeEach(async () => {
    test = await startTestSandbox(dataDir);
    controlUrl = test.sandbox.controlUrl;
  });
  afterEach(() => test.stop());
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

  it('keeps words apart, however long the name of a lender is', async () => {
    const name = 'A Lender Of A Rather Long Name';
    const set = ['lender', 'set', 'quillmoor', '--name', name, '--control-url', controlUrl];
    expect((await runHere(...set)).output).toMatch(
      /^quillmoor +A Lender .* Long Name keeps 2\.90%/,
    );
  });

  it('keys', async () => {
    const file = join(dataDir, 'keys', 'uat.private');
    const old = readFileSync(file, 'utf8');
    expect(await does('keys', 'rotate', 'uat', '--grace', '1h')).toContain(file);
    expect(readFileSync(file, 'utf8')).not.toBe(old);
    expect(await json('keys', 'rotate', 'uat', '--grace', '0')).toMatchObject({ kind: 'private' });
  });

  it('faults', async () => {
    const which = ['--nth', '2', '--operation', 'charges.create', 'charges.settle'];
    expect(await does('fault', 'add', 'status', '--status', '429', ...which)).toBe(
      '1: status 429 before the effect · charges.create, charges.settle · ' +
        'call 2 from when it was set · struck 0 of 0\n',
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

  it('tell wrong arguments from what the state does not allow', async () => {
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
      [1, 'transaction resolve nobody failed', 'no transaction'],
    ] as const;
    for (const [code, command, output] of commands) {
      const answer = await ask(...command.split(' '));
      expect({ command, ...answer }).toMatchObject({ command, code });
      expect(answer.output).toContain(output);
    }
  });

  it('pending transactions', async () => {
    const set = ['transaction', 'set', 'pending-fail', 'Refund', '--next', '2'];
    expect(await does(...set, '--environment', 'uat')).toBe(
      'pending-fail for the next 2 Refund of uat\n',
    );
    expect(await json('transaction', 'list')).toMatchObject([{ type: 'Refund', next: 2 }]);
    expect(await does('transaction', 'clear')).toBe('1 cleared\n');
    expect(await does('transaction', 'list')).toBe('Nothing is set.\n');
  });

  it('outcomes and state', async () => {
    expect(await does('outcome', 'set', 'pending-approve', '--after', '5m', '--next', '2')).toBe(
      'pending-approve (confirmation) for the next 2\n',
    );
    const saved = join(dataDir, 'saved.db');
    expect(await json('state', 'save', saved)).toMatchObject({ file: saved });
    expect(await does('outcome', 'clear')).toBe('1 cleared\n');
    expect(await does('state', 'load', saved)).toContain('loaded');
    expect(await json('outcome', 'list')).toMatchObject([{ outcome: 'pending-approve', next: 2 }]);
    expect(await does('state', 'reset')).toBe('empty\n');
    expect(await json('outcome', 'list')).toEqual([]);
    writeFileSync(saved, 'no state');
    const bad = await ask('state', 'load', saved);
    expect(bad).toMatchObject({ code: 1 });
    expect(bad.output).toContain('Nothing was changed');
  });

  it('notifications', async () => {
    const secret = join(dataDir, 'authorization');
    writeFileSync(secret, 'Bearer agreed-in-advance\n');
    const address = 'http://localhost:9/notifications';
    const set = ['notify', 'set', address, '--authorization-file', secret, '--twice', '0.5'];
    expect(await json(...set)).toMatchObject({ authorizationSet: true, disorder: { twice: 0.5 } });
    const listed = await does('notify', 'list');
    expect(listed).toContain(`sandbox: ${address}`);
    expect(listed).not.toContain('agreed-in-advance');
    expect(await does('notify', 'flush')).toBe('0 tried\n');
    expect(await does('notify', 'stop')).toContain('nobody');
  });
});
