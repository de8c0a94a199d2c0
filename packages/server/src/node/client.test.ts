import { once } from 'node:events';
import { Agent, get, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  BACK_OFFICE_TOKEN,
  createCompanion,
  keyOf,
  recordedKeyOf,
  ORIGIN,
  PUBLIC_KEY,
  secretOf,
} from '../companion.fixture.ts';
import { charged, primed } from '../scripted-service.fixture.ts';
import { createCompanion as createApis } from '../companion.ts';
import { listen, type OpenListener } from '@financing-checkout/kit/listen';

// Clients on real connections, such as pages and load balancers.

const PRIME = 'POST /v1/checkout/prime';
const CHARGE = 'POST /v2/post-sale/charges';
const REPORT = 'GET /v2/post-sale/fundings/report';

const open: OpenListener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.drain(0)));
});

async function serve(app: Parameters<typeof listen>[0]): Promise<string> {
  const listener = await listen(app, { host: '127.0.0.1', port: 0 });
  open.push(listener);
  return listener.url;
}

async function setUp() {
  const companion = await createCompanion();
  return {
    companion,
    storefront: await serve(companion.storefront),
    backOffice: await serve(companion.backOffice),
  };
}

function gate() {
  let release: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (release = resolve));
  return { passed, release };
}

describe('a page that is closed during a request', () => {
  test('leaves a prime recorded, and the same key gets the response', async () => {
    const { companion, storefront } = await setUp();
    const { passed, release } = gate();
    companion.service.on(PRIME, async () => (await passed, primed));
    const body = JSON.stringify({ order: await companion.ticket(), environment: 'sandbox' });
    const headers = companion.headers({ 'idempotency-key': 'key-1' });
    const page = new AbortController();
    const lost = fetch(`${storefront}/checkout/prime`, {
      method: 'POST',
      headers,
      body,
      signal: page.signal,
    });
    await expect.poll(() => companion.service.calls.length).toBe(1);
    page.abort();
    await expect(lost).rejects.toThrow('aborted');
    expect(companion.service.calls[0]?.signal.aborted).toBe(false);
    release();
    await expect
      .poll(
        async () => (await companion.store.findIdempotency(await recordedKeyOf('key-1')))?.state,
      )
      .not.toBe('in-flight');
    const again = await fetch(`${storefront}/checkout/prime`, { method: 'POST', headers, body });
    expect(again.status).toBe(201);
    expect(companion.service.callsTo(PRIME)).toHaveLength(1);
  });

  test('leaves a confirmation running, with one charge and an approved order', async () => {
    const { companion, storefront } = await setUp();
    const { passed, release } = gate();
    const id = await companion.open();
    companion.service.on(CHARGE, async () => (await passed, charged));
    const page = new AbortController();
    const lost = fetch(`${storefront}/checkout/${id}/confirmation`, {
      method: 'POST',
      headers: companion.headers({ 'financing-checkout-secret': secretOf(id) }),
      body: '{"confirmationToken":"confirmation-token-1"}',
      signal: page.signal,
    });
    await expect.poll(() => companion.service.callsTo(CHARGE).length).toBe(1);
    page.abort();
    await expect(lost).rejects.toThrow('aborted');
    release();
    await expect
      .poll(async () => (await companion.store.findCheckout(id))?.status)
      .toBe('approved');
    expect(companion.service.callsTo(CHARGE)).toHaveLength(1);
  });

  test('sends nothing to the service when the page closes while sending the request body', async () => {
    const { companion, storefront } = await setUp();
    const socket = connect(Number(new URL(storefront).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = [
      'POST /checkout/prime HTTP/1.1',
      'host: companion',
      `origin: ${ORIGIN}`,
      `authorization: Bearer ${PUBLIC_KEY}`,
      'financing-checkout-version: 1',
      'content-type: application/json',
      `idempotency-key: ${keyOf('key-1')}`,
      'content-length: 1000',
    ];
    await new Promise((sent) => socket.write(`${head.join('\r\n')}\r\n\r\n{"order":"`, sent));
    socket.destroy();
    // The log line is the last step of every request.
    await expect.poll(() => companion.log.map(({ event }) => event)).toContain('request');
    expect(companion.service.calls).toEqual([]);
    expect(await companion.store.findIdempotency(await recordedKeyOf('key-1'))).toBeUndefined();
  });
});

test('a client that stops reading fundings stops the requests to the service', async () => {
  const { companion, backOffice } = await setUp();
  let asked = 0;
  let last: number | undefined;
  const record = {
    status: 'RECONCILED',
    fundedAt: '2026-11-20',
    updatedAt: '2026-11-20T10:00:00Z',
    lenderName: 'Harbour Bank',
    transactionType: 'Settle',
    transactionAmount: 1,
    discountAmount: 0,
    netAmount: 1,
  };
  companion.service.on(REPORT, ({ query }) => {
    asked++;
    const offset = Number(query.get('offset'));
    const records = Array.from({ length: 1_000 }, (_, at) => ({
      ...record,
      transactionId: `transaction-${offset + at}`,
    }));
    return { status: 200, body: { records } };
  });
  const sent = get(`${backOffice}/fundings/report`, {
    headers: { authorization: `Bearer ${BACK_OFFICE_TOKEN}` },
  });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response, 'data');
  response.destroy();
  // The work has ended once two checks see the same number and no request is in flight.
  await expect
    .poll(() => {
      const before = last;
      last = asked;
      return before === asked;
    })
    .toBe(true);
  expect(asked).toBeLessThan(100);
});

describe('connections between requests', () => {
  test("stay open longer than a load balancer's idle timeout (60 s), so that the balancer closes first", async () => {
    const { companion, storefront } = await setUp();
    const agent = new Agent({ keepAlive: true });
    const sent = get(`${storefront}/checkout/none`, { agent, headers: companion.headers() });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.headers.connection).toBe('keep-alive');
    const seconds = Number(/timeout=(\d+)/.exec(String(response.headers['keep-alive']))?.[1]);
    expect(seconds).toBeGreaterThan(60);
    await once(response, 'end');
    agent.destroy();
  });

  test('a refused body does not affect the next request on its connection', async () => {
    const { companion, storefront } = await setUp();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const statuses: (number | undefined)[] = [];
    for (const [size, key] of [
      [3_000_000, 'key-1'],
      [2, 'key-2'],
    ] as const) {
      const sent = request(`${storefront}/checkout/prime`, {
        agent,
        method: 'POST',
        headers: companion.headers({ 'idempotency-key': key, 'content-length': String(size) }),
      });
      sent.end('{}'.padEnd(size));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
      statuses.push(response.statusCode);
    }
    expect(statuses).toEqual([413, 400]);
    agent.destroy();
  });
});

describe('an HTTP/1.0 request without a host, as load balancers send for health checks', () => {
  async function ask(url: string, path: string): Promise<string> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
    await once(socket, 'close');
    return text;
  }

  test.each(['/livez', '/readyz'])('%s is answered', async (path) => {
    const { backOffice } = await setUp();
    expect(await ask(backOffice, path)).toMatch(/^HTTP\/1\.1 200 .*"status":"ok"/s);
  });

  test('does not count as local when no token is set', async () => {
    const { options } = await createCompanion();
    const rest = { ...options };
    delete rest.backOfficeTokens;
    const backOffice = await serve(createApis(rest).backOffice);
    const path = '/checkouts?merchantOrderId=1';
    expect(await ask(backOffice, path)).toMatch(/^HTTP\/1\.1 403 /);
  });
});
