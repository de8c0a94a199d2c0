/* A checkout's id appears in logs and webhooks, so the id alone must not grant access. */
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  createCompanion,
  recordedKeyOf,
  ORIGIN,
  PUBLIC_KEY,
  secretOf,
} from '../companion.fixture.ts';
import { application, charged } from '../scripted-service.fixture.ts';

const SECRET = 'financing-checkout-secret';
const CONFIRMED = { confirmationToken: 'confirmation-token-1' };
const STATUS = 'GET /v2/checkout/applications/application-1/status';

async function setUp() {
  const companion = await createCompanion();
  companion.service.on('POST /v2/post-sale/charges', charged).on(STATUS, application('APPROVED'));
  const id = await companion.open();
  const statusOf = async () => (await companion.store.findCheckout(id))?.status;
  return { companion, id, statusOf };
}

describe("without a checkout's secret", () => {
  test.each([
    ['no secret', ''],
    ['the secret of another checkout', 'another'],
    ['a part of the secret', 'part'],
    ['the secret with more characters', 'more'],
    ['the id', 'id'],
    ['the public key', PUBLIC_KEY],
  ])(
    'with %s, reading, confirming and cancelling answer as for an unknown checkout',
    async (_, kind) => {
      const { companion, id, statusOf } = await setUp();
      const other = await companion.open('key-2', { merchantOrderId: 'order-2' });
      const secret = secretOf(id);
      const texts: Record<string, string> = {
        another: secretOf(other),
        part: secret.slice(0, -1),
        more: `${secret}x`,
        id,
      };
      const header = { [SECRET]: texts[kind] ?? kind };
      const calls = companion.service.calls.length;
      const answersAbout = async (checkout: string) => [
        await companion.get(`/checkout/${checkout}`, header),
        await companion.post(`/checkout/${checkout}/confirmation`, CONFIRMED, header),
        await companion.post(`/checkout/${checkout}/cancellation`, {}, header),
      ];
      const plain = ({ status, body }: Answer): Pick<Answer, 'status' | 'body'> => ({
        status,
        body: { ...body, requestId: '' },
      });
      const answers = (await answersAbout(id)).map(plain);
      expect(answers).toEqual((await answersAbout(`${id}x`)).map(plain));
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
        Array(3).fill([404, 'checkout-not-found']),
      );
      expect(JSON.stringify(answers)).not.toContain('session-token-1');
      expect(companion.service.calls).toHaveLength(calls);
      expect(await statusOf()).toBe('open');
    },
  );

  test('a confirmation with an invented token ends no application', async () => {
    const { companion, id, statusOf } = await setUp();
    const body = { confirmationToken: 'garbage' };
    await companion.post(`/checkout/${id}/confirmation`, body, { [SECRET]: '' });
    expect(await statusOf()).toBe('open');
    expect((await companion.confirm(id)).body.status).toBe('approved');
  });

  test('does not log the checkout id', async () => {
    const { companion, id } = await setUp();
    await companion.get(`/checkout/${id}`, { [SECRET]: '' });
    expect(companion.log.at(-1)).not.toHaveProperty('checkoutId');
    await companion.get(`/checkout/${id}`);
    expect(companion.log.at(-1)).toMatchObject({ checkoutId: id });
  });
});

describe('the key of the prime', () => {
  test('reads, confirms and cancels', async () => {
    const { companion, id } = await setUp();
    const other = await companion.open('key-2', { merchantOrderId: 'order-2' });
    expect((await companion.get(`/checkout/${id}`)).body.presentation).toMatchObject({
      sessionToken: 'session-token-1',
    });
    expect((await companion.confirm(id)).body.status).toBe('approved');
    const left = await companion.post(`/checkout/${other}/cancellation`);
    expect(left.status).toBe(200);
    expect(left.body.status).not.toBe('open');
  });

  test.each([31, 22, 1])(
    'of %i characters is refused, because it could be guessed',
    async (length) => {
      const companion = await createCompanion();
      const response = await companion.storefront.request('/checkout/prime', {
        method: 'POST',
        headers: { ...companion.headers(), 'idempotency-key': 'k'.repeat(length) },
        body: JSON.stringify({ order: await companion.ticket(), environment: 'sandbox' }),
      });
      const { status, body } = await companion.read(response);
      expect([status, body.code]).toEqual([400, 'idempotency-key-missing']);
      expect(companion.service.calls).toHaveLength(0);
    },
  );

  test('is in no row of the store, no log and no response', async () => {
    const { companion, id } = await setUp();
    await companion.confirm(id);
    const secret = secretOf(id);
    const checkout = await companion.store.findCheckout(id);
    expect(checkout?.secretHash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify([checkout, companion.log, companion.answers])).not.toContain(secret);
    expect(await companion.store.findIdempotency(`sandbox ${secret}`)).toBeUndefined();
    expect((await companion.store.findIdempotency(await recordedKeyOf('key-1')))?.checkoutId).toBe(
      id,
    );
  });

  test('may be sent by a page of an allowed origin', async () => {
    const companion = await createCompanion();
    const preflight = await companion.storefront.request('/checkout/chk_1', {
      method: 'OPTIONS',
      headers: { origin: ORIGIN, 'access-control-request-headers': SECRET },
    });
    expect(preflight.headers.get('access-control-allow-headers')).toContain(SECRET);
  });
});

describe('a checkout of a form', () => {
  test('has a secret that no page knows, so only the service finishes it', async () => {
    const companion = await createCompanion();
    const response = await companion.storefront.request('/checkout/start', {
      method: 'POST',
      headers: { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        environment: 'sandbox',
        returnUrl: `${ORIGIN}/thanks`,
        publicKey: PUBLIC_KEY,
        order: await companion.ticket(),
      }).toString(),
    });
    expect(response.status).toBe(303);
    const [checkout] = await companion.store.findCheckoutsOfOrder('sandbox', 'order-1001');
    const id = checkout?.id ?? '';
    expect(checkout?.secretHash).toMatch(/^[0-9a-f]{64}$/);
    expect((await companion.get(`/checkout/${id}`)).status).toBe(404);
    expect((await companion.post(`/checkout/${id}/confirmation`, CONFIRMED)).status).toBe(404);

    companion.service
      .on('POST /v2/post-sale/charges', charged)
      .on(STATUS, application('APPROVED', { confirmationToken: 'confirmation-token-1' }));
    for (let round = 0; round < 2; round++) {
      companion.clock.advance(3_600_000);
      await companion.background.runOnce();
    }
    expect((await companion.store.findCheckout(id))?.status).toBe('approved');
  });
});
