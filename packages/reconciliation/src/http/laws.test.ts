import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { problems } from '@financing-checkout/contract/storefront';
import type { Route } from '@financing-checkout/kit/http';
import {
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
import type { CaseRecord } from '@financing-checkout/contract/reconciliation';
import { beforeAll, describe, expect, test } from 'vitest';
import { raiseAlarm, standingAlarms } from '../cases/alarms.ts';
import { chargeOperation, COMPANION_TOKEN } from '../companion/companion.fixture.ts';
import { readConfiguration } from '../config/config.ts';
import { scopes } from '../config/tokens.ts';
import { createProgram } from '../program.ts';
import {
  dayBefore,
  type Running,
  shareProgram,
  shopDays,
  startShop,
  variablesOf,
} from '../program.fixture.ts';
import { wireRecord } from '../sync/history.fixture.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';
import { ofPage, signIn } from './session.fixture.ts';

/** A request that its route fulfills, and for a route with a key, another body. */
interface ReconciliationExample extends Example {
  otherBody?: unknown;
  /** Code of the problem of a valid request, if the shop of this test lacks what it is about. */
  problem?: string;
}

const tokenOf = (scope: string) => `${scope}-token-000001`;
const TOKENS = scopes
  .flatMap((scope) => {
    const others = scopes.filter((one) => one !== scope).join();
    return [
      `${scope} ${scope} ${tokenOf(scope)}`,
      `all-but-${scope} ${others} ${tokenOf(`all-but-${scope}`)}`,
    ];
  })
  .join('\n');

/** A shop with three cases, whose companion fulfills each operation on a charge. */
const openShop: Parameters<typeof shareProgram>[0] = async (atEnd) => {
  const shop = await startShop(1, atEnd);
  const at = new Date(Date.now() - 2 * 86_400_000).toISOString();
  shop.records.push(wireRecord(7, at), wireRecord(8, at));
  shop.before = async (request, response) => {
    if (request.method !== 'POST') return false;
    await textOf(request);
    const isReplay = request.url?.endsWith('replay') === true;
    const status = isReplay ? 202 : request.url?.endsWith('resolution') === true ? 200 : 201;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isReplay ? { id: 'm-1', state: 'waiting' } : chargeOperation));
    return true;
  };
  return shop;
};

