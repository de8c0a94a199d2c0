import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  discard,
  publishedSession,
  refusedFields,
  sessionBody,
  startTestSandbox,
  type TestSandbox,
} from '../sandbox.fixture.ts';
import { startSandbox } from '../sandbox.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHere } from '../cli/command.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(() => test.control('POST', '/reset'));

const prime = async (body: unknown) => {
  const answer = await test.call('POST', '/v1/checkout/prime', { body });
  return [answer.status, refusedFields(answer)];
};
const withConsumer = (consumerDetails: unknown) => ({ ...sessionBody(), consumerDetails });

describe('POST /v1/checkout/prime', () => {
  it('returns the same response as a session', async () => {
    const body = publishedSession();
    const primed = await test.call('POST', '/v1/checkout/prime', { body });
    expect(primed.status).toBe(200);
    expect(primed.body).toEqual({
      id: expect.stringMatching(/^[\w-]{32}$/) as unknown,
      expirationDate: expect.any(String) as unknown,
      applicationId: expect.any(String) as unknown,
      isContinuation: false,
      deviceSessionId: null,
      merchantDetails: { storeId: 'store1' },
    });
    const lifetime = Date.parse(String(primed.body.expirationDate)) - test.sandbox.clock.now();
    expect(lifetime).toBeGreaterThan(59 * 60_000);
  });

  it.each([
    [{}],
    [null],
    [{ firstName: 'Ada' }],
    [{ email: 'ada@shop.example', mobilePhoneNumber: '5035550142' }],
    [{ shippingAddress: publishedSession().consumerDetails.shippingAddress }],
  ])('accepts the consumer %j', async (consumer) => {
    expect(await prime(withConsumer(consumer))).toEqual([200, []]);
  });

  it.each([
    ['ConsumerDetails.FirstName', withConsumer({ firstName: '' })],
    ['ConsumerDetails.MobilePhoneNumber', withConsumer({ mobilePhoneNumber: '503 555' })],
    [
      'ConsumerDetails.ShippingAddress.Country',
      withConsumer({
        shippingAddress: { line1: '1 Main', city: 'Fernhollow', state: 'OR', zipCode: '97999' },
      }),
    ],
    ['ConsumerDetails.SomethingNew', withConsumer({ somethingNew: 1 })],
    ['CheckoutDetails', { cartDetails: sessionBody().cartDetails }],
    ['CartDetails', { checkoutDetails: {} }],
  ])('rejects a wrong or missing %s with 422', async (field, body) => {
    const [status, fields] = await prime(body);
    expect(status).toBe(422);
    expect(String(fields)).toContain(field);
  });
});

describe('the required consumer of a prime', () => {
  const partial = withConsumer({ firstName: 'Ada', lastName: 'Example' });
  const missing = ['email', 'shippingAddress', 'billingAddress', 'netMonthlyIncome', 'dateOfBirth'];
  const refused = [
    422,
    missing.map((field) => `ConsumerDetails.${field.charAt(0).toUpperCase()}${field.slice(1)}`),
  ];

  it('is set by the control API, until a reset', async () => {
    const answer = await test.control('POST', '/behavior', { primeConsumer: 'required' });
    expect(answer.body).toMatchObject({ primeConsumer: 'required' });
    expect(await prime(partial)).toEqual(refused);
    expect(await prime(publishedSession())).toEqual([200, []]);
    const { cartDetails, checkoutDetails } = sessionBody();
    expect(await prime({ cartDetails, checkoutDetails })).toEqual([200, []]);
    await test.control('POST', '/reset');
    expect(await prime(partial)).toEqual([200, []]);
  });

  it('is set by the command', async () => {
    const url = ['--control-url', test.sandbox.controlUrl];
    const set = await runHere('behavior', 'set', 'prime-consumer', 'required', ...url);
    expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining('required') as unknown });
    expect(await prime(partial)).toEqual(refused);
  });

  it('is set by a startup option and through the running sandbox object', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
    const sandbox = await startSandbox({ dataDir, behavior: { primeConsumer: 'required' } });
    try {
      expect(sandbox.behaviors.read()).toMatchObject({ primeConsumer: 'required' });
      expect(sandbox.behaviors.change({ primeConsumer: 'optional' })).toMatchObject({
        primeConsumer: 'optional',
      });
    } finally {
      await sandbox.stop();
      rmSync(dataDir, { recursive: true });
    }
  });

  it('does not accept an unknown value', async () => {
    const answer = await test.control('POST', '/behavior', { primeConsumer: 'perhaps' });
    expect(answer.status).toBe(400);
  });
});
