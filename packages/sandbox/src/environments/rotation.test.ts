import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SandboxError } from '../platform/problem.ts';
import { startSandbox } from '../sandbox.ts';
import { discard, prime, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeEach(async () => {
  test = await startTestSandbox();
});
afterEach(() => discard(test));

const report = '/v2/post-sale/fundings/report';
const rotate = async (body: object = { environment: 'sandbox' }) => {
  const answer = await test.control('POST', '/keys/rotate', body);
  expect(answer.status).toBe(200);
  return answer.body;
};
const statusWith = async (key: string) =>
  (await test.call('GET', report, { authorization: `Bearer ${key}` })).status;
const slot = () => {
  const key = test.sandbox.calls().at(-1)?.authorization.key;
  return typeof key === 'object' && key !== null ? key.slot : key;
};
const start = '2027-01-01T12:00:00Z';
const backAndOn = async () => {
  for (const now of ['2026-12-01T00:00:00Z', '2027-01-01T12:30:00Z']) {
    await test.control('POST', '/clock', { now });
  }
};
const privateKey = () => test.environment('sandbox').privateKey;

describe('specification 5.3, 5.6: a rotation', () => {
  it('writes the new key to the key file, readable only by the owner', async () => {
    const old = privateKey();
    const { file } = await rotate();
    const written = readFileSync(String(file), 'utf8').trim();
    expect(written).toBe(privateKey());
    expect(written).not.toBe(old);
    for (const secret of [String(file), join(test.dataDir, 'keys', 'rotations.json')]) {
      expect(statSync(secret).mode & 0o777).toBe(0o600);
    }
  });

  it('accepts both keys during the grace period, then returns 401 for the old one', async () => {
    const old = privateKey();
    await rotate({ environment: 'sandbox', grace: '24h' });
    expect([await statusWith(privateKey()), slot()]).toEqual([200, 'current']);
    expect([await statusWith(old), slot()]).toEqual([200, 'previous']);
    await test.control('POST', '/clock', { advance: '23h' });
    expect(await statusWith(old)).toBe(200);
    await test.control('POST', '/clock', { advance: '2h' });
    expect([await statusWith(old), slot()]).toEqual([401, 'outdated']);
    expect(await statusWith(privateKey())).toBe(200);
  });

  it('without a grace period invalidates the old key immediately, even after the clock is set back', async () => {
    const old = privateKey();
    await test.control('POST', '/clock', { advance: '1d' });
    await rotate({ environment: 'sandbox', grace: '0' });
    expect([await statusWith(old), slot()]).toEqual([401, 'outdated']);
    await test.control('POST', '/reset');
    expect([await statusWith(old), slot()]).toEqual([401, 'outdated']);
  });

  it.each([
    ['put back', () => test.control('POST', '/clock', { now: '2027-01-01T12:30:00Z' })],
    ['put back before the rotation and on again', backAndOn],
  ])('keeps an outdated key outdated when the clock is %s', async (_how, move) => {
    await test.control('POST', '/clock', { now: start, frozen: true });
    const old = privateKey();
    await rotate({ environment: 'sandbox', grace: '1h' });
    expect(await statusWith(old)).toBe(200);
    await test.control('POST', '/clock', { advance: '2h' });
    expect(await statusWith(old)).toBe(401);
    await move();
    expect([await statusWith(old), slot()]).toEqual([401, 'outdated']);
    expect(await statusWith(privateKey())).toBe(200);
  });

  it.each([true, false])(
    'an outdated key stays outdated after a reset (frozen: %s)',
    async (frozen) => {
      const old = privateKey();
      await rotate({ environment: 'sandbox', grace: '1h' });
      await test.control('POST', '/clock', { advance: '2h', frozen });
      await test.control('POST', '/reset');
      expect([await statusWith(old), slot()]).toEqual([401, 'outdated']);
    },
  );

  it('survives a restart', async () => {
    const oldest = privateKey();
    await rotate({ environment: 'sandbox', grace: '0' });
    const old = privateKey();
    await rotate({ environment: 'sandbox', grace: '24h' });
    await test.control('POST', '/clock', { frozen: true });
    const current = privateKey();
    await test.stop();
    test = await startTestSandbox(test.dataDir);
    expect(privateKey()).toBe(current);
    expect([await statusWith(current), slot()]).toEqual([200, 'current']);
    expect([await statusWith(old), slot()]).toEqual([200, 'previous']);
    expect([await statusWith(oldest), slot()]).toEqual([401, 'outdated']);
  });

  it('ends an older grace period: after two rotations two keys are valid, not three', async () => {
    const oldest = privateKey();
    await rotate();
    const old = privateKey();
    await rotate();
    const statuses = [oldest, old, privateKey()].map((key) => statusWith(key));
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
  });

  it('changes one key, but no key of the other kind or of other environments', async () => {
    const others = test.sandbox.environments.filter(({ name }) => name !== 'sandbox');
    const { publicKey } = test.environment('sandbox');
    await rotate();
    expect(test.environment('sandbox').publicKey).toBe(publicKey);
    expect(test.sandbox.environments.filter(({ name }) => name !== 'sandbox')).toEqual(others);
  });

  it('of the public key: the hosted page accepts the old key only in its grace period', async () => {
    const { visit } = await prime(test);
    await rotate({ environment: 'sandbox', kind: 'public', grace: '30m' });
    expect((await test.hosted(visit)).status).toBe(200);
    await test.control('POST', '/clock', { advance: '31m' });
    expect((await test.hosted(visit)).status).toBe(401);
    const { publicKey } = test.environment('sandbox');
    expect((await test.hosted({ ...visit, key: publicKey })).status).toBe(200);
    expect(JSON.stringify((await test.control('GET', '/environments')).body)).toContain(publicKey);
  });

  it('shows no private key, old or new', async () => {
    const old = privateKey();
    const answer = JSON.stringify(await rotate());
    await test.call('GET', `/v2/post-sale/orders/${old}`);
    const shown = answer + JSON.stringify((await test.control('GET', '/calls')).body);
    expect(shown).not.toContain(old);
    expect(shown).not.toContain(privateKey());
    expect(shown).toContain('[private key]');
  });
});

it.each([
  [{}, /environment/],
  [{ environment: 'staging' }, /environment/],
  [{ environment: 'uat', kind: 'secret' }, /kind/],
  [{ environment: 'uat', grace: 'a while' }, /grace must be a duration/],
  [{ environment: 'uat', grace: '999999999w' }, /at most 365d/],
])('refuses the rotation %j with a hint', async (body, message) => {
  const before = test.sandbox.environments;
  const answer = await test.control('POST', '/keys/rotate', body);
  expect(answer.status).toBe(400);
  expect(answer.body.error).toMatch(message);
  expect(test.sandbox.environments).toEqual(before);
});

it('reports a damaged list of old keys without its content', async () => {
  await rotate();
  const file = join(test.dataDir, 'keys', 'rotations.json');
  await test.sandbox.stop();
  writeFileSync(file, '[{"value": "0123456789abcdef0123"');
  const failure: unknown = await startSandbox({ dataDir: test.dataDir }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(SandboxError);
  expect(String(failure)).toContain(file);
  expect(String(failure)).not.toContain('0123456789abcdef');
});
