import { problems } from '@financing-checkout/contract/storefront';
import { Secret } from '@financing-checkout/kit';
import { type Route, routesOf } from '@financing-checkout/kit/http';
import {
  answerDifference,
  callerRefusals,
  type Change,
  type Example,
  hasKey,
  nameOf,
  otherEnvironment,
  otherMachines,
  refusalDifferences,
  type Refusal,
  refusalsOf,
  requestOf,
} from '@financing-checkout/kit/testing';
import { describe, expect, test } from 'vitest';
import { ChargeAtService, knowOrders } from './charges/charge.fixture.ts';
import { CREATE, link, madeLink, READ } from './checkout/link.fixture.ts';
import {
  type Answer,
  createCompanion,
  keyOf,
  order,
  ORIGIN,
  PRIVATE_KEY,
  PUBLIC_KEY,
  secretOf,
} from './companion.fixture.ts';
import { createCompanion as createApis } from './companion.ts';
import { type BackOfficeToken, scopes } from './config/scopes.ts';
import { StoreUnavailableError } from './platform/store-errors.ts';
import { applied, request, SESSION, STATUS } from './prequalification/prequalification.fixture.ts';
import { charged, networkError, primed } from './scripted-service.fixture.ts';

type BareCompanion = Awaited<ReturnType<typeof createCompanion>>;

/** A companion whose service fulfills every request. */
interface Companion extends BareCompanion {
  atService: ChargeAtService;
  lists: Record<Listener, Route[]>;
  /** Sends the example of a route, changed. */
  send: (name: string, change?: Change, more?: Sending) => Promise<Answer>;
  /** Counts the requests that may have changed something at the service. */
  effects: () => number;
}

interface Sending {
  /** @default 'backOffice' */
  listener?: Listener;
  example?: CompanionExample;
  caller?: Record<string, string>;
  app?: BareCompanion['backOffice'];
}

/** A request that its route fulfills, and for a route with a key, another body. */
interface CompanionExample extends Example {
  otherBody?: unknown;
}
type Arranged = CompanionExample | Promise<CompanionExample>;

const AUTHORIZATION = 'agreed-with-the-service-0123456789';
const tokenOf = (scope: string) => `token-of-${scope}-0123456789`;
const tokens: BackOfficeToken[] = scopes.map((scope) => ({
  name: scope,
  scopes: [scope],
  secret: new Secret(tokenOf(scope)),
}));
const tokenOfScope = Object.fromEntries(scopes.map((scope) => [scope, tokenOf(scope)]));

/** What a route needs to fulfill a request, unless `{}` is enough. */
const examples: Readonly<Record<string, (companion: Companion) => Arranged>> = {
  'POST /notifications': () => ({
    body: { event: 'application.approved', applicationId: 'application-1' },
  }),
  'POST /checkout/start': async (companion) => ({
    body: new URLSearchParams({
      environment: 'sandbox',
      returnUrl: `${ORIGIN}/done`,
      publicKey: PUBLIC_KEY,
      order: await companion.ticket(),
    }).toString(),
  }),
  'POST /checkout/prime': async (companion) => ({
    body: { order: await companion.ticket(), environment: 'sandbox' },
    otherBody: {
      order: await companion.ticket({ merchantOrderId: 'order-2' }),
      environment: 'sandbox',
    },
  }),
  'GET /checkout/:id': ofCheckout,
  'POST /checkout/:id/confirmation': async (companion) => ({
    ...(await ofCheckout(companion)),
    body: { confirmationToken: 'confirmation-token-1' },
  }),
  'POST /checkout/:id/cancellation': ofCheckout,
  'POST /prequalifications': () => ({ body: request, otherBody: { ...request, amount: 1 } }),
  'GET /prequalifications/:id': async (companion) => {
    const { body } = await companion.post('/prequalifications', request, {
      'idempotency-key': 'begun',
    });
    return {
      path: { id: String(body.id) },
      headers: { 'financing-checkout-secret': keyOf('begun') },
    };
  },
  'GET /checkouts': () => ({ query: { merchantOrderId: 'order-1001' } }),
  'GET /fundings/pages': () => ({ query: { from: '2026-11-19', to: '2026-11-20' } }),
  'GET /charges': () => ({ query: { merchantOrderId: 'order-1001' } }),
  'GET /charges/:chargeId': () => ({ path: { chargeId: 'charge-1' } }),
  'POST /charges/:chargeId/settles': () => ({
    path: { chargeId: 'charge-1' },
    body: { amount: 1 },
    otherBody: { amount: 2 },
  }),
  'POST /charges/:chargeId/refunds': ({ atService }) => {
    atService.settled = 500;
    return { path: { chargeId: 'charge-1' }, body: { amount: 1 }, otherBody: { amount: 2 } };
  },
  'POST /charges/:chargeId/voids': () => ({ path: { chargeId: 'charge-1' } }),
  'GET /charge-operations': () => ({ query: { state: 'unclear' } }),
  'POST /charge-operations/:operationId/resolution': async (companion) => {
    companion.atService.faults = ['lost-before'];
    await companion.send('POST /charges/:chargeId/settles', {
      headers: { 'idempotency-key': 'lost' },
    });
    const operation = await companion.store.findChargeOperation('lost');
    companion.atService.settled = 700;
    companion.clock.advance(210_000);
    return {
      path: { operationId: operation?.id ?? '' },
      body: { outcome: 'done', by: 'Ines', note: 'seen' },
    };
  },
  'POST /links': () => ({
    body: { order },
    otherBody: { order, language: 'fr' },
  }),
  'GET /links': () => ({ query: { merchantOrderId: 'order-1001' } }),
  'GET /links/:checkoutId': async (companion) => {
    const { body } = await companion.send('POST /links');
    return { path: { checkoutId: String(body.checkoutId) } };
  },
  'POST /webhooks/:id/replay': async (companion) => {
    await companion.confirm(await companion.open());
    const { deliveries } = (await companion.send('GET /webhooks')).body as {
      deliveries: { id: string }[];
    };
    return { path: { id: deliveries[0]?.id ?? '' } };
  },
};

