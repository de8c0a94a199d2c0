import { unclearOperationsSchema } from '@financing-checkout/contract/back-office';
import { isTokenName, Secret } from '@financing-checkout/kit';
import { describe, expect, test } from 'vitest';
import { ChargeAtService } from '../charges/charge.fixture.ts';
import { createCompanion } from '../companion.fixture.ts';
import { type BackOfficeToken, type Scope, scopes } from '../config/scopes.ts';
import { createCompanion as createApis } from '../companion.ts';

const routes: Record<string, Scope | 'none'> = {
  'GET /livez': 'none',
  'GET /readyz': 'none',
  'GET /openapi.json': 'none',
  'GET /docs': 'none',
  'GET /metrics': 'read',
  'GET /checkouts': 'read',
  'GET /fundings/report': 'read',
  'GET /fundings/records': 'read',
  'GET /fundings/pages': 'fundings',
  'GET /charges': 'read',
  'GET /charges/:chargeId': 'read',
  'POST /charges/:chargeId/settles': 'money',
  'POST /charges/:chargeId/refunds': 'money',
  'POST /charges/:chargeId/voids': 'money',
  'GET /charge-operations': 'read',
  'POST /charge-operations/:operationId/resolution': 'money',
  'GET /ledger': 'read',
  'GET /lost-records': 'read',
  'POST /links': 'links',
  'GET /links': 'read',
  'GET /links/:checkoutId': 'read',
  'GET /webhooks': 'read',
  'POST /webhooks/:id/replay': 'webhooks',
};

const wordOf = (name: string) => `token-of-${name}-0123456789`;
const tokens: BackOfficeToken[] = scopes.map((scope) => ({
  name: scope,
  scopes: [scope],
  secret: new Secret(wordOf(scope)),
}));

async function setUp() {
  const companion = await createCompanion({
    backOfficeTokens: tokens,
    metrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
  });
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
    const asked = response.headers.get('www-authenticate');
    return { ...(await companion.read(response)), asked };
  };
  return { companion, ask };
}

describe('a token permits reading and the operations of its scopes', () => {
  test('the scope table lists every route', async () => {
    const { companion } = await setUp();
    const names = companion.backOffice.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(names)].sort()).toEqual(Object.keys(routes).sort());
  });

  const asked = Object.entries(routes).filter(
    // These routes respond with text; their guards are the same.
    ([route]) => !/\/docs|\/metrics/.test(route),
  );
  test.each(asked)('%s needs %s', async (route, needed) => {
    const { companion, ask } = await setUp();
    for (const scope of scopes) {
      const { status, body, asked } = await ask(scope, route.replaceAll(/:\w+/g, 'none'));
      if (needed === 'none' || needed === 'read' || needed === scope) {
        expect([401, 403, 500]).not.toContain(status);
      } else {
        expect([status, body.code, body.detail]).toEqual([
          403,
          'token-not-permitted',
          `This needs a token with the scope "${needed}": add the scope to the token in COMPANION_BACK_OFFICE_TOKENS.`,
        ]);
        expect(asked).toBe(`Bearer error="insufficient_scope", scope="${needed}"`);
      }
    }
    // No refused request reached the service.
    if (needed !== 'read' && needed !== 'none') {
      expect(companion.service.calls.filter(({ method }) => method === 'POST')).toEqual([]);
    }
  });

  test('answers GET /metrics for a read-only token and refuses a wrong one', async () => {
    const { companion } = await setUp();
    const get = (word: string) =>
      companion.backOffice.request('/metrics', { headers: { authorization: `Bearer ${word}` } });
    expect((await get(wordOf('read'))).status).toBe(200);
    expect((await get('wrong')).status).toBe(401);
  });

  test('HEAD needs the same scope as GET; other methods and paths stay refused', async () => {
    const { companion, ask } = await setUp();
    const head = await companion.backOffice.request('/ledger', {
      method: 'HEAD',
      headers: { authorization: `Bearer ${wordOf('read')}` },
    });
    expect(head.status).toBe(200);
    expect((await ask('read', 'DELETE /charges/charge-1/refunds')).status).toBe(405);
    expect((await ask('read', 'POST /nothing')).status).toBe(404);
  });

  test('a read token cannot move money; a money token can', async () => {
    const { companion, ask } = await setUp();
    const service = new ChargeAtService(companion.service, { settled: 10_000 });
    const moves = [
      ['POST /charges/charge-1/settles', { amount: 100 }],
      ['POST /charges/charge-1/refunds', { amount: 100 }],
      ['POST /charges/charge-1/voids', {}],
      ['POST /charge-operations/opr_1/resolution', { outcome: 'done', note: 'seen' }],
    ] as const;
    for (const name of ['read', 'fundings', 'webhooks']) {
      for (const [route, body] of moves) {
        expect((await ask(name, route, body)).body.code).toBe('token-not-permitted');
      }
    }
    expect(companion.service.calls).toEqual([]);
    expect(service).toBeDefined();
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

  test('a token may have several scopes', async () => {
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

describe('without tokens', () => {
  async function setUp() {
    const companion = await createCompanion();
    const app = createApis({ ...companion.options, backOfficeTokens: [] }).backOffice;
    const ask = async (route: string, headers: Record<string, string> = {}) => {
      const [method = '', path = ''] = route.split(' ');
      const json = { 'idempotency-key': 'key-1', 'content-type': 'application/json' };
      const init = method === 'POST' ? { body: '{"amount":100}' } : {};
      const answer = await app.request(`http://127.0.0.1:4001${path}`, {
        method,
        headers: { ...json, ...headers },
        ...init,
      });
      return companion.read(answer);
    };
    return { companion, ask };
  }

  test.each(Object.entries(routes).filter(([, scope]) => scope !== 'none' && scope !== 'read'))(
    '%s is refused to programs on this machine, because it needs %s',
    async (route, needed) => {
      const { companion, ask } = await setUp();
      const { status, body } = await ask(route.replaceAll(/:\w+/g, 'none'));
      expect([status, body.code]).toEqual([403, 'token-not-permitted']);
      expect(body.detail).toBe(
        `This needs a token with the scope "${needed}", also on this machine. Set COMPANION_BACK_OFFICE_TOKENS.`,
      );
      expect(companion.service.calls).toEqual([]);
    },
  );

  // Each with the loopback address as Host, which is what a proxy sends upstream by default.
  test.each(['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP'])(
    'refuses a request with %s, because a proxy may forward requests from anywhere',
    async (header) => {
      const { ask } = await setUp();
      const route = 'GET /checkouts?merchantOrderId=1';
      expect((await ask(route)).status).toBe(200);
      const { status, body } = await ask(route, { [header]: '203.0.113.7' });
      expect([status, body.code]).toEqual([403, 'origin-not-allowed']);
      expect(body.detail).toContain(header.toLowerCase());
    },
  );
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