const guarded = shareProgram(openShop, {
  RECONCILIATION_DEFAULT_CURRENCY: 'USD',
  RECONCILIATION_TOKENS: TOKENS,
  RECONCILIATION_COMPANION_MONEY_TOKEN: COMPANION_TOKEN,
});
/** An API without tokens, and without data, because access is decided before that is opened. */
const folder = join(tmpdir(), 'never-opened');
const variables = variablesOf({ url: 'http://127.0.0.1:9' }, {}, folder);
const { app: local } = createProgram(readConfiguration(variables, () => ''));
beforeAll(async () => {
  const { app } = guarded.program;
  const headers = {
    authorization: `Bearer ${tokenOf('sync')}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify(shopDays());
  const begun = await app.request('/syncs', { method: 'POST', headers, body });
  const { id } = (await begun.json()) as { id: string };
  await (await app.request(`/syncs/${id}/events`, { headers })).text();
});

/** What a route needs to fulfill a request, unless `{}` is enough. */
const examples: Readonly<
  Record<string, (program: Running) => ReconciliationExample | Promise<ReconciliationExample>>
> = {
  'POST /console/session': () => ({ headers: ofPage, body: { token: tokenOf('read') } }),
  'POST /cases/:caseId/assign': ofCase({ assignee: null }, { assignee: 'Ada' }),
  'POST /cases/:caseId/note': ofCase({ note: 'seen' }, { note: 'asked' }),
  'POST /cases/:caseId/resolve': ofCase({ reason: 'paid' }, { reason: 'agreed' }),
  'POST /cases/:caseId/ignore': ofCase({ reason: 'paid' }, { reason: 'agreed' }),
  'POST /cases/:caseId/snooze': ofCase({ until: dayBefore(-3) }, { until: dayBefore(-4) }),
  'POST /cases/:caseId/wake': ofCase({}, { by: 'Ines' }, ['snooze', { until: dayBefore(-3) }]),
  'POST /cases/:caseId/reopen': ofCase({ reason: 'late' }, { reason: 'lost' }, [
    'resolve',
    { reason: 'paid' },
  ]),
  'POST /cases/:caseId/merge': async (program) => {
    const { path, into } = await caseOf(program);
    return { path, body: { into }, otherBody: { into, note: 'same' } };
  },
  'POST /cases/:caseId/split': async (program) => {
    const { path, into } = await caseOf(program);
    await act(program, path.caseId, 'merge', { into });
    return { path, body: {}, otherBody: { note: 'other' } };
  },
  'POST /cases/operations': async (program) => {
    const { path } = await caseOf(program);
    const note = { verb: 'note', caseId: path.caseId };
    return {
      body: { operations: [{ ...note, note: 'seen' }] },
      otherBody: { operations: [{ ...note, note: 'asked' }] },
    };
  },
  'POST /cases/sheet': () => ({
    body: 'case,revision,state,assignee,reason,note\n',
    headers: { 'content-type': 'text/csv' },
  }),
  'GET /cases/claims': () => ({ query: { lender: 'Northway Credit' } }),
  'GET /cases/counts': () => ({ query: { filter: 'state=open' } }),
  'GET /search': () => ({ query: { q: 'A-1' } }),
  'GET /exports/:table': () => ({ path: { table: 'orders' } }),
  'GET /migration': () => ({ query: shopDays() }),
  'POST /periods/:period/acceptance': () => ({
    body: { check: 'cases-decided', digest: 'a'.repeat(64), reason: 'agreed' },
  }),
  'POST /periods/:period/withdrawal': () => ({ body: { of: 'preparation' } }),
  'GET /periods/:period/orders': () => ({ query: { step: 'net' } }),
  'GET /periods/:period/journal': () => ({ query: { format: 'csv' } }),
  'POST /periods/:period/journal': () => ({ body: { format: 'csv' } }),
  'POST /ledger': () => ({ body: '', headers: { 'content-type': 'application/x-ndjson' } }),
  'POST /ledger/preview': () => ({
    body: 'order,amount\nA,1\n',
    headers: { 'content-type': 'text/csv' },
  }),
  'POST /ledger/preview/workbook': async ({ app }) => {
    const headers = { authorization: `Bearer ${tokenOf('read')}` };
    return { body: await (await app.request('/radar?format=xlsx', { headers })).arrayBuffer() };
  },
  'POST /imports/:id/withdrawal': () => ({ body: { reason: 'wrong file' } }),
  'POST /syncs': () => ({ body: shopDays() }),
  'POST /ledger-starts': () => ({
    body: { currency: 'USD', answer: 'elsewhere' },
    problem: 'not-found',
  }),
  'POST /alarms/:alarm/acknowledgement': async ({ engine }) => {
    await raiseAlarm(engine, 'trail-broken', { seq: 1, reason: crypto.randomUUID() });
    const [alarm] = await standingAlarms(engine.facts);
    return {
      path: { alarm: String(alarm?.number) },
      body: { reason: 'restored' },
      otherBody: { reason: 'expected' },
    };
  },
  'POST /charges/:id/settles': () => ({ body: { amount: 1 }, otherBody: { amount: 2 } }),
  'POST /charges/:id/refunds': () => ({ body: { amount: 1 }, otherBody: { amount: 2 } }),
  'POST /charge-operations/:id/resolution': () => ({ body: { outcome: 'done', note: 'seen' } }),
};

/** Returns an open case that is neither snoozed nor merged, and another one of its currency. */
async function caseOf({ app }: Pick<Running, 'app'>) {
  const headers = { authorization: `Bearer ${tokenOf('cases')}` };
  const list = async (query: string) =>
    ((await (await app.request(`/cases?${query}`, { headers })).json()) as { cases: CaseRecord[] })
      .cases;
  for (const { id } of await list('merged=true')) await act({ app }, id, 'split', {});
  for (const { id } of await list('snoozed=true')) await act({ app }, id, 'wake', {});
  for (const state of ['resolved', 'ignored']) {
    for (const { id } of await list(`state=${state}`))
      await act({ app }, id, 'reopen', { reason: 'test' });
  }
  const [one, other] = await list('state=open');
  return { path: { caseId: one?.id ?? '' }, into: other?.id ?? '' };
}

async function act(
  { app }: Pick<Running, 'app'>,
  id: string,
  verb: string,
  body: object,
): Promise<void> {
  const headers = {
    authorization: `Bearer ${tokenOf('cases')}`,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await app.request(`/cases/${id}/${verb}`, init);
  expect([verb, answer.status, await answer.text()]).toEqual([verb, 200, expect.any(String)]);
}

/** @param before the action that makes this one possible */
function ofCase(body: object, otherBody?: object, before?: [verb: string, body: object]) {
  return async (program: Running): Promise<ReconciliationExample> => {
    const { path } = await caseOf(program);
    if (before !== undefined) await act(program, path.caseId, ...before);
    return { path, body, ...(otherBody && { otherBody }) };
  };
}

async function exampleOf(route: Route, program: Running): Promise<ReconciliationExample> {
  const example = (await examples[nameOf(route)]?.(program)) ?? {};
  if (!hasKey(route)) return example;
  return { ...example, headers: { 'idempotency-key': crypto.randomUUID(), ...example.headers } };
}

async function send(
  app: Running['app'],
  route: Route,
  example: Example,
  caller: Readonly<Record<string, string>>,
  change?: Change,
) {
  const response = await app.request(...requestOf(route, example, caller, change));
  const { headers, status } = response;
  // An endless stream has no end to wait for.
  const isStream = headers.get('content-type') === 'text/event-stream';
  return { headers, status, text: isStream ? '' : await response.text() };
}

/** Requests of other pages with the cookie of a session. */
function otherPages({ method }: Route, cookie?: string): Refusal[] {
  const pages: Record<string, Record<string, string | undefined>> = {
    'a page of another site': { 'sec-fetch-site': 'cross-site' },
    'a page of a sibling host': { 'sec-fetch-site': 'same-site' },
    'a foreign origin': { origin: 'http://localhost:3000' },
    'an opaque origin': { origin: 'null' },
    ...(method !== 'get' && {
      'a page without the header of the console': { 'financing-console': undefined },
      'a page without any proof of its origin': { origin: undefined, 'sec-fetch-site': undefined },
    }),
  };
  return Object.entries(pages).map(([what, headers]) => ({
    what,
    change: { headers: { ...ofPage, authorization: undefined, cookie, ...headers } },
    code: 'origin-not-allowed',
  }));
}

/** The sessions of tokens, by their scopes. */
const sessions = new Map<string, Promise<{ cookie: string }>>();

function cookieOf(scope: string): Promise<{ cookie: string }> {
  const session = sessions.get(scope) ?? signIn(guarded.program.app, scope);
  sessions.set(scope, session);
  return session;
}

/** Lists the requests of callers that a route must refuse. */
async function callersRefused(route: Route<Operation>): Promise<Refusal[]> {
  const { headers = {}, isOfSession = false, scope } = route;
  // Another page must not sign a person in either.
  if (scope === 'none') return 'Financing-Console' in headers ? otherPages(route) : [];
  const others = callerRefusals(route, {
    own: tokenOf(scope),
    others: tokenOf(`all-but-${scope}`),
    setting: 'RECONCILIATION_TOKENS',
  });
  const { cookie } = await cookieOf(scope);
  const pages = [...otherPages(route, cookie), otherEnvironment];
  if (isOfSession) {
    const withoutCookie = ({ change }: Refusal) => ({
      headers: { ...change.headers, cookie: undefined },
    });
    return [
      ...others.map(({ code, what, ...one }) => ({
        code,
        what,
        change: withoutCookie({ code, what, ...one }),
      })),
      ...pages,
    ];
  }
  if (scope === 'read') return [...others, ...pages];
  const reader = { ...ofPage, authorization: undefined, ...(await cookieOf('read')) };
  const what = 'a session with the scope read';
  return [...others, ...pages, { what, change: { headers: reader }, code: 'token-not-permitted' }];
}

const permittedStatuses = (status: number) => ![400, 401, 403, 405, 413, 415, 500].includes(status);
const withoutId = (text: string) => text.replaceAll(/"requestId":"\w[^"]*"/g, '');
const named = operations.map((route) => [nameOf(route), route] as const);
const protectedRoutes = named.filter(([, { scope }]) => scope !== 'none');

describe.each(named)('%s', (_, route) => {
  const { isOfSession = false, scope } = route;

  async function callerOf(): Promise<Record<string, string>> {
    if (scope === 'none') return {};
    if (!isOfSession) return { authorization: `Bearer ${tokenOf(scope)}` };
    return { ...ofPage, ...(await signIn(guarded.program.app, scope)) };
  }

  test('refuses malformed requests, and fulfills its example', async () => {
    const caller = await callerOf();
    const example = await exampleOf(route, guarded.program);
    const general = refusalsOf(route, operations, example);
    // Without a provider, a sign-in through it has no address.
    const refusals = route.path.startsWith('/console/sign-in')
      ? general.filter(({ code }) => code === 'method-not-allowed')
      : general;
    const ask = (change: Change) => send(guarded.program.app, route, example, caller, change);
    expect(await refusalDifferences(refusals, problems, ask)).toEqual([]);
    const answer = await ask({});
    expect([permittedStatuses(answer.status), answer.text]).toEqual([true, answer.text]);
  });

  test('refuses callers without its scope, and pages of other origins', async () => {
    const refusals = await callersRefused(route);
    const caller = await callerOf();
    const ask = (change: Change) => send(guarded.program.app, route, {}, caller, change);
    expect(await refusalDifferences(refusals, problems, ask)).toEqual([]);
  });

  if (!hasKey(route)) return;

  test('has one effect and one answer for each key', async () => {
    const { program } = guarded;
    const example = await exampleOf(route, program);
    const caller = await callerOf();
    const first = await send(guarded.program.app, route, example, caller);
    const again = await send(guarded.program.app, route, example, caller);
    expect([again.status, withoutId(again.text)]).toEqual([first.status, withoutId(first.text)]);
    const { problem = '' } = example;
    if (problem !== '') expect(first.text).toContain(problem);
    if (problem !== '' || !route.problems?.includes('idempotency-key-reused')) return;
    expect(first.status).toBeLessThan(300);
    const other: Change =
      example.otherBody === undefined
        ? { parameter: 'other' }
        : { body: JSON.stringify(example.otherBody) };
    const reused = await send(guarded.program.app, route, example, caller, other);
    expect([reused.status, reused.text]).toEqual([
      422,
      expect.stringContaining('idempotency-key-reused'),
    ]);
  });
});

describe.each(protectedRoutes)('without tokens, %s', (_, route) => {
  test('is served at most to programs and the console on this machine', async () => {
    const ask = (change: Change) => send(local, route, {}, { host: '127.0.0.1:4002' }, change);
    const alsoHere: Refusal = {
      what: 'a program on this machine',
      change: {},
      code: 'token-not-permitted',
      detail: 'also on this machine. Set RECONCILIATION_TOKENS.',
    };
    const refusals = [...otherMachines, ...(route.scope === 'money' ? [alsoHere] : [])];
    expect(await refusalDifferences(refusals, problems, ask)).toEqual([]);
  });
});

test('no operation that changes something needs only the scope "read", except those of a session', () => {
  const changes = protectedRoutes.filter(([, { method }]) => method !== 'get');
  const open = changes.filter(([, { isOfSession, scope }]) => scope === 'read' && !isOfSession);
  expect([changes.length > 20, open]).toEqual([true, []]);
});