async function ofCheckout(companion: Companion): Promise<CompanionExample> {
  const id = await companion.open();
  return { path: { id }, headers: { 'financing-checkout-secret': secretOf(id) } };
}

async function setUp(): Promise<Companion> {
  const companion = await createCompanion({
    backOfficeTokens: tokens,
    notificationAuthorizations: [new Secret(AUTHORIZATION)],
    metrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
  });
  knowOrders(companion);
  const atService = new ChargeAtService(companion.service);
  companion.service
    .on('POST /v2/post-sale/charges', charged)
    .on('GET /v2/post-sale/fundings/report', { status: 200, body: { records: [] } })
    .on('GET /v2/post-sale/fundings/records', { status: 200, body: { records: [] } })
    .on(SESSION, { ...primed, status: 200 })
    .on(STATUS, applied(null))
    .on(CREATE, madeLink())
    .on(READ, link('New'));
  const all: Companion = {
    ...companion,
    atService,
    lists: {
      storefront: routesOf(companion.storefront),
      backOffice: routesOf(companion.backOffice),
    },
    async send(name, change, { app, caller, listener = 'backOffice', ...more } = {}) {
      const route = all.lists[listener].find((one) => nameOf(one) === name);
      if (route === undefined) throw new Error(`${listener} does not serve ${name}.`);
      const example = more.example ?? (await examples[name]?.(all)) ?? {};
      const request = requestOf(route, example, caller ?? callerOf(companion, route), change);
      return companion.read(await (app ?? companion[listener]).request(...request));
    },
    effects: () => companion.service.calls.filter(({ method }) => method === 'POST').length,
  };
  return all;
}

/** Returns the headers of a permitted caller of a route. */
function callerOf(
  { headers }: Pick<BareCompanion, 'headers'>,
  route: Route,
): Record<string, string> {
  const key: Record<string, string> = hasKey(route) ? { 'idempotency-key': 'key-1' } : {};
  if (route.scope === 'public key') return headers(key);
  if (route.scope === 'notification') return { authorization: AUTHORIZATION };
  return {
    ...key,
    ...(route.scope !== 'none' && { authorization: `Bearer ${tokenOf(route.scope)}` }),
  };
}

