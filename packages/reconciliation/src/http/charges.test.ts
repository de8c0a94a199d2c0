import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { orderChargesSchema } from '@financing-checkout/contract/back-office';
import {
  trailSchema,
  trailVerificationSchema,
  type LedgerOptions,
} from '@financing-checkout/contract/reconciliation';
import { describe, expect, test } from 'vitest';
import {
  chargeOperation as operation,
  COMPANION_TOKEN,
  problem,
} from '../companion/companion.fixture.ts';
import { configure, run, shopDays, startShop } from '../program.fixture.ts';
import { codeOf, ofPage, signIn, TOKENS } from './session.fixture.ts';

const json = { 'content-type': 'application/json' };

/** A program and its companion, with given responses to changes. */
async function setUp(change: Record<string, string> = {}) {
  const companion = await startShop(0);
  const sent: { path: string; key: unknown; body: unknown }[] = [];
  let answer = (response: ServerResponse): void =>
    void response.writeHead(201, json).end(JSON.stringify(operation));
  companion.before = async (request: IncomingMessage, response) => {
    if (request.method !== 'POST') return false;
    const body: unknown = JSON.parse(await textOf(request));
    sent.push({ path: request.url ?? '', key: request.headers['idempotency-key'], body });
    answer(response);
    return true;
  };
  const logged: unknown[] = [];
  const program = await run(
    configure(companion, {
      RECONCILIATION_TOKENS: TOKENS,
      RECONCILIATION_COMPANION_MONEY_TOKEN: COMPANION_TOKEN,
      ...change,
    }),
    { logger: { log: (...entry) => void logged.push(entry) } },
  );
  const { app } = program;
  const payer = { ...ofPage, ...(await signIn(app, 'payer')) };
  const post = (path: string, body: object, key = 'key-1') => {
    const headers = { ...payer, 'idempotency-key': key };
    return app.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const actions = async () => {
    const response = await app.request('/trail', { headers: payer });
    // Leaves out the sign-in of the user of this test.
    const { entries } = trailSchema.parse(await response.json());
    return entries.filter(({ kind }) => kind !== 'sign-in');
  };
  return {
    app,
    companion,
    sent,
    logged,
    post,
    payer,
    actions,
    program,
    answers: (next: typeof answer) => void (answer = next),
  };
}

test('forwards each operation with its key, and records it with the name of the token', async () => {
  const { app, sent, post, payer, actions, answers } = await setUp();
  const settled = await post('/charges/c-1/settles', { amount: 500 });
  expect([settled.status, await settled.json()]).toEqual([201, operation]);
  expect((await post('/charges/c%2F1/refunds', { amount: 20 }, 'key-2')).status).toBe(201);
  expect((await post('/charges/c-1/voids', {}, 'key-3')).status).toBe(201);
  const outcome = { outcome: 'done', note: 'Seen at the lender' };
  const resolved = await post('/charge-operations/opr_1/resolution', { ...outcome, by: 'Ines' });
  expect(resolved.status).toBe(200);
  answers((response) => void response.writeHead(202, json).end('{"id":"m-1","state":"waiting"}'));
  expect((await post('/webhooks/m-1/replay', {})).status).toBe(202);
  expect(sent).toEqual([
    { path: '/charges/c-1/settles', key: 'key-1', body: { amount: 500 } },
    { path: '/charges/c%2F1/refunds', key: 'key-2', body: { amount: 20 } },
    { path: '/charges/c-1/voids', key: 'key-3', body: {} },
    {
      path: '/charge-operations/opr_1/resolution',
      key: undefined,
      body: { ...outcome, by: 'payer, for Ines' },
    },
    { path: '/webhooks/m-1/replay', key: undefined, body: {} },
  ]);
  const trail = await actions();
  expect(trail).toMatchObject([
    { actor: 'payer', kind: 'replay', subject: 'm-1', outcome: 'done' },
    { actor: 'payer, for Ines', kind: 'resolution', subject: 'opr_1', detail: outcome },
    { actor: 'payer', kind: 'void', subject: 'c-1', outcome: 'accepted' },
    { actor: 'payer', kind: 'refund', subject: 'c/1', outcome: 'accepted' },
    {
      actor: 'payer',
      kind: 'settle',
      subject: 'c-1',
      detail: { amount: 500, currency: 'USD', operation: 'opr_1' },
    },
  ]);
  const verified = await app.request('/trail/verification', { headers: payer });
  expect(trailVerificationSchema.parse(await verified.json())).toMatchObject({
    valid: true,
    events: 11,
    head: { hash: trail[0]?.hash },
  });
});

test('records an operation before it is sent', async () => {
  const { post, actions, answers } = await setUp();
  let atSending: unknown;
  answers((response) => {
    void actions().then((found) => {
      atSending = found;
      response.writeHead(201, json).end(JSON.stringify(operation));
    });
  });
  await post('/charges/c-1/settles', {});
  expect(atSending).toMatchObject([{ kind: 'settle', subject: 'c-1' }]);
  expect(atSending).not.toMatchObject([{ outcome: expect.anything() as unknown }]);
});

describe('when the companion fails', () => {
  test('passes on its refusal with the reason and Retry-After', async () => {
    const { post, actions, answers } = await setUp();
    answers((response) => problem(response, 409, 'charge-busy', { 'retry-after': '3' }));
    const refused = await post('/charges/c-1/settles', {});
    expect(refused.headers.get('retry-after')).toBe('3');
    expect(await codeOf(refused)).toEqual([409, 'charge-busy']);
    expect(await actions()).toMatchObject([{ outcome: 'charge-busy' }]);
  });

  test('explains that a retry with the same key returns the outcome, and the retry does', async () => {
    const { post, actions, answers, sent } = await setUp();
    answers((response) => void response.socket?.resetAndDestroy());
    const lost = await post('/charges/c-1/settles', {});
    expect([lost.status, await lost.json()]).toMatchObject([
      503,
      {
        code: 'companion-unavailable',
        retrySafe: false,
        detail: expect.stringContaining('same Idempotency-Key') as string,
      },
    ]);
    expect(await actions()).toMatchObject([{ outcome: 'unknown' }]);
    answers((response) => void response.writeHead(201, json).end(JSON.stringify(operation)));
    expect((await post('/charges/c-1/settles', {})).status).toBe(201);
    expect(sent.map(({ key }) => key)).toEqual(['key-1', 'key-1']);
    expect(await actions()).toMatchObject([{ outcome: 'accepted' }]);
  });

  test('keeps the session when the companion rejects its token', async () => {
    const { app, post, payer, actions, answers } = await setUp();
    answers((response) => problem(response, 401, 'token-invalid'));
    const answer = await post('/charges/c-1/voids', {});
    expect(await codeOf(answer)).toEqual([503, 'companion-unavailable']);
    expect((await app.request('/console/session', { headers: payer })).status).toBe(200);
    expect(await actions()).toMatchObject([{ outcome: 'not-sent' }]);
  });

  test('responds in the same way for the charges of an order', async () => {
    const { app, companion, payer } = await setUp();
    await companion.close();
    const answer = await app.request('/orders/order%3AA-0/charges', { headers: payer });
    expect(await codeOf(answer)).toEqual([503, 'companion-unavailable']);
    const funding = await app.request('/orders/funding%3Ax/charges', { headers: payer });
    expect(await codeOf(funding)).toEqual([404, 'order-not-found']);
  });
});

test('returns the charges of an order with the time and items of the charged checkout', async () => {
  const { app, companion, payer } = await setUp();
  const items = [{ name: 'Desk', sku: 'D-1', price: 500, quantity: 2 }];
  const record = {
    checkoutId: 'chk_1',
    revision: 1,
    environment: 'sandbox' as const,
    merchantOrderId: 'A-0',
    status: 'approved' as const,
    amount: { value: 1_000, currency: 'USD' },
    createdAt: '2025-12-31T23:59:00Z',
    updatedAt: '2026-01-01T00:00:00Z',
  } as const;
  companion.checkouts['A-0'] = [
    { ...record, items: [] },
    { ...record, chargeId: 'c-1', items, taxAmount: 63 },
  ];
  const ask = async () =>
    orderChargesSchema.parse(
      await (await app.request('/orders/order%3AA-0/charges', { headers: payer })).json(),
    );
  expect(await ask()).toMatchObject({
    primedAt: record.createdAt,
    items,
    taxAmount: 63,
  });
  companion.checkouts['A-0'] = [];
  expect(await ask()).not.toHaveProperty('items');
});

test('reads a charge that is only in the ledger with the ledger’s currency, without a question mark', async () => {
  const { app, companion, payer } = await setUp();
  const chargeIn = (currency: string) => {
    const money = (value: number) => ({ value, currency });
    return {
      id: 'c-9',
      merchantOrderId: 'A-9',
      state: 'Settled',
      authorized: money(494_379),
      currencyAssumed: true,
      settled: money(494_379),
      refunded: money(0),
      left: { toSettle: money(0), toRefund: money(494_379) },
      operations: [],
    };
  };
  companion.before = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', companion.url);
    if (pathname !== '/charges') return false;
    const charges = [chargeIn(searchParams.get('currency') ?? 'USD')];
    response.writeHead(200, json).end(JSON.stringify({ charges }));
    return true;
  };
  const ask = async (query = '') => {
    const path = `/orders/order%3AA-9/charges${query}`;
    const { charges } = orderChargesSchema.parse(
      await (await app.request(path, { headers: payer })).json(),
    );
    return charges.map(({ authorized, currencyAssumed = false }) => [
      authorized.currency,
      currencyAssumed,
    ]);
  };
  expect(await ask()).toEqual([['USD', true]]);
  const importIn = async (currency: string) => {
    const line = `order,type,amount,currency,date\nA-9,settle,4943.79,${currency},2026-01-01T00:00:00Z\n`;
    const headers = { authorization: 'Bearer worker-token-000001', 'content-type': 'text/csv' };
    const map = { order: 'order' };
    const path = `/ledger?options=${JSON.stringify({ units: 'major', map })}`;
    const answer = await app.request(path, { method: 'POST', headers, body: line });
    expect(await answer.json()).toMatchObject({ applied: true, added: 1 });
  };
  await importIn('CAD');
  expect(await ask()).toEqual([['CAD', false]]);
  expect(await ask('?currency=CAD')).toEqual([['CAD', false]]);
  // The currency contradicts the ledger, so no money moves until the person has confirmed.
  expect(await ask('?currency=USD')).toEqual([['USD', true]]);
  await importIn('EUR');
  expect(await ask()).toEqual([['USD', true]]);
});

