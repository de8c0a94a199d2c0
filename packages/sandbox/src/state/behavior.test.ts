import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runHere } from '../cli/command.fixture.ts';
import { ArgumentError } from '../platform/problem.ts';
import {
  charge,
  confirmOffer,
  discard,
  startTestSandbox,
  type TestSandbox,
} from '../sandbox.fixture.ts';
import { startSandbox } from '../sandbox.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(() => test.control('POST', '/reset'));

const defaults = {
  chargeIdempotency: 'kept',
  unknownConfirmation: 'not-found',
  answerMediaType: 'application/json',
  primeConsumer: 'optional',
};
const change = (body: object) => test.control('POST', '/behavior', body);
const create = (body: object) => test.call('POST', '/v2/post-sale/charges', { body });

it('the behavior is read, partially changed and reset, also with the state', async () => {
  expect((await test.control('GET', '/behavior')).body).toEqual(defaults);
  const changed = { ...defaults, chargeIdempotency: 'token-only' };
  expect((await change({ chargeIdempotency: 'token-only' })).body).toEqual(changed);
  expect((await change({ unknownConfirmation: 'bad-request' })).body).toEqual({
    ...changed,
    unknownConfirmation: 'bad-request',
  });
  expect((await test.control('DELETE', '/behavior')).body).toEqual(defaults);
  await change({ chargeIdempotency: 'token-only' });
  await test.control('POST', '/reset');
  expect((await test.control('GET', '/behavior')).body).toEqual(defaults);
});

it.each([{ chargeIdempotency: 'never' }, { mood: 'kept' }, []])(
  'the control API rejects the behavior %j',
  async (body) => {
    expect((await change(body)).status).toBe(400);
  },
);

it('token-only ignores the merchantTransactionId and rejects only a used token', async () => {
  await change({ chargeIdempotency: 'token-only' });
  const body = { confirmationToken: await confirmOffer(test), merchantTransactionId: 'txn-1' };
  const first = await create(body);
  const again = await create(body);
  expect([first.status, again.status]).toEqual([201, 400]);
  expect(again.body.errors).toMatchObject([{ code: '2002' }]);
  const other = await create({ ...body, confirmationToken: await confirmOffer(test) });
  expect(other.status).toBe(201);
  expect(other.body.id).not.toBe(first.body.id);
  const lookup = '/v2/post-sale/transactions/lookup?merchantTransactionId=txn-1';
  expect((await test.call('GET', lookup)).body.chargeId).toBe(first.body.id);
  await test.control('DELETE', '/behavior');
  expect((await create(body)).body.id).toBe(first.body.id);
});

it('bad-request returns 400 code 2004 for an unknown confirmation', async () => {
  await change({ unknownConfirmation: 'bad-request' });
  const answer = await create({ confirmationToken: 'unknown' });
  expect([answer.status, answer.body]).toEqual([
    400,
    {
      requestId: expect.any(String) as unknown,
      errors: [{ code: '2004', description: 'confirmation not found' }],
    },
  ]);
});

it.each(['text/plain', 'text/json'])(
  'responds with %s only where three media types are documented',
  async (answerMediaType) => {
    await change({ answerMediaType });
    const id = await charge(test);
    const typeOf = async (method: string, path: string, body?: object) => {
      const answer = await test.call(method, path, { body });
      expect(answer.text).toMatch(/^[{"]/);
      return answer.headers.get('content-type');
    };
    const shown = `${answerMediaType}; charset=utf-8`;
    expect(await typeOf('GET', `/v2/post-sale/charges/${id}`)).toBe(shown);
    expect(await typeOf('PATCH', `/v2/post-sale/charges/${id}`, {})).toBe(shown);
    for (const [method, path] of [
      ['POST', `/v2/post-sale/charges/${id}/settles`],
      ['GET', '/v2/post-sale/orders/ORD-1'],
      ['GET', '/v2/post-sale/fundings/report'],
      ['GET', '/v2/post-sale/charges/unknown'],
    ] as const) {
      expect(await typeOf(method, path)).toBe('application/json');
    }
  },
);

it('the behavior is set on the command line', async () => {
  const at = ['--control-url', test.sandbox.controlUrl];
  const set = await runHere('behavior', 'set', 'charge-idempotency', 'token-only', ...at);
  expect(set).toMatchObject({
    code: 0,
    output: expect.stringMatching(/charge-idempotency +token-only/) as unknown,
  });
  const list = await runHere('behavior', 'list', '--json', ...at);
  expect(JSON.parse(list.output)).toEqual({ ...defaults, chargeIdempotency: 'token-only' });
  const reset = await runHere('behavior', 'reset', ...at);
  expect(reset.output).toMatch(/charge-idempotency +kept/);
});

it('the behavior is set by a program, at startup and later', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'behavior-'));
  const sandbox = await startSandbox({ dataDir, behavior: { chargeIdempotency: 'token-only' } });
  expect(sandbox.behaviors.read()).toEqual({ ...defaults, chargeIdempotency: 'token-only' });
  expect(sandbox.behaviors.change({ answerMediaType: 'text/json' }).answerMediaType).toBe(
    'text/json',
  );
  expect(sandbox.behaviors.reset()).toEqual(defaults);
  await sandbox.stop();
  const wrong = { chargeIdempotency: 'never' } as never;
  await expect(startSandbox({ dataDir, behavior: wrong })).rejects.toThrow(ArgumentError);
  rmSync(dataDir, { recursive: true });
});

it('the behavior survives a restart', async () => {
  const other = await startTestSandbox();
  await other.control('POST', '/behavior', { chargeIdempotency: 'token-only' });
  await other.stop();
  const again = await startTestSandbox(other.dataDir);
  expect((await again.control('GET', '/behavior')).body).toMatchObject({
    chargeIdempotency: 'token-only',
  });
  await discard(again);
});
