/* Events on the shopper's device reach the order without a browser on the shop's page. */
import { describe, expect, test } from 'vitest';
import {
  charged,
  gatewayTimeout,
  networkError,
  notFound,
  offer,
} from '../scripted-service.fixture.ts';
import { CHARGE, createLinkSubject, link, onLink, READ } from './link.fixture.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

async function createSubject(change: Parameters<typeof createLinkSubject>[0] = {}) {
  const subject = await createLinkSubject(change);
  const { body } = await subject.prime();
  const id = String(body.id);
  const { companion, service } = subject;
  return {
    ...subject,
    id,
    read: async () => (await companion.get(`/checkout/${id}`)).body,
    reads: () => service.callsTo(READ).length,
    charges: () => service.callsTo(CHARGE).map(({ body }) => body),
  };
}

test.each([
  ['opens the URL', link('Accessed')],
  ['makes the service start an application', link('Accessed', onLink('Started'))],
  ['leaves an application', link('Accessed', onLink('Cancelled'))],
])('a visitor who only %s leaves the link waiting', async (_, answer) => {
  const { read, show } = await createSubject();
  await show(answer);
  expect(await read()).toMatchObject({
    status: 'open',
    presentation: { link: { state: 'waiting', qrCode: 'iVBORw0KGgo=' } },
  });
});

test('shows the link as opened, and the checkout approved at its end', async () => {
  const { id, read, show, charges, statuses, companion } = await createSubject();
  expect(await read()).toMatchObject({
    status: 'open',
    presentation: { link: { state: 'waiting' } },
  });
  await show(link('Accessed', onLink('Started'), onLink('Prequalified')));
  expect(await read()).toMatchObject({
    status: 'open',
    presentation: { link: { state: 'opened' } },
  });
  await show(link('Expired', onLink('Confirmed', 1)));
  expect(await read()).toMatchObject({ id, status: 'approved' });
  expect(charges()).toEqual([
    expect.objectContaining({ confirmationToken: 'token-1', merchantOrderId: 'order-1001' }),
  ]);
  await show(link('Expired', onLink('Completed', 1)));
  expect(charges()).toHaveLength(1);
  expect(statuses()).toEqual(['confirming', 'approved']);
  expect(companion.counters.read('confirmation-doubled')).toBe(0);
});

test('charges an order whose page and browser are gone, and notifies the shop', async () => {
  const { companion, show, statuses } = await createSubject();
  // No request reads the checkout: only the background poll tracks it.
  await show(link('Accessed', onLink('Confirmed', 1)));
  expect(statuses().at(-1)).toBe('approved');
  expect(companion.webhooks().at(-1)).toMatchObject({
    merchantOrderId: 'order-1001',
    chargeId: 'charge-1',
    chargeState: 'Settled',
    amount: { value: 27_499, currency: 'USD' },
  });
});

test('charges an order whose shopper left the page and confirms later on the phone', async () => {
  const { companion, id, show, statuses } = await createSubject();
  const left = await companion.post(`/checkout/${id}/cancellation`);
  expect(left.body).toMatchObject({ status: 'open' });
  expect(left.body).not.toHaveProperty('retrySafe');
  await show(link('Accessed', onLink('Confirmed', 1)));
  expect(statuses()).toEqual(['confirming', 'approved']);
});

test('a page that leaves a hundred times causes one call to the service', async () => {
  const { companion, id, reads } = await createSubject();
  const before = reads();
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => companion.post(`/checkout/${id}/cancellation`)),
  );
  expect(new Set(answers.map(({ body }) => body.status))).toEqual(new Set(['open']));
  expect(reads() - before).toBe(1);
});

test('charges the order when another companion takes over after the first one died', async () => {
  const { companion, service, show, read, charges } = await createSubject();
  service.on(CHARGE, gatewayTimeout);
  await show(link('Expired', onLink('Confirmed', 1)));
  expect(await read()).toMatchObject({ status: 'unavailable', retrySafe: false });
  // There is no charge yet: after the grace period, the request is resent with the link's token.
  service.on(CHARGE, charged);
  for (let round = 0; round < 6; round++) await show(link('Expired', onLink('Confirmed', 1)));
  expect(await read()).toMatchObject({ status: 'approved' });
  const [first, second] = charges() as { merchantTransactionId: string }[];
  expect(second?.merchantTransactionId).toBe(first?.merchantTransactionId);
  expect(companion.counters.read('confirmation-doubled')).toBe(0);
});

