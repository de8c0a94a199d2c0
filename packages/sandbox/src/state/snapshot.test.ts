import { readdirSync, readFileSync, writeFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  charge,
  discard,
  records,
  startTestSandbox,
  type TestSandbox,
} from '../sandbox.fixture.ts';
import { writeState } from './snapshot.ts';

let test: TestSandbox;
beforeEach(async () => {
  test = await startTestSandbox();
});
afterEach(() => discard(test));

const token = () => test.sandbox.controlToken;
const fetchState = (init: RequestInit = {}, { sandbox } = test) =>
  fetch(`${sandbox.controlUrl}/state`, {
    ...init,
    headers: { authorization: `Bearer ${sandbox.controlToken}` },
  });
const save = async () => {
  const response = await fetchState();
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
};
const load = async (body: Uint8Array<ArrayBuffer> | string) => {
  const response = await fetchState({ method: 'PUT', body });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const copies = () => readdirSync(test.dataDir).filter((name) => name.startsWith('state.'));
/**
 * The sandbox removes its copy after it has sent the last byte, possibly after the client has
 * received it.
 */
const expectNoCopy = () => expect.poll(copies).toEqual([]);
/** Saves a state and changes it. */
const tampered = async (sql: string) => {
  const file = join(test.dataDir, 'tampered.db');
  writeFileSync(file, await save());
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  return readFileSync(file);
};

describe('a saved state', () => {
  it('restores fundings, charges, clock and outcomes', async () => {
    const id = await charge(test, { settle: true });
    await test.control('POST', '/outcomes', { outcome: 'decline', next: 3 });
    await test.control('POST', '/clock', { advance: '1d', frozen: true });
    const before = [await records(test), (await test.control('GET', '/clock')).body.now];
    const file = await save();

    await test.control('POST', '/reset');
    await charge(test, { settle: true });
    await test.control('POST', '/clock', { advance: '3d' });
    expect(await records(test)).not.toEqual(before[0]);

    expect((await load(file)).status).toBe(200);
    expect([await records(test), (await test.control('GET', '/clock')).body.now]).toEqual(before);
    expect((await test.call('GET', `/v2/post-sale/charges/${id}`)).status).toBe(200);
    expect((await test.control('GET', '/outcomes')).body.outcomes).toMatchObject([{ next: 3 }]);
  });

  it('restores later changes of a lender over a state with such a change', async () => {
    const fault = { kind: 'late-change', afterDays: 5, lenderName: 'Quillmoor plc' };
    await test.control('POST', '/funding-faults', { fault });
    await charge(test, { settle: true });
    await test.control('POST', '/clock', { advance: '2d', frozen: true });
    const before = await records(test);
    expect((await load(await save())).status).toBe(200);
    expect(await records(test)).toEqual(before);
    await test.control('POST', '/clock', { advance: '5d' });
    expect(await records(test)).toMatchObject([{ lenderName: 'Quillmoor plc' }]);
  });

  it('can be loaded by another sandbox, and survives its restart', async () => {
    const id = await charge(test);
    const file = await save();
    const other = await startTestSandbox();
    expect((await fetchState({ method: 'PUT', body: file }, other)).status).toBe(200);
    await other.stop();
    const again = await startTestSandbox(other.dataDir);
    expect((await again.call('GET', `/v2/post-sale/charges/${id}`)).status).toBe(200);
    await discard(again);
  });

  it('holds no key and no Authorization value', async () => {
    await test.control('POST', '/notifications/destination', {
      url: 'http://localhost:9/',
      authorization: 'Bearer agreed-in-advance',
    });
    await charge(test);
    const text = Buffer.from(await save()).toString('latin1');
    expect(text).toContain('SQLite format 3');
    expect(text).not.toContain('agreed-in-advance');
    for (const { privateKey, publicKey } of test.sandbox.environments) {
      expect(text).not.toContain(privateKey);
      expect(text).not.toContain(publicKey);
    }
  });

  it('resets the pages of the report when it is loaded', async () => {
    await test.control('POST', '/fundings', { amount: 1, transactionId: 'x' });
    const empty = '/v2/post-sale/fundings/report?showMissing=true&limit=1';
    await records(test, empty);
    const file = await save();
    await test.control('POST', '/reset');
    expect(await records(test, `${empty}&offset=0`)).toEqual([]);
    await load(file);
    expect(await records(test, empty)).toHaveLength(1);
    expect(await records(test, `${empty}&offset=1`)).toEqual([]);
  });
});

describe('the control token', () => {
  const basic = (password: string) => `Basic ${Buffer.from(`:${password}`).toString('base64')}`;
  const privateKey = () => test.environment('sandbox').privateKey;

  it.each<[string, string, () => Record<string, string>]>([
    ['without a token', '/state', () => ({})],
    ['with an invented one', '/state', () => ({ authorization: 'Bearer 0123456789abcdef' })],
    ['with an empty one', '/state', () => ({ authorization: 'Bearer ' })],
    ['with an empty password', '/state', () => ({ authorization: basic('') })],
    ['with the private key', '/state', () => ({ authorization: `Bearer ${privateKey()}` })],
    [
      'with the token as a name',
      '/state',
      () => ({ authorization: `Basic ${Buffer.from(`${token()}:`).toString('base64')}` }),
    ],
    ['with the token in the address', `/state?token=${'0'.repeat(64)}`, () => ({})],
  ])(
    'is needed: another user of this machine neither reads nor replaces the state %s',
    async (...[, path, headersOf]) => {
      const id = await charge(test);
      const saved = await save();
      const headers = headersOf();
      for (const init of [{}, { method: 'HEAD' }, { method: 'PUT', body: saved }]) {
        const answer = await fetch(test.sandbox.controlUrl + path, { ...init, headers });
        expect(answer.status).toBe(401);
        expect(await answer.text()).not.toContain('SQLite');
      }
      expect((await test.call('GET', `/v2/post-sale/charges/${id}`)).status).toBe(200);
      await expectNoCopy();
    },
  );

  it('is in a file for the user of the sandbox alone, and stays after a restart', async () => {
    const before = token();
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(join(test.dataDir, 'control-token')).mode & 0o777).toBe(0o600);
    await test.stop();
    test = await startTestSandbox(test.dataDir);
    expect(token()).toBe(before);
    expect((await load(await save())).status).toBe(200);
  });

  it('is also a password, for browsers', async () => {
    const headers = { authorization: basic(token()) };
    const answer = await fetch(`${test.sandbox.controlUrl}/state`, { headers });
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="sandbox.state"');
    const refused = await fetch(`${test.sandbox.controlUrl}/state`);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
  });
});