/** Lists the requests of callers that a route must refuse. */
function callersRefused({ body, method, problems = [], scope }: Route): Refusal[] {
  if (scope === 'none') return [];
  const refuse = (code: string, headers: Refusal['change']['headers'], more = {}): Refusal => ({
    what: JSON.stringify(headers),
    change: { headers },
    code,
    ...more,
  });
  if (scope === 'notification') {
    return ['', 'Bearer wrong', `${AUTHORIZATION}x`, `Bearer ${AUTHORIZATION}`].map(
      (authorization) => refuse('token-invalid', { authorization }),
    );
  }
  if (scope !== 'public key') {
    const refusals = callerRefusals({ scope }, tokenOfScope, 'COMPANION_BACK_OFFICE_TOKENS');
    return [...refusals, ...(problems.includes('environment-mismatch') ? [otherEnvironment] : [])];
  }
  const origins = ['https://evil.example', 'null', `${ORIGIN}.evil.example`, 'http://shop.example'];
  const ofPage = [
    ...origins.map((origin) => refuse('origin-not-allowed', { origin })),
    ...(method === 'get' ? [] : [refuse('origin-not-allowed', { origin: undefined })]),
    refuse('private-key-exposed', { 'x-key': PRIVATE_KEY }),
  ];
  // A form has its key in a field, and no version.
  if (body?.contentTypes !== undefined) return ofPage;
  const keys = [undefined, `Bearer ${PUBLIC_KEY}x`, `Bearer ${PUBLIC_KEY.slice(0, 8)}`];
  const forms = [`Bearer ${PUBLIC_KEY} x`, `x Bearer ${PUBLIC_KEY}`, `Basic ${PUBLIC_KEY}`];
  return [
    ...ofPage,
    ...[...keys, ...forms].map((authorization) =>
      refuse(
        'public-key-invalid',
        { authorization },
        { headers: { 'www-authenticate': 'Bearer' } },
      ),
    ),
    ...[undefined, '2'].map((version) =>
      refuse('version-unsupported', { 'financing-checkout-version': version }),
    ),
  ];
}

const listeners = ['storefront', 'backOffice'] as const;
type Listener = (typeof listeners)[number];

const { lists } = await setUp();
const declared = listeners.flatMap((listener) =>
  lists[listener].map((route) => [listener, nameOf(route), route] as const),
);
const ofOffice = declared.filter(([listener]) => listener === 'backOffice');
const plain = ({ body, status }: { body: object; status: number }) => ({
  status,
  body: { ...body, requestId: '' },
});

describe.each(declared)('%s: %s', (listener, name, route) => {
  /** Sends requests that the route must refuse before any effect. */
  async function refused(refusals: (example: CompanionExample) => Refusal[]) {
    const companion = await setUp();
    const { effects, send } = companion;
    const example = (await examples[name]?.(companion)) ?? {};
    const before = effects();
    const ask = (change: Change) => send(name, change, { listener, example });
    expect(await refusalDifferences(refusals(example), problems, ask)).toEqual([]);
    return { ask, before, effects };
  }

  test('refuses other callers before any effect', async () => {
    const { before, effects } = await refused(() => callersRefused(route));
    expect(effects()).toBe(before);
  });

  test('refuses malformed requests before any effect, and fulfills its example', async () => {
    const { ask, before, effects } = await refused((example) =>
      refusalsOf(route, lists[listener], example),
    );
    const largest = { body: ' '.repeat(Number(route.maxBodyBytes)) };
    expect((await ask(largest)).status).not.toBe(413);
    expect(effects()).toBe(before);
    const answer = await ask({});
    expect([answer.status < 400, answer.text]).toEqual([true, answer.text]);
    if (route.method !== 'get') return;
    const head = await ask({ method: 'HEAD', headers: { origin: undefined } });
    expect([head.status, head.text]).toEqual([answer.status, '']);
  });

  test('hides each error of the store', async () => {
    const companion = await setUp();
    const { log, send, store } = companion;
    const example = (await examples[name]?.(companion)) ?? {};
    const errors = [
      ['store-unavailable', new StoreUnavailableError('ada.quill@example.com')],
      ['internal', new Error('select * from ada.quill@example.com')],
    ] as const;
    for (const [code, error] of errors) {
      for (const method of Object.keys(store)) {
        Object.assign(store, { [method]: () => Promise.reject(error) });
      }
      const { body, headers, status, text } = await send(name, {}, { listener, example });
      // The route does not use the store, or is a probe.
      if (status < 400 || name === 'GET /readyz') continue;
      expect(status).toBe(problems[code].status);
      expect(text).toContain(code);
      if (code === 'store-unavailable') expect(headers.get('retry-after')).toBe('5');
      expect(JSON.stringify([text, log])).not.toContain('quill');
      expect(body).not.toMatchObject({ retrySafe: true });
    }
  });

  if (!hasKey(route)) return;

  test('has one effect and one answer for each key', async () => {
    const companion = await setUp();
    const { effects, send } = companion;
    const example = (await examples[name]?.(companion)) ?? {};
    const before = effects();
    const both = await Promise.all([1, 2].map(() => send(name, {}, { listener, example })));
    const again = await send(name, {}, { listener, example });
    expect(both.map(plain)).toContainEqual(plain(again));
    const other =
      example.otherBody === undefined
        ? { parameter: 'other' }
        : { body: JSON.stringify(example.otherBody) };
    const reused = await send(name, other, { listener, example });
    expect([reused.status, reused.body.code]).toEqual([422, 'idempotency-key-reused']);
    expect(effects()).toBe(before + 1);
  });

  // What `page` opens at the service binds nobody, and may be opened again.
  if (route.priorities.includes('page')) return;

  test('has one effect when the answer of the service is lost', async () => {
    const whole = await setUp();
    await whole.send(name, {}, { listener });
    const { method = '', path = '' } =
      whole.service.calls.findLast((one) => one.method === 'POST') ?? {};
    const companion = await setUp();
    const { effects, send } = companion;
    const example = (await examples[name]?.(companion)) ?? {};
    companion.service.on(`${method} ${path}`, networkError('ECONNRESET'));
    const before = effects();
    for (let time = 0; time < 2; time++) {
      const { body, status } = await companion.patiently(send(name, {}, { listener, example }));
      expect([status, body.code]).toEqual([504, 'outcome-unknown']);
    }
    expect(effects()).toBe(before + 1);
  });
});

