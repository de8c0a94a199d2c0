import { describe, expect, test } from 'vitest';
import { createCompanion, ORIGIN, PUBLIC_KEY } from '../../companion.fixture.ts';
import { sharedLimit, Secret } from '@financing-checkout/kit';

describe('the storefront API', () => {
  test('never sends a Retry-After that is too short', async () => {
    const companion = await createCompanion({ addressLimit: 7, clientAddress: () => '192.0.2.7' });
    for (let count = 0; count < 7; count++) await companion.get('/checkout/x');
    const { headers } = await companion.get('/checkout/x');
    // 8.57 seconds.
    expect(headers.get('retry-after')).toBe('9');
    companion.clock.advance(9_000);
    expect((await companion.get('/checkout/x')).status).toBe(404);
  });

  test('answers 429 with a Retry-After that the page can read, to that address only', async () => {
    let address = '192.0.2.7';
    const companion = await createCompanion({ addressLimit: 3, clientAddress: () => address });
    for (let count = 0; count < 3; count++)
      expect((await companion.get('/checkout/x')).status).toBe(404);
    const { status, body, headers } = await companion.get('/checkout/x');
    expect([status, body.code, body.retrySafe]).toEqual([429, 'rate-limited', true]);
    expect(headers.get('retry-after')).toBe('20');
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    // Requests over the limit must not fill the disk.
    expect(companion.log.at(-1)).toMatchObject({ event: 'request', status: 429, level: 'debug' });
    address = '192.0.2.8';
    expect((await companion.get('/checkout/x')).status).toBe(404);
    address = '192.0.2.7';
    companion.clock.advance(20_000);
    expect((await companion.get('/checkout/x')).status).toBe(404);
  });

  test.each([
    ['images', 'GET', '/checkout/x', { 'sec-fetch-site': 'cross-site' }],
    ['images of a sibling host', 'GET', '/checkout/x', { 'sec-fetch-site': 'same-site' }],
    ['requests with a body', 'POST', '/checkout/prime', { origin: 'https://other.example' }],
    ['forms', 'POST', '/checkout/start', { origin: 'https://other.example' }],
    ['forms without a referrer', 'POST', '/checkout/start', { origin: 'null' }],
    ['requests from a frame without an origin', 'POST', '/notifications', { origin: 'null' }],
  ])(
    'does not let a page of another site use up the limit of its visitor’s address by %s',
    async (_, method, path, sent) => {
      const companion = await createCompanion({
        addressLimit: 5,
        clientAddress: () => '192.0.2.7',
      });
      const headers = new Headers(sent);
      const type = path.endsWith('start') ? 'application/x-www-form-urlencoded' : 'text/plain';
      if (method === 'POST') headers.set('content-type', type);
      const form = new URLSearchParams({ publicKey: PUBLIC_KEY, order: 'x' }).toString();
      const init = { method, headers, ...(method === 'POST' ? { body: form } : {}) };
      const statuses: number[] = [];
      for (let count = 0; count < 8; count++) {
        statuses.push((await companion.storefront.request(path, init)).status);
      }
      // These requests are refused, and above a separate budget they do not fill the log.
      expect(statuses.slice(0, 5).every((status) => [401, 403, 404].includes(status))).toBe(true);
      expect(statuses.slice(5)).toEqual([429, 429, 429]);
      for (let count = 0; count < 5; count++) {
        expect((await companion.get('/checkout/x')).status).toBe(404);
      }
      expect((await companion.get('/checkout/x')).status).toBe(429);
    },
  );

  test('does not limit a preflight, so that the page can read why its request failed', async () => {
    const companion = await createCompanion({ addressLimit: 1, clientAddress: () => '192.0.2.7' });
    const path = '/checkout/x/confirmation';
    const preflight = async () => {
      const headers = { origin: ORIGIN, 'access-control-request-method': 'POST' };
      return (await companion.storefront.request(path, { method: 'OPTIONS', headers })).status;
    };
    expect([await preflight(), (await companion.post(path)).status]).toEqual([204, 400]);
    const { status, body } = await companion.post(path);
    expect([await preflight(), status, body.code]).toEqual([204, 429, 'rate-limited']);
  });

  test('limits forms, but not notifications from the service', async () => {
    const companion = await createCompanion({
      addressLimit: 1,
      clientAddress: () => '192.0.2.7',
      notificationAuthorizations: [new Secret('Bearer 0123456789-abcdef')],
    });
    const statusesOf = async (path: string, headers: Record<string, string>) => {
      const ask = () => companion.storefront.request(path, { method: 'POST', headers, body: '{}' });
      return [(await ask()).status, (await ask()).status];
    };
    const authorization = 'Bearer 0123456789-abcdef';
    expect(await statusesOf('/notifications', { authorization })).toEqual([202, 202]);
    expect(await statusesOf('/checkout/start', { origin: ORIGIN })).toEqual([415, 429]);
  });

  test('limits notifications with a wrong Authorization value, because each one is logged', async () => {
    const limits = { addressLimit: 1, clientAddress: () => '192.0.2.7' };
    const agreed = [new Secret('Bearer 0123456789-abcdef')];
    for (const { notificationAuthorizations, status } of [
      { notificationAuthorizations: agreed, status: 401 },
      { notificationAuthorizations: [], status: 404 },
    ]) {
      const options = { ...limits, notificationAuthorizations };
      const companion = await createCompanion(options);
      const notify = async (authorization: string) => {
        const headers = { authorization };
        const request = { method: 'POST', headers, body: '{}' };
        return (await companion.storefront.request('/notifications', request)).status;
      };
      expect([await notify('guess-1'), await notify('guess-2')]).toEqual([status, 429]);
      // Wrong guesses do not lock out the service.
      if (status === 401) expect(await notify('Bearer 0123456789-abcdef')).toBe(202);
    }
  });

  test('counts all addresses of an IPv6 /64 as one client', async () => {
    let address = '';
    const companion = await createCompanion({ addressLimit: 2, clientAddress: () => address });
    const statuses = [];
    for (address of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'])
      statuses.push((await companion.get('/checkout/x')).status);
    expect(statuses).toEqual([404, 404, 429, 404]);
  });

  test('local requests and requests without an address share one limit, logged once', async () => {
    let address: string | undefined;
    const companion = await createCompanion({ addressLimit: 2, clientAddress: () => address });
    const get = async () => (await companion.get('/checkout/x')).status;
    const unnamed = ['127.0.0.1', '::1', '127.9.9.9', undefined, 'unknown'];
    expect(sharedLimit(2)).toBe(100);
    for (let count = 0; count < 100; count++) {
      address = unnamed[count % unnamed.length];
      expect(await get()).toBe(404);
    }
    for (address of unnamed) expect(await get()).toBe(429);
    // Requests with an address are not affected.
    address = '192.0.2.7';
    expect(await get()).toBe(404);
    const said = companion.log.filter(({ event }) => event === 'client-address-unknown');
    expect(said).toMatchObject([
      { level: 'warn', reason: 'loopback' },
      { level: 'warn', reason: 'no-address' },
    ]);
    companion.clock.advance(600);
    address = '127.0.0.1';
    expect(await get()).toBe(404);
  });

  test('limits the public key over all addresses, and a wrong key does not use it up', async () => {
    const companion = await createCompanion({ keyLimit: 2 });
    const wrong = { authorization: 'Bearer wrong' };
    for (let count = 0; count < 5; count++) {
      const { status, headers } = await companion.get('/checkout/x', wrong);
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
    const statuses = [];
    for (let count = 0; count < 3; count++)
      statuses.push((await companion.get('/checkout/x')).status);
    expect(statuses).toEqual([404, 404, 429]);
  });

  test('counts a form without JavaScript against its public key', async () => {
    const companion = await createCompanion({ keyLimit: 2 });
    const start = async (publicKey: string) => {
      const { status } = await companion.storefront.request('/checkout/start', {
        method: 'POST',
        headers: { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          environment: 'sandbox',
          returnUrl: `${ORIGIN}/done`,
          order: 'no-ticket',
          publicKey,
        }),
      });
      return status;
    };
    for (let count = 0; count < 3; count++) expect(await start('wrong')).toBe(401);
    expect((await companion.get('/checkout/x')).status).toBe(404);
    expect([await start(PUBLIC_KEY), await start(PUBLIC_KEY)]).toEqual([422, 429]);
    expect((await companion.get('/checkout/x')).status).toBe(429);
  });
});
