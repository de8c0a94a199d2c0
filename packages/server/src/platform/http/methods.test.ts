import { problemSchema } from '@financing-checkout/contract/storefront';
import type { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { BACK_OFFICE_TOKEN, createCompanion, ORIGIN } from '../../companion.fixture.ts';
import { Secret } from '@financing-checkout/kit';
import type { Env } from './requests.ts';

const metrics = () => Promise.resolve({ contentType: 'text/plain', text: '' });

/** Paths of an API, and the methods that the Allow header of their 405 response lists. */
function pathsOf({ routes }: Hono<Env>): [path: string, allow: string][] {
  const answered = routes.filter(({ method }) => method !== 'ALL');
  return [...Map.groupBy(answered, ({ path }) => path)].map(([path, sharing]) => [
    path.replaceAll(/:\w+/g, 'an-id'),
    [...new Set(sharing.map(({ method }) => method))]
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
      .join(', '),
  ]);
}

async function setUp(listener: 'storefront' | 'backOffice') {
  const companion = await createCompanion({
    metrics,
    notificationAuthorizations: [new Secret('Bearer 0123456789-abcdef')],
  });
  const app = companion[listener];
  const headers =
    listener === 'storefront'
      ? companion.headers()
      : { authorization: `Bearer ${BACK_OFFICE_TOKEN}` };
  const ask = (method: string, path: string) => app.request(path, { method, headers });
  return { companion, app, ask };
}

describe.each(['storefront', 'backOffice'] as const)('%s', (listener) => {
  test('RFC 9110 15.5.6: answers another method on a known path with 405 and Allow', async () => {
    const { app, ask } = await setUp(listener);
    const paths = pathsOf(app);
    expect(paths.length).toBeGreaterThan(5);
    for (const [path, allow] of paths) {
      for (const method of ['DELETE', 'PUT', 'BREW', allow.startsWith('GET') ? 'POST' : 'GET']) {
        if (allow.split(', ').includes(method)) continue;
        const answer = await ask(method, path);
        const { status, headers } = answer;
        expect([method, path, status, headers.get('allow')]).toEqual([method, path, 405, allow]);
        expect(headers.get('content-type')).toBe('application/problem+json');
        expect(problemSchema.parse(await answer.json()).code).toBe('method-not-allowed');
      }
    }
  });

  test('answers HEAD like GET, and 404 for an unknown path with every method', async () => {
    const { app, ask } = await setUp(listener);
    for (const [path, allow] of pathsOf(app)) {
      const { status } = await ask('HEAD', path);
      expect([path, status === 405]).toEqual([path, !allow.includes('HEAD')]);
    }
    for (const method of ['GET', 'POST', 'DELETE', 'HEAD']) {
      for (const path of ['/', '/nothing', '/checkout', '/checkout/prime/more', '/charges/a/b/c']) {
        const { status, headers } = await ask(method, path);
        expect([method, path, status, headers.get('allow')]).toEqual([method, path, 404, null]);
      }
    }
  });
});

test('answers a preflight on every path', async () => {
  const { companion } = await setUp('storefront');
  for (const path of ['/checkout/prime', '/checkout/an-id', '/checkout/an-id/confirmation']) {
    const { status, headers } = await companion.storefront.request(path, {
      method: 'OPTIONS',
      headers: { origin: ORIGIN, 'access-control-request-method': 'POST' },
    });
    expect([status, headers.get('access-control-allow-methods')]).toEqual([204, 'GET, POST']);
  }
});

test('reveals the methods of a path without a token only if the path needs no token', async () => {
  const { companion } = await setUp('backOffice');
  const statusOf = async (path: string) =>
    (await companion.backOffice.request(path, { method: 'DELETE' })).status;
  expect(await statusOf('/livez')).toBe(405);
  expect(await statusOf('/charges')).toBe(401);
});

test('has no notification path when notifications are off', async () => {
  const { storefront, headers } = await createCompanion({ notificationAuthorizations: [] });
  const answer = await storefront.request('/notifications', { method: 'GET', headers: headers() });
  expect(answer.status).toBe(404);
});