describe('two people open one link and both confirm', () => {
  const both = link(
    'Expired',
    onLink('Confirmed', 2, { updatedAt: '2026-11-20T12:05:00Z' }),
    onLink('Confirmed', 1, { updatedAt: '2026-11-20T12:04:00Z' }),
  );

  test('charges the first one, and reports the second one once', async () => {
    const { companion, id, show, charges, create } = await createSubject();
    await show(both);
    await show(both);
    expect(charges()).toEqual([expect.objectContaining({ confirmationToken: 'token-1' })]);
    expect(companion.counters.read('confirmation-doubled')).toBe(1);
    const lines = companion.log.filter(({ event }) => event === 'confirmation-doubled');
    expect(lines).toEqual([
      expect.objectContaining({ level: 'error', security: true, checkoutId: id }),
    ]);
    const { body } = await companion.office(`/links/${id}`);
    expect(body).toMatchObject({
      status: 'approved',
      secondConfirmations: [{ applicationId: 'application-2' }],
    });
    const trace = await companion.store.trace(id);
    expect(trace.secondConfirmations).toEqual([
      { applicationId: 'application-2', seenAt: expect.any(Number) as number },
    ]);
    expect((await create('again')).body.code).toBe('checkout-not-open');
  });

  test('detects the second confirmation hours after the charge', async () => {
    const { companion, show, charges, work } = await createSubject();
    await show(link('Accessed', onLink('Confirmed', 1), onLink('Started')));
    await work(5 * 60 * MINUTE);
    expect(companion.counters.read('confirmation-doubled')).toBe(0);
    await show(link('Expired', onLink('Confirmed', 1), onLink('Confirmed', 2)));
    expect(companion.counters.read('confirmation-doubled')).toBe(1);
    expect(charges()).toHaveLength(1);
  });

  test('reports a confirmation on a link whose order was paid on the page', async () => {
    const { companion, show, charges, read } = await createSubject();
    await companion.confirm(await companion.open('page-key'), 'page-token');
    await show(link('Accessed', onLink('Confirmed', 1)));
    expect(charges()).toEqual([expect.objectContaining({ confirmationToken: 'page-token' })]);
    expect(companion.counters.read('confirmation-doubled')).toBe(1);
    expect(await read()).toMatchObject({ status: 'cancelled' });
  });
});

describe('ends', () => {
  test('a decline ends the checkout as declined', async () => {
    const { read, show, statuses } = await createSubject();
    await show(link('Expired', onLink('Declined')));
    expect(await read()).toMatchObject({ status: 'declined' });
    expect(statuses()).toEqual(['declined']);
  });

  test('a decline alongside another application does not end the checkout', async () => {
    const { read, show } = await createSubject();
    await show(link('Accessed', onLink('Declined'), onLink('Started')));
    expect(await read()).toMatchObject({ status: 'open' });
  });

  test.each(['Cancelled', 'Failed'])('%s leaves an active link open', async (word) => {
    const { read, show } = await createSubject();
    await show(link('Accessed', onLink(word)));
    expect(await read()).toMatchObject({ status: 'open' });
  });

  test('an ended link ends the checkout as expired', async () => {
    const { read, show, statuses, reads, work } = await createSubject();
    await show(link('Expired'));
    expect(await read()).toMatchObject({ status: 'expired' });
    expect(statuses()).toEqual(['expired']);
    const before = reads();
    await work(2 * DAY);
    expect(reads()).toBe(before);
  });

  test('a link that ended because a lender approved continues until the shopper confirms', async () => {
    const { read, show } = await createSubject();
    await show(link('Expired', onLink('Approved')));
    expect(await read()).toMatchObject({
      status: 'open',
      presentation: { link: { state: 'opened' } },
    });
    await show(link('Expired', onLink('Confirmed', 1)));
    expect(await read()).toMatchObject({ status: 'approved' });
  });

  test('a slow lender leaves the checkout pending, and its confirmation is charged', async () => {
    const { read, show } = await createSubject();
    await show(link('Expired', onLink('PendingLender')));
    expect(await read()).toMatchObject({ status: 'pending' });
    await show(link('Expired', onLink('Confirmed', 1)));
    expect(await read()).toMatchObject({ status: 'approved' });
  });

  test('an offer after a pending decision reopens the checkout', async () => {
    const { read, show } = await createSubject();
    await show(link('Expired', onLink('PendingLender')));
    await show(link('Expired', onLink('Approved')));
    expect(await read()).toMatchObject({ status: 'open' });
  });

  test('a confirmation at the last moment is charged although the checkout has expired', async () => {
    const { companion, read, service, work } = await createSubject();
    service.on(READ, link('Accessed', onLink('Started')));
    companion.clock.advance(DAY);
    await work();
    expect(await read()).toMatchObject({ status: 'expired' });
    service.on(READ, link('Expired', onLink('Confirmed', 1)));
    await work(5 * MINUTE);
    expect(await read()).toMatchObject({ status: 'approved' });
  });
});