it('leaves no temporary copy of the state after a HEAD request', async () => {
  const answer = await fetchState({ method: 'HEAD' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, PUT']);
  await expectNoCopy();
});

describe('a failed load changes nothing', () => {
  it.each([
    ['an empty file', () => '', /is not a saved state/],
    [
      'a text',
      () => 'this is no database, and longer than its header would be',
      /not a saved state/,
    ],
    [
      'a database of another program',
      () => tampered('PRAGMA application_id = 0'),
      /is not a saved state/,
    ],
    ['a newer state', () => tampered('PRAGMA user_version = 9999'), /written by a newer sandbox/],
    ['an older state', () => tampered('PRAGMA user_version = 1'), /written by an older sandbox/],
    ['an additional table', () => tampered('CREATE TABLE more (x)'), /is damaged/],
    [
      'an additional trigger',
      () => tampered('CREATE TRIGGER t AFTER INSERT ON charges BEGIN DELETE FROM charges; END'),
      /is damaged/,
    ],
    [
      'a transaction without its charge',
      () =>
        tampered(`PRAGMA foreign_keys = OFF; INSERT INTO transactions (id, environment, charge_id,
          type, state, amount, discount, created_at)
          VALUES ('t', 'sandbox', 'none', 'Settle', 'Completed', 1, 0, 0)`),
      /is damaged/,
    ],
    ['half a state', async () => (await save()).slice(0, 20_000), /damaged|not a saved state/],
  ])('of %s', async (_name, file, message) => {
    const id = await charge(test);
    const { status, body } = await load(await file());
    expect(status).toBe(422);
    expect(body.error).toMatch(message);
    expect((await test.call('GET', `/v2/post-sale/charges/${id}`)).status).toBe(200);
    await expectNoCopy();
  });

  it('of an interrupted upload', async () => {
    const id = await charge(test);
    const half = (await save()).slice(0, 8192);
    const body = new ReadableStream({
      pull: (controller) => {
        controller.enqueue(half);
        controller.error(new Error('cut off'));
      },
    });
    const sent = fetchState({ method: 'PUT', body, duplex: 'half' });
    await expect(sent).rejects.toThrow();
    expect((await test.call('GET', `/v2/post-sale/charges/${id}`)).status).toBe(200);
    await expectNoCopy();
  });
});

it('removes the unfinished download of a killed sandbox at the next start', async () => {
  const left = 'state.00000000-0000-4000-8000-000000000000';
  for (const name of [left, `${left}-journal`, 'state.db']) {
    writeFileSync(join(test.dataDir, name), 'names');
  }
  await test.stop();
  test = await startTestSandbox(test.dataDir);
  expect(copies()).toEqual(['state.db']);
});

it('saves a state that is readable only by the owner', () => {
  const file = join(test.dataDir, 'written.db');
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE t (x)');
  writeState(database, file);
  database.close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
