import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runHere } from '../cli/command.fixture.ts';
import { createLink, finish, openLink, publishedLink, readLink } from '../links/links.fixture.ts';
import { details, discard, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(() => test.control('POST', '/reset'));

const path = '/v2/omni-link/consumer';
const published = publishedLink();

describe('GET /v2/omni-link/consumer/{linkId}', () => {
  it('returns a new link without its consumer and cart', async () => {
    const { linkId } = await createLink(test);
    expect(await readLink(test, linkId)).toEqual({
      createdAt: expect.any(String) as unknown,
      updatedAt: expect.any(String) as unknown,
      linkType: 'ConsumerCheckout',
      linkStatus: 'New',
      applicationDetails: published.applicationDetails,
      merchantDetails: published.merchantDetails,
      applications: [],
    });
  });

  it('returns the default device type', async () => {
    const { linkId } = await createLink(test, { merchantDetails: undefined }, 'application');
    expect(await readLink(test, linkId)).toMatchObject({
      linkType: 'ConsumerApplication',
      merchantDetails: { posType: 'GenericConsumerDevice' },
    });
  });

  it('returns 404 without a body for an unknown link and for a link of another environment', async () => {
    const { linkId } = await createLink(test);
    const uat = test.environment('uat');
    for (const answer of [
      await test.call('GET', `${path}/unknown`),
      await test.call('GET', `${path}/${linkId}`, {
        baseUrl: uat.baseUrl,
        authorization: `Bearer ${uat.privateKey}`,
      }),
    ]) {
      expect([answer.status, answer.text]).toEqual([404, '']);
    }
  });

  it('ends a link after 24 hours on the sandbox clock', async () => {
    const { linkId } = await createLink(test);
    await test.control('POST', '/clock', { advance: '23h' });
    expect(await readLink(test, linkId)).toMatchObject({ linkStatus: 'New' });
    await test.control('POST', '/clock', { advance: '1h' });
    expect(await readLink(test, linkId)).toMatchObject({ linkStatus: 'Expired' });
  });

  it('returns the confirmation token of a confirmed application, valid for one charge', async () => {
    const { linkId, url } = await createLink(test);
    await finish(test, (await openLink(url)).visit);
    const link = await readLink(test, linkId);
    expect(link).toMatchObject({
      linkStatus: 'Expired',
      applications: [
        {
          applicationId: expect.any(String) as unknown,
          applicationStatus: 'Confirmed',
          consumerId: expect.any(String) as unknown,
          accounts: [
            {
              accountStatus: 'Active',
              accountToken: expect.any(String) as unknown,
              lenderId: 'halden-wren',
              creditInfo: { amount: 500, availableAmount: 500 },
            },
          ],
          checkoutDetails: { lenderId: 'halden-wren', lenderName: 'Halden & Wren' },
        },
      ],
    });
    const [application] = link.applications as { checkoutDetails: Record<string, string> }[];
    const { confirmationToken } = application?.checkoutDetails ?? {};
    const charged = await test.call('POST', '/v2/post-sale/charges', {
      body: { confirmationToken },
    });
    expect(charged.body).toMatchObject({ merchantOrderId: 'ORDER-1001', totalAmount: 128 });
    expect(await readLink(test, linkId)).toMatchObject({
      applications: [{ applicationStatus: 'Completed' }],
    });
  });

  it.each([
    ['Decline', 'Declined', 'Expired'],
    ['Pending', 'PendingLender', 'Accessed'],
    ['MoreInformation', 'PendingConsumer', 'Accessed'],
    ['MerchantReview', 'PendingLender', 'Accessed'],
    ['Expire', 'Failed', 'Accessed'],
  ])('returns %s as %s for a link that is %s', async (lastName, applicationStatus, linkStatus) => {
    const { linkId, url } = await createLink(test);
    await finish(test, (await openLink(url)).visit, lastName);
    expect(await readLink(test, linkId)).toMatchObject({
      linkStatus,
      applications: [{ applicationStatus }],
    });
  });

  it('ends an apply link when there are offers, but a checkout link only after the confirmation', async () => {
    for (const [kind, linkStatus] of [
      ['application', 'Expired'],
      ['checkout', 'Accessed'],
    ] as const) {
      const { linkId, url } = await createLink(test, {}, kind);
      const { visit } = await openLink(url);
      await test.form('/checkout/details', { ...visit, ...details });
      expect(await readLink(test, linkId)).toMatchObject({
        linkStatus,
        applications: [{ applicationStatus: 'Prequalified' }],
      });
    }
  });
});

describe('checkoutOptions', () => {
  it.each([
    [{ charge: true }, 'AUTHORIZED'],
    [{ charge: true, settle: true }, 'SETTLED'],
  ])('%j creates a charge on confirmation', async (checkoutOptions, state) => {
    const { url } = await createLink(test, { checkoutOptions });
    await finish(test, (await openLink(url)).visit);
    const order = await test.call('GET', '/v2/post-sale/orders/ORDER-1001');
    const charge = await test.call('GET', `/v2/post-sale/charges/${JSON.parse(order.text)}`);
    expect(charge.body).toMatchObject({ state, totalAmount: 128 });
  });

  it('creates a charge when a pending decision becomes an approval', async () => {
    const { url } = await createLink(test, { checkoutOptions: { charge: true } });
    await finish(test, (await openLink(url)).visit, 'PendingConfirm');
    expect((await test.call('GET', '/v2/post-sale/orders/ORDER-1001')).status).toBe(404);
    await test.control('POST', '/clock', { advance: '1h' });
    await expect
      .poll(async () => (await test.call('GET', '/v2/post-sale/orders/ORDER-1001')).status)
      .toBe(200);
  });

  it('creates no charge when it is absent', async () => {
    const { url } = await createLink(test);
    await finish(test, (await openLink(url)).visit);
    expect((await test.call('GET', '/v2/post-sale/orders/ORDER-1001')).status).toBe(404);
  });
});

it('lists links for the developer without their recipients', async () => {
  const { url, linkId } = await createLink(test);
  const { body, text } = await test.control('GET', '/links');
  expect(body.links).toEqual([
    expect.objectContaining({ linkId, url, linkStatus: 'New', delivered: 'Email' }),
  ]);
  expect(text).not.toMatch(/quayle|ada@|5035550142|larch/i);
  const { code, stdout } = await runHere('links', 'list', '--control-url', test.sandbox.controlUrl);
  expect([code, stdout]).toEqual([
    0,
    `${url}  ConsumerCheckout  New  order ORDER-1001  delivered by Email\n`,
  ]);
});