describe('reads the link', () => {
  /** Runs the background work for some seconds. @returns the seconds at which the link was read */
  async function readsWithin(
    { companion, reads }: Awaited<ReturnType<typeof createSubject>>,
    seconds: number,
  ): Promise<number[]> {
    const began = companion.clock.now();
    const at: number[] = [];
    let before = reads();
    await companion.pass(seconds * 1_000, () => {
      if (reads() > before) at.push((companion.clock.now() - began) / 1_000);
      before = reads();
    });
    return at;
  }

  test('less and less often until the link is accessed', async () => {
    const subject = await createSubject();
    const at = await readsWithin(subject, 1_500);
    const gaps = at.map((second, index) => second - (at[index - 1] ?? 0));
    expect(gaps[0]).toBe(2);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(300);
    expect(gaps.slice(-2).every((gap) => gap >= 250)).toBe(true);
    expect(at.length).toBeLessThan(16);
  });

  test('at least every half minute for an hour after the link was accessed', async () => {
    const subject = await createSubject();
    await readsWithin(subject, 600);
    subject.service.on(READ, link('Accessed', onLink('Started')));
    await readsWithin(subject, 300);
    const at = await readsWithin(subject, 600);
    const gaps = at.slice(1).map((second, index) => second - (at[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(30);
    await subject.work(60 * MINUTE);
    expect((await readsWithin(subject, 600)).length).toBeLessThan(5);
  });

  test.each([
    ['does not know the link', notFound],
    ['refuses to return it', { status: 403, text: '' }],
    ['responds with something else', { status: 200, text: '<html>' }],
    ['cannot be reached', networkError('ECONNRESET')],
  ])('again while the service %s, and the checkout expires', async (_, fault) => {
    const { companion, read, service, show, work } = await createSubject();
    service.on(READ, fault);
    await companion.patiently(work(10 * MINUTE));
    expect(await companion.patiently(read())).toMatchObject({ status: 'open' });
    await show(link('Accessed', onLink('Prequalified')));
    expect(await read()).toMatchObject({ presentation: { link: { state: 'opened' } } });
    service.on(READ, fault);
    await companion.patiently(work(DAY));
    expect(await companion.patiently(read())).toMatchObject({ status: 'expired' });
  });
});

test('accepts a lease charge without sales tax, because the application explains the difference', async () => {
  const { read, service, show } = await createSubject();
  service.on(CHARGE, { status: 201, body: { ...charged.body, totalAmount: 254.98 } });
  service.on('GET /v2/checkout/applications/application-1/status', {
    status: 200,
    body: { flowType: 'Checkout', applicationStatus: 'Approved', ...offer('LeaseToOwn') },
  });
  await show(link('Expired', onLink('Confirmed', 1)));
  expect(await read()).toMatchObject({ status: 'approved' });
});
