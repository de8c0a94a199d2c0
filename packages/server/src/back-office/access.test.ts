import { unclearOperationsSchema } from '@financing-checkout/contract/back-office';
import { isTokenName, Secret } from '@financing-checkout/kit';
import { describe, expect, test } from 'vitest';
import { ChargeAtService } from '../charges/charge.fixture.ts';
import { createCompanion } from '../companion.fixture.ts';
import { type BackOfficeToken, scopes } from '../config/scopes.ts';
import { createCompanion as createApis } from '../companion.ts';

const wordOf = (name: string) => `token-of-${name}-0123456789`;
const tokens: BackOfficeToken[] = scopes.map((scope) => ({
  name: scope,
  scopes: [scope],
  secret: new Secret(wordOf(scope)),
}));

async function setUp() {
  const companion = await createCompanion({ backOfficeTokens: tokens });
  /** Sends a request with the token that has this name. */
  const ask = async (name: string, route: string, body: unknown = {}, key = 'key-1') => {
    const [method = '', path = ''] = route.split(' ');
    const response = await companion.backOffice.request(path, {
      method,
      headers: {
        authorization: `Bearer ${wordOf(name)}`,
        'idempotency-key': key,
        'content-type': 'application/json',
      },
      ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
    });
    return companion.read(response);
  };
  return { companion, ask };
}

describe('a token', () => {
  test('is named in the log, with the operation that it requested', async () => {
    const { companion, ask } = await setUp();
    void new ChargeAtService(companion.service, { settled: 10_000 });
    const refund = await ask('money', 'POST /charges/charge-1/refunds', {
      amount: 100,
      currency: 'USD',
    });
    expect([refund.status, refund.body.state]).toEqual([201, 'accepted']);
    expect(companion.log.findLast(({ event }) => event === 'request')).toMatchObject({
      actor: 'money',
      operationId: refund.body.id,
    });
  });

  test('lists the operations that this token requested, and any operation by id', async () => {
    const { companion, ask } = await setUp();
    void new ChargeAtService(companion.service, { settled: 10_000 });
    const { body: made } = await ask('money', 'POST /charges/charge-1/refunds', {
      amount: 100,
      currency: 'USD',
    });
    const list = async (name: string, query: string) =>
      unclearOperationsSchema.parse((await ask(name, `GET /charge-operations?${query}`)).body)
        .operations;
    expect(await list('money', 'actor=own')).toMatchObject([
      { id: made.id, actor: 'money', kind: 'refund', amount: { value: 100 }, state: 'accepted' },
    ]);
    expect(await list('read', 'actor=own')).toEqual([]);
    expect(await list('read', `ids=opr_other,${String(made.id)}`)).toMatchObject([{ id: made.id }]);
    expect((await ask('read', 'GET /charge-operations?actor=money')).status).toBe(400);
  });

  test('may have several scopes', async () => {
    const { companion } = await setUp();
    const secret = new Secret(wordOf('two'));
    const app = createApis({
      ...companion.options,
      backOfficeTokens: [...tokens, { name: 'two', scopes: ['webhooks', 'fundings'], secret }],
    }).backOffice;
    const ask = async (route: string) => {
      const [method = '', path = ''] = route.split(' ');
      const headers = {
        authorization: `Bearer ${wordOf('two')}`,
        'content-type': 'application/json',
      };
      const body = method === 'POST' ? { body: '{}' } : {};
      return (await app.request(path, { method, headers, ...body })).status;
    };
    expect(await ask('POST /webhooks/none/replay')).toBe(404);
    // The scope permits the request, but the body is invalid.
    expect(await ask('GET /fundings/pages')).toBe(400);
    expect(await ask('POST /charges/charge-1/voids')).toBe(403);
  });
});

test.each([
  ['finance', true],
  ['shop.eu-1_a', true],
  ['', false],
  ['1st', false],
  ['ines, for', false],
  ['a'.repeat(41), false],
  ['reconciliation', true],
  // A reserved name of the companion, which a token could impersonate.
  ['loopback', false],
])('the token name "%s" is valid: %s', async (name, usable) => {
  expect(isTokenName(name)).toBe(usable);
  const { options } = await createCompanion();
  const backOfficeTokens = [{ name, scopes: [], secret: new Secret(wordOf('read')) }];
  const create = () => createApis({ ...options, backOfficeTokens }).backOffice;
  if (usable) expect(create).not.toThrow();
  else expect(create).toThrow(TypeError);
});

test('refuses two tokens with the same name, because the audit trail could not tell them apart', async () => {
  const { options } = await createCompanion();
  const [first] = tokens;
  const backOfficeTokens = first === undefined ? [] : [first, first];
  expect(() => createApis({ ...options, backOfficeTokens }).backOffice).toThrow(/name of its own/);
});