test('sends and records nothing for a refused request', async () => {
  const { post, sent, actions } = await setUp();
  expect((await post('/charges/c-1/refunds', {})).status).toBe(400);
  expect((await post('/charges/%2E%2E/voids', {})).status).toBeGreaterThanOrEqual(400);
  await post('/charges/c-1/voids', {});
  expect((await post('/charges/c-2/voids', {})).status).toBe(422);
  expect([sent.length, (await actions()).length]).toEqual([1, 1]);
});

test('moves no money without a money token, and records nothing', async () => {
  const { app, post, payer, sent, actions } = await setUp({
    RECONCILIATION_COMPANION_MONEY_TOKEN: '',
  });
  const session = await app.request('/console/session', { headers: payer });
  expect(await session.json()).toMatchObject({ scopes: ['money'], canMoveMoney: false });
  expect(await codeOf(await post('/charges/c-1/voids', {}))).toEqual([403, 'token-not-permitted']);
  expect([sent, await actions()]).toEqual([[], []]);
});

test('records data maintenance with token and person', async () => {
  const tokens = TOKENS.replace('cases,sync', 'cases,sync,imports,rebuild');
  const { app, actions } = await setUp({ RECONCILIATION_TOKENS: tokens });
  const headers = { authorization: 'Bearer worker-token-000001', ...json };
  const post = (path: string, body = '{}', type = 'application/json') =>
    app.request(path, { method: 'POST', headers: { ...headers, 'content-type': type }, body });
  const ledger = [
    'order,type,amount,currency,date',
    'A-9,settle,10.00,USD,2026-01-01T00:00:00Z',
  ].join('\n');
  const imports = (more: LedgerOptions) => {
    const options = { units: 'major', map: { order: 'order' }, ...more };
    return post(`/ledger?options=${JSON.stringify(options)}`, ledger, 'text/csv');
  };
  const dry = await imports({ dryRun: true });
  expect(dry.status).toBe(200);
  const imported = await imports({ by: 'Ines' });
  expect(await imported.json()).toMatchObject({ applied: true, added: 1 });
  await imports({ withdraw: true });
  expect((await post('/rebuild')).status).toBe(200);
  expect((await post('/alerts/none/replay')).status).toBe(404);
  expect((await post('/syncs', JSON.stringify(shopDays()))).status).toBe(202);
  expect(await actions()).toMatchObject([
    { actor: 'worker', kind: 'sync', outcome: 'started' },
    { actor: 'worker', kind: 'replay', subject: 'none', outcome: 'not-found' },
    { actor: 'worker', kind: 'rebuild', outcome: 'done' },
    { actor: 'worker', kind: 'withdrawal', outcome: 'done', detail: { withdrawn: 1 } },
    {
      actor: 'worker, for Ines',
      kind: 'import',
      subject: 'ledger',
      outcome: 'done',
      detail: { source: 'api', added: 1 },
    },
  ]);
});

test('neither logs nor returns a token, cookie or key', async () => {
  const { post, payer, logged, actions, answers } = await setUp();
  await post('/charges/c-1/settles', {}, 'secret-key-1');
  answers((response) => problem(response, 403, 'token-not-permitted'));
  await post('/charges/c-1/voids', {}, 'secret-key-2');
  const text = inspect(logged, { depth: 9 }) + JSON.stringify(await actions());
  expect(text).toContain('payer');
  const cookie = payer.cookie.split('=')[1] ?? '';
  for (const secret of [COMPANION_TOKEN, 'payer-token', cookie, 'secret-key']) {
    expect(text).not.toContain(secret);
  }
});
