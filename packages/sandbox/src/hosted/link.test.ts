import { fetch } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLink, finish, openLink, readLink } from '../links/links.fixture.ts';
import { discard, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';
import { receiveNotifications } from '../notifications/receiver.fixture.ts';

let test: TestSandbox;
beforeAll(async () => {
  test = await startTestSandbox();
});
afterAll(() => discard(test));
beforeEach(() => test.control('POST', '/reset'));

const applicationsOf = async (linkId: string) =>
  (await readLink(test, linkId)).applications as { applicationId: string }[];

describe('the page of a link', () => {
  it('opens an application with the details of the consumer', async () => {
    const { url, linkId } = await createLink(test);
    const { status, visit } = await openLink(url);
    expect(status).toBe(303);
    const page = await test.hosted(visit);
    expect(page.html).toMatch(/value="ada@example.com"/);
    expect(page.html).toContain('Order ORDER-1001');
    expect(await readLink(test, linkId)).toMatchObject({
      linkStatus: 'Accessed',
      applications: [{ applicationStatus: 'Started' }],
    });
  });

  it('opens a new application for each visitor, and returns visitors to their own', async () => {
    const { url, linkId } = await createLink(test);
    const first = await openLink(url);
    const second = await openLink(url);
    expect(second.visit.session).not.toBe(first.visit.session);
    expect((await openLink(url, first.cookie)).visit.session).toBe(first.visit.session);
    expect(await applicationsOf(linkId)).toHaveLength(2);
  });

  it('opens a new application after a canceled one, and for the cookie of another link', async () => {
    const { url, linkId } = await createLink(test);
    const first = await openLink(url);
    await test.form('/checkout/cancel', first.visit);
    const again = await openLink(url, first.cookie);
    expect(again.visit.session).not.toBe(first.visit.session);
    const other = await createLink(test);
    await openLink(other.url, again.cookie);
    expect(await applicationsOf(other.linkId)).toHaveLength(1);
    expect(await applicationsOf(linkId)).toHaveLength(2);
  });

  it('opens no application for a HEAD request or an unknown link', async () => {
    const { url, linkId } = await createLink(test);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect(await readLink(test, linkId)).toMatchObject({ linkStatus: 'New', applications: [] });
    expect((await openLink(`${test.sandbox.hostedUrl}/link/unknown`)).status).toBe(404);
  });

  it('opens no application once the link has ended, but lets a visitor finish', async () => {
    const { url, linkId } = await createLink(test);
    const other = await openLink(url);
    const own = await openLink(url);
    await finish(test, own.visit);
    const late = await openLink(url);
    expect([late.status, late.html]).toEqual([410, expect.stringContaining('link has ended')]);
    expect((await openLink(url, own.cookie)).visit.session).toBe(own.visit.session);
    const page = await finish(test, other.visit);
    expect(page.outcome).toMatchObject({ type: 'confirmed' });
    expect(await applicationsOf(linkId)).toHaveLength(2);
  });

  it('sets a cookie only for this link, which scripts cannot read', async () => {
    const { url } = await createLink(test);
    const response = await fetch(url, { redirect: 'manual' });
    const { pathname } = new URL(url);
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toContain(`Path=${pathname}`);
    expect(cookie).toContain('HttpOnly');
    await response.body?.cancel();
  });

  const onSuccessRedirectUrl = 'https://shop.example/done';
  const onFailureRedirectUrl = 'https://shop.example/failed';

  it.each([
    ['Quayle', 'checkout', onSuccessRedirectUrl],
    ['Quayle', 'application', onSuccessRedirectUrl],
    ['Decline', 'checkout', onFailureRedirectUrl],
    ['Expire', 'checkout', onFailureRedirectUrl],
    ['Pending', 'checkout', undefined],
  ] as const)('leads %s of a link for %s to %s', async (lastName, kind, address) => {
    const linkOptions = { onSuccessRedirectUrl, onFailureRedirectUrl };
    const { url } = await createLink(test, { linkOptions }, kind);
    const { html } = await finish(test, (await openLink(url)).visit, lastName);
    expect(/href="(https:[^"]*)"/.exec(html)?.[1]).toBe(address);
  });

  it('ends with its own page if there is no return URL', async () => {
    const { url } = await createLink(test);
    const { html } = await finish(test, (await openLink(url)).visit);
    expect(html).toContain('go back to the shop’s page');
  });

  it('cannot be framed by a shop', async () => {
    const { url } = await createLink(test);
    const { headers } = await test.hosted((await openLink(url)).visit);
    expect(headers.get('content-security-policy')).toContain(
      `frame-ancestors ${test.sandbox.hostedUrl}`,
    );
  });
});

describe('the notifications of a link', () => {
  it('include the link id, also as the correlation id if the merchant set none', async () => {
    const receiver = await receiveNotifications();
    await test.control('POST', '/notifications/destination', { url: receiver.url });
    const { url, linkId } = await createLink(test, {
      applicationDetails: { channel: 'CALL_CENTER' },
    });
    await finish(test, (await openLink(url)).visit);
    await test.control('POST', '/notifications/flush');
    const [application] = await applicationsOf(linkId);
    const { applicationId } = application ?? {};
    const always = { applicationId, correlationId: linkId };
    expect(receiver.bodies).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ eventType: 'application.created', linkId, ...always }),
        expect.objectContaining({ eventType: 'application.approved', ...always }),
        expect.objectContaining({
          eventType: 'application.checkout-confirmed',
          token: expect.any(String) as unknown,
          ...always,
        }),
      ]),
    );
    await receiver.close();
  });
});
