import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createCompanion, ORIGIN, PUBLIC_KEY } from '../companion.fixture.ts';
import { listen, type OpenListener } from '@financing-checkout/kit/listen';
import { MAX_SMALL_BODY_BYTES } from '@financing-checkout/kit/http';
import { MAX_LARGE_BODIES } from './bodies.ts';

const open: OpenListener[] = [];
afterEach(async () => {
  for (const listener of open.splice(0)) await listener.drain(0);
});

const ticketOf = (bytes: number) =>
  JSON.stringify({ order: 'x'.repeat(bytes), environment: 'sandbox' });

/** Starts a companion and requests with partially sent bodies. */
async function setUp() {
  const companion = await createCompanion();
  const listener = await listen(companion.storefront, { host: '127.0.0.1', port: 0 });
  open.push(listener);

  /** Sends the headers and a part of the body; `finish` sends the rest and returns the response. */
  function begin(body: string, length: number | undefined, path = '/checkout/prime') {
    const sent = request(`${listener.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${PUBLIC_KEY}`,
        'financing-checkout-version': '1',
        'content-type': 'application/json',
        'idempotency-key': 'k'.repeat(32),
        origin: ORIGIN,
        ...(length === undefined ? {} : { 'content-length': length }),
      },
    });
    const answer = new Promise<{ status: number; code: unknown; retryAfter: unknown }>(
      (resolve, reject) => {
        sent.on('error', reject);
        sent.on('response', (response) => {
          let text = '';
          response.on('data', (piece) => (text += String(piece)));
          response.on('end', () => {
            const { code } = JSON.parse(text) as { code: unknown };
            const retryAfter = response.headers['retry-after'];
            resolve({ status: response.statusCode ?? 0, code, retryAfter });
          });
        });
      },
    );
    sent.write(body);
    sent.flushHeaders();
    const finish = (rest: string) => {
      sent.end(rest);
      return answer;
    };
    return { answer, finish, leave: () => sent.destroy() };
  }
  return { begin, clock: companion.clock };
}

describe.each([
  ['with a length', (body: string) => body.length],
  ['in chunks without a length', () => undefined],
])('large bodies %s', (_, lengthOf) => {
  const large = ticketOf(200_000);
  const [first, rest] = [large.slice(0, 100_000), large.slice(100_000)];

  test('are refused as overloaded at the limit of open bodies and accepted again after one ends', async () => {
    const { begin } = await setUp();
    const held = Array.from({ length: MAX_LARGE_BODIES }, () => begin(first, lengthOf(large)));
    const refusal = { status: 503, code: 'overloaded', retryAfter: '1' };
    // Until all bodies have arrived, one more may still be admitted.
    await expect.poll(() => begin(first, lengthOf(large)).finish(rest)).toEqual(refusal);
    const [one] = held;
    expect(await one?.finish(rest)).toMatchObject({ status: 422, code: 'order-ticket-invalid' });
    expect(await begin(first, lengthOf(large)).finish(rest)).toMatchObject({ status: 422 });
    for (const { leave, answer } of held.slice(1)) {
      answer.catch(() => undefined);
      leave();
    }
    // A client that disconnects frees its slot.
    await expect
      .poll(() => begin(first, lengthOf(large)).finish(rest))
      .toMatchObject({ status: 422 });
  });

  test('leave room for bodies of ordinary size', async () => {
    const { begin } = await setUp();
    const held = Array.from({ length: MAX_LARGE_BODIES + 4 }, () => begin(first, lengthOf(large)));
    const small = ticketOf(MAX_SMALL_BODY_BYTES - 100);
    const ordinary = await begin('', lengthOf(small)).finish(small);
    expect(ordinary).toMatchObject({ status: 422, code: 'order-ticket-invalid' });
    for (const { leave, answer } of held) {
      answer.catch(() => undefined);
      leave();
    }
  });

  test('that never arrive take no slot from those that do', async () => {
    const { begin } = await setUp();
    const held = Array.from({ length: 2 * MAX_LARGE_BODIES }, () => begin('', lengthOf(large)));
    for (const { finish } of held) expect(await finish(large)).toMatchObject({ status: 422 });
  });

  test('that stop arriving give way to those that arrive', async () => {
    const { begin, clock } = await setUp();
    const held = Array.from({ length: MAX_LARGE_BODIES }, () => begin(first, lengthOf(large)));
    const next = () => begin(first, lengthOf(large)).finish(rest);
    await expect.poll(next).toMatchObject({ status: 503, code: 'overloaded' });
    // Slow, but for no longer than it takes to recover from a lost packet.
    clock.advance(1_999);
    expect(await next()).toMatchObject({ status: 503, code: 'overloaded' });
    clock.advance(1);
    expect(await next()).toMatchObject({ status: 422, code: 'order-ticket-invalid' });
    expect(await Promise.race(held.map(({ answer }) => answer))).toMatchObject({
      status: 503,
      code: 'overloaded',
    });
    for (const { leave, answer } of held) {
      answer.catch(() => undefined);
      leave();
    }
  });
});
