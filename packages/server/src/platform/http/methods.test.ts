import { expect, test } from 'vitest';
import { BACK_OFFICE_TOKEN, createCompanion, ORIGIN } from '../../companion.fixture.ts';

test.each(['storefront', 'backOffice'] as const)(
  'the %s answers 404 for an unknown path with every method',
  async (listener) => {
    const companion = await createCompanion();
    const headers =
      listener === 'storefront'
        ? companion.headers()
        : { authorization: `Bearer ${BACK_OFFICE_TOKEN}` };
    for (const method of ['GET', 'POST', 'DELETE', 'HEAD']) {
      for (const path of ['/', '/nothing', '/checkout', '/checkout/prime/more', '/charges/a/b/c']) {
        const answer = await companion[listener].request(path, { method, headers });
        const found = [method, path, answer.status, answer.headers.get('allow')];
        expect(found).toEqual([method, path, 404, null]);
      }
    }
  },
);

test('answers a preflight on every path', async () => {
  const { storefront } = await createCompanion();
  for (const path of ['/checkout/prime', '/checkout/an-id', '/checkout/an-id/confirmation']) {
    const { status, headers } = await storefront.request(path, {
      method: 'OPTIONS',
      headers: { origin: ORIGIN, 'access-control-request-method': 'POST' },
    });
    expect([status, headers.get('access-control-allow-methods')]).toEqual([204, 'GET, POST']);
  }
});

test('reveals paths and their methods without a token only if the path needs no token', async () => {
  const { backOffice } = await createCompanion();
  const statusOf = async (path: string) =>
    (await backOffice.request(path, { method: 'DELETE' })).status;
  expect(await statusOf('/livez')).toBe(405);
  expect(await statusOf('/charges')).toBe(401);
  expect(await statusOf('/nothing')).toBe(401);
});

test('answers 405 to GET /checkout/prime, which is not the id of a checkout', async () => {
  const companion = await createCompanion();
  const { headers, status } = await companion.get('/checkout/prime');
  expect([status, headers.get('allow')]).toEqual([405, 'POST']);
});

test('has no notification path when notifications are off', async () => {
  const { storefront, headers } = await createCompanion({ notificationAuthorizations: [] });
  const answer = await storefront.request('/notifications', { method: 'GET', headers: headers() });
  expect(answer.status).toBe(404);
});