describe.each(ofOffice.filter(([, , { scope }]) => scope !== 'none'))(
  'without tokens, %s: %s',
  (listener, name, route) => {
    test('is served at most to programs on this machine', async () => {
      const companion = await setUp();
      const example = (await examples[name]?.(companion)) ?? {};
      const app = createApis({ ...companion.options, backOfficeTokens: [] }).backOffice;
      const before = companion.effects();
      const caller = { host: '127.0.0.1:4001', 'idempotency-key': 'key-1' };
      const ask = (change: Change) =>
        companion.send(name, change, { listener, example, caller, app });
      const alsoHere: Refusal = {
        what: 'a program on this machine',
        change: {},
        code: 'token-not-permitted',
        detail: `This needs a token with the scope "${route.scope}", also on this machine. Set COMPANION_BACK_OFFICE_TOKENS.`,
      };
      const refusals = [...otherMachines, ...(route.scope === 'read' ? [] : [alsoHere])];
      expect(await refusalDifferences(refusals, problems, ask)).toEqual([]);
      expect(companion.effects()).toBe(before);
      if (route.scope !== 'read') return;
      for (const host of ['127.0.0.1:4001', 'localhost:4001', '[::1]:4001']) {
        expect((await ask({ headers: { host, 'sec-fetch-site': 'none' } })).status).toBe(200);
      }
    });
  },
);

test('no route of the back office that changes something needs only the scope "read"', () => {
  const changes = ofOffice.filter(([, , { method }]) => method !== 'get');
  const open = changes.filter(([, , { scope }]) => scope === 'read' || scope === 'none');
  expect([changes.length > 4, open]).toEqual([true, []]);
});

test('control: finds answers that their routes do not declare', () => {
  const route = lists.backOffice.find((one) => nameOf(one) === 'GET /ledger');
  const differenceOf = (status: number, type: string, body: unknown) => {
    const headers = new Headers({ 'content-type': type, 'x-request-id': 'req_1' });
    if (route === undefined) return undefined;
    return answerDifference(route, problems, { status, headers, text: JSON.stringify(body) });
  };
  const json = 'application/json';
  const problem = 'application/problem+json';
  expect(differenceOf(200, json, { entries: [] })).toBeUndefined();
  expect(differenceOf(200, json, { entries: [], more: 1 })).toContain(
    'fields that are not declared',
  );
  expect(differenceOf(200, json, { entries: [{}] })).toContain('entries[0]');
  expect(differenceOf(200, 'text/html', { entries: [] })).toContain('"text/html" is not declared');
  expect(differenceOf(202, json, { entries: [] })).toContain('the status is not declared');
  const refused = { code: 'charge-busy', requestId: 'req_1' };
  expect(differenceOf(409, problem, refused)).toContain('"charge-busy" is not declared');
  expect(differenceOf(500, problem, refused)).toContain('another status');
});
