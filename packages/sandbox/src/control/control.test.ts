import { readFileSync } from 'node:fs';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseDuration } from '../platform/duration.ts';
import { SandboxError } from '../platform/problem.ts';
import { operations } from './operations.ts';
import { startSandbox } from '../sandbox.ts';
import {
  charge,
  discard,
  records,
  startTestSandbox,
  type TestSandbox,
} from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(() => test.control('POST', '/reset'));

describe('clock', () => {
  it('is advanced, set and frozen', async () => {
    const set = await test.control('POST', '/clock', { now: '2027-01-01T00:00:00Z', frozen: true });
    expect(set.body).toMatchObject({ now: '2027-01-01T00:00:00.000Z', frozen: true });
    const moved = await test.control('POST', '/clock', { advance: '1d 12h' });
    expect(moved.body).toMatchObject({ now: '2027-01-02T12:00:00.000Z', frozen: true });
    const read = await test.control('GET', '/clock');
    expect(read.body.now).toBe('2027-01-02T12:00:00.000Z');
    const running = await test.control('POST', '/clock', { frozen: false });
    expect(running.body).toMatchObject({ frozen: false });
  });

  it('survives a restart, with the rest of the state', async () => {
    let other = await startTestSandbox();
    await charge(other, { settle: true });
    await other.control('POST', '/clock', { advance: '1d', frozen: true });
    const before = [(await other.control('GET', '/clock')).body.now, await records(other)];
    await other.stop();
    other = await startTestSandbox(other.dataDir);
    const after = [(await other.control('GET', '/clock')).body.now, await records(other)];
    expect(after).toEqual(before);
    await discard(other);
  });

  it.each([
    {},
    { advance: 'soon' },
    { advance: '-1d' },
    { advanceMs: -1 },
    { now: 'today' },
    { now: '1969-12-31T23:59:59Z' },
    { now: '9999-01-01T00:00:00Z' },
    { advance: '999999999w' },
    { backwards: true },
  ])('rejects %j', async (change) => {
    expect((await test.control('POST', '/clock', change)).status).toBe(400);
  });

  it('parses durations', () => {
    expect(['1d', '90m', '1d 12h', '250ms', '2w'].map(parseDuration)).toEqual([
      86_400_000, 5_400_000, 129_600_000, 250, 1_209_600_000,
    ]);
    expect(['', '1', 'd', '1y', '1.5d'].map(parseDuration)).toEqual(Array(5).fill(undefined));
  });
});

describe('a body that is not JSON', () => {
  it.each(['', '{', 'advance=1d', "{'advance': '1d'}"])('is reported: %s', async (body) => {
    for (const path of ['/clock', '/faults', '/fundings', '/outcomes']) {
      const answer = await request(test.sandbox.controlUrl + path, { method: 'POST', body });
      expect(answer.statusCode).toBe(400);
      expect(await answer.body.json()).toEqual({ error: 'the body is not valid JSON' });
    }
  });
});

describe('the control API', () => {
  it.each([
    ['another host (DNS rebinding)', { host: 'sandbox.example.com' }],
    ['a page of another origin', { origin: 'http://localhost:3000' }],
    ['a page that hides its origin', { origin: 'null' }],
    ['a page of another port, by its metadata', { 'sec-fetch-site': 'same-site' }],
  ])('refuses %s', async (_name, headers) => {
    const answer = await request(`${test.sandbox.controlUrl}/reset`, { method: 'POST', headers });
    expect(answer.statusCode).toBe(403);
    await answer.body.dump();
  });

  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  it.each(operations.map(({ command, path }) => [command, path.replace(/\/:.*/, '')]))(
    'documents %s %s in the README',
    (command, path) => {
      expect(readme).toMatch(new RegExp(`\`(GET|POST) ${path}\\b`));
      // The help text of a command shows its options and their constraints.
      if (command !== '')
        expect(readme).toContain(`financing-sandbox ${command.split(' ')[0] ?? ''} `);
    },
  );

  it('lists environments without their private keys', async () => {
    const { body } = await test.control('GET', '/environments');
    const shown = JSON.stringify(body);
    for (const { publicKey, privateKey } of test.sandbox.environments) {
      expect(shown).toContain(publicKey);
      expect(shown).not.toContain(privateKey);
    }
  });
});

describe('start', () => {
  it('names the port in use and the option that changes it', async () => {
    const other = await startTestSandbox();
    const apiPort = Number(new URL(test.sandbox.apiUrl).port);
    await other.stop();
    await expect(startSandbox({ dataDir: other.dataDir, apiPort })).rejects.toThrow(
      new SandboxError(
        `Port ${apiPort} for the API is taken: stop what uses it, or choose another with --api-port.`,
      ),
    );
    // The failed start has released all its resources.
    await discard(await startTestSandbox(other.dataDir));
  });

  it('rejects the folder of another running sandbox', async () => {
    await expect(startSandbox({ dataDir: test.dataDir })).rejects.toThrow(/Another sandbox/);
  });
});
