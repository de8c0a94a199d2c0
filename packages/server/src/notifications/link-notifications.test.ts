/* Notifications that identify a link move its next read forward. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { networkError } from '../scripted-service.fixture.ts';
import { CHARGE, CREATE, createLinkSubject, link, onLink, READ } from '../checkout/link.fixture.ts';
import { Secret } from '@financing-checkout/kit';

const linkRequest = z.object({ applicationDetails: z.object({ correlationId: z.string() }) });
const AGREED = 'Bearer agreed-in-advance';

async function createSubject() {
  const subject = await createLinkSubject({ notificationAuthorizations: [new Secret(AGREED)] });
  const { companion, service } = subject;
  return {
    ...subject,
    notify: (body: object) =>
      companion.post('/notifications', body, { authorization: AGREED, origin: '' }),
    /** The correlation id that was sent with the request for the link. */
    correlationId: () =>
      linkRequest.parse(service.callsTo(CREATE)[0]?.body).applicationDetails.correlationId,
    /** Lets time pass until the idle link is read only rarely. */
    idle: async () => {
      for (let look = 0; look < 12; look++) await subject.work(300_000);
      service.calls.splice(0);
    },
  };
}

const created = { eventType: 'application.created', createdAt: '2026-11-20T12:00:00Z' };

test.each([
  ['the id of the link', () => ({ linkId: 'link-1' })],
  ['the companion’s correlation id', (ours: string) => ({ correlationId: ours })],
  ['the id of the link as the correlation id', () => ({ correlationId: 'link-1' })],
])('application.created with %s triggers an immediate read of the link', async (_, ids) => {
  const { companion, correlationId, idle, notify, prime, service, work } = await createSubject();
  const { body } = await prime();
  const ours = correlationId();
  await idle();
  service.on(READ, link('Accessed', onLink('Prequalified')));
  const { status } = await notify({ ...created, applicationId: 'application-9', ...ids(ours) });
  expect(status).toBe(202);
  await work();
  expect(service.callsTo(READ)).toHaveLength(1);
  expect((await companion.get(`/checkout/${String(body.id)}`)).body).toMatchObject({
    presentation: { link: { state: 'opened' } },
  });
});

test('a notification for another link changes nothing', async () => {
  const { idle, notify, prime, service, work } = await createSubject();
  await prime();
  await idle();
  await notify({ ...created, applicationId: 'application-9', linkId: 'link-9' });
  await work();
  expect(service.callsTo(READ)).toEqual([]);
});

describe('application.checkout-confirmed', () => {
  const confirmed = (number: number, ids: object) => ({
    eventType: 'application.checkout-confirmed',
    createdAt: '2026-11-20T12:00:00Z',
    applicationId: `application-${number}`,
    lenderId: 'lender-1',
    amount: 274.99,
    token: `token-${number}`,
    ...ids,
  });

  test('causes an immediate charge with its token, even while the service does not return the link', async () => {
    const { companion, correlationId, notify, prime, service, work } = await createSubject();
    await prime();
    service.on(READ, { status: 403, text: '' });
    await notify(confirmed(1, { correlationId: correlationId() }));
    await work();
    expect(service.callsTo(CHARGE).map(({ body }) => body)).toEqual([
      expect.objectContaining({ confirmationToken: 'token-1' }),
    ]);
    expect(companion.webhooks().at(-1)).toMatchObject({ status: 'approved' });
  });

  test('and the read of the link create a single charge', async () => {
    const { companion, notify, prime, service, work } = await createSubject();
    await prime();
    service.on(READ, link('Expired', onLink('Confirmed', 1)));
    await notify(confirmed(1, { linkId: 'link-1' }));
    await work();
    await work(300_000);
    expect(service.callsTo(CHARGE)).toHaveLength(1);
    expect(companion.counters.read('confirmation-doubled')).toBe(0);
  });

  test('of a second application is reported and not charged', async () => {
    const { companion, notify, prime, service, work } = await createSubject();
    const { body } = await prime();
    await notify(confirmed(1, { linkId: 'link-1' }));
    await work();
    await notify(confirmed(2, { linkId: 'link-1' }));
    await work();
    expect(service.callsTo(CHARGE)).toHaveLength(1);
    expect(companion.counters.read('confirmation-doubled')).toBe(1);
    expect(await companion.store.findSecondConfirmations(String(body.id))).toMatchObject([
      { applicationId: 'application-2' },
    ]);
  });
});

test('a refund at the service is reported to the shop, via the application of the charge', async () => {
  const { companion, notify, prime, service, show, work } = await createSubject();
  await prime();
  await show(link('Expired', onLink('Confirmed', 1)));
  service.calls.splice(0);
  await notify({
    eventType: 'postsale.refund.accepted',
    createdAt: '2026-11-20T12:00:00Z',
    applicationId: 'application-1',
  });
  await work();
  expect(service.callsTo('GET /v2/post-sale/charges/charge-1')).toHaveLength(1);
  expect(companion.counters.read('notification-unknown')).toBe(0);
});

test('a used link whose URL was lost is found by the correlation id, and its order is charged', async () => {
  const { companion, correlationId, create, notify, service, work } = await createSubject();
  service.on(CREATE, networkError('ECONNRESET'));
  expect((await create('key-1', { deliver: 'email' })).status).toBe(504);
  service.on(READ, link('Accessed', onLink('Confirmed', 1)));
  await notify({
    ...created,
    applicationId: 'application-1',
    linkId: 'link-1',
    correlationId: correlationId(),
  });
  await work();
  expect(service.callsTo(CHARGE)).toHaveLength(1);
  expect(companion.webhooks().at(-1)).toMatchObject({
    merchantOrderId: 'order-1001',
    status: 'approved',
  });
});
