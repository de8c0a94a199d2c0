/*
 * The checkout in the service's own SDK. A scripted SDK (hosted-page.fixture.ts) follows the published
 * one, and the test invokes its callbacks like the service.
 */
import { describe, expect, it, vi } from 'vitest';
import { until } from './clock.fixture.ts';
import { isOpen, mount, outcome, seen } from './element.fixture.ts';
import {
  codesOf,
  companion,
  present,
  presented,
  reported,
  scripted,
  useScriptedSdk,
} from './sdk.fixture.ts';
import type { FinancingApplicationEvent, FinancingCheckout } from './index.ts';

useScriptedSdk();

const confirmations = () =>
  companion.sent.filter(({ route }) => route === 'confirmation').map(({ body }) => body);

describe('the SDK', () => {
  it('receives the public key and the session, and its token is charged', async () => {
    const element = await mount({ presentation: 'sdk' });
    const { kind, options } = await present(element);
    expect(scripted().asked.keys).toEqual(['pk-test-1']);
    expect([kind, options.sessionToken]).toEqual(['checkout', 'session-of-checkout-1']);
    await element.updateComplete;
    // The SDK shows its own dialog, so the element's dialog stays closed.
    expect(isOpen(element)).toBe(false);
    expect(seen(element)).toMatchObject({ title: 'Your application is open', action: '' });
    const ended = outcome(element);
    options.callback('token-1', {}, null);
    expect(await ended).toMatchObject({ outcome: 'approved' });
    expect(companion.sent.at(-1)?.body).toMatchObject({ confirmationToken: 'token-1' });
  });

  it('reads the token from the data when the first argument has none', async () => {
    const { options } = await present(await mount({ presentation: 'sdk' }));
    options.callback(null, { token: 'token-1' });
    await until(() => expect(confirmations()).toMatchObject([{ confirmationToken: 'token-1' }]));
  });

  it('continues a pending session with the token of its completion', async () => {
    companion.farewell = { status: 'pending' };
    // The page keeps the token of this session, which no other test has.
    const opened = () => (companion.checkout = companion.opened('checkout-to-continue'));
    companion.instead('prime', () => Response.json(opened(), { status: 201 }));
    const element = await mount({ presentation: 'sdk' });
    const { options } = await present(element);
    const ended = outcome(element);
    options.callback(null, { continuationToken: 'go-on' }, { code: 'BACK_TO_STORE' });
    expect(await ended).toMatchObject({ outcome: 'pending' });
    // The lender asks the shopper again: the checkout is open at the companion.
    opened();
    element.start();
    expect((await presented(2)).options.sessionToken).toBe('go-on');
    expect(JSON.stringify(Object.entries(sessionStorage))).not.toContain('go-on');
  });

  it('fires events for applications and decisions without data of the shopper', async () => {
    const element = await mount({ presentation: 'sdk' });
    const events: object[] = [];
    element.addEventListener('financing-application', (event: FinancingApplicationEvent) => {
      const { applicationId, lenderId, lenderName, status } = event;
      events.push({ applicationId, lenderId, lenderName, status });
      expect(JSON.stringify(Object.values(event))).not.toContain('Rivera');
    });
    const { options } = await present(element);
    options.onApplicationCreated('app-1');
    options.onApprovalStatusChange('APPROVED', {
      applicationId: 'app-1',
      lenderId: 'l1',
      lenderName: 'First',
      availableCredit: 5000,
      consumerDetails: { lastName: 'Rivera' },
    });
    expect(events).toEqual([
      { applicationId: 'app-1', lenderId: undefined, lenderName: undefined, status: undefined },
      { applicationId: 'app-1', lenderId: 'l1', lenderName: 'First', status: 'APPROVED' },
    ]);
  });
});

describe('a confirmation in the SDK', () => {
  it('is charged when the element was removed while the dialog was open', async () => {
    const element = await mount({ presentation: 'sdk' });
    const { options } = await present(element);
    element.remove();
    const ended = outcome(element);
    options.callback('token-1');
    expect(await ended).toMatchObject({ outcome: 'approved' });
    expect(confirmations()).toMatchObject([{ confirmationToken: 'token-1' }]);
  });
});

describe('a change of the data in the SDK', () => {
  /** Returns a ticket with these amounts, in cents. */
  function signed(totalAmount: number, taxAmount: number, shippingAmount = 0, id = 'A-1001') {
    const order = { merchantOrderId: id, currency: 'USD', totalAmount, taxAmount, shippingAmount };
    const part = (value: object) => btoa(JSON.stringify(value)).replaceAll('=', '');
    return `${part({ alg: 'HS256' })}.${part({ order, jti: crypto.randomUUID() })}.c2ln`;
  }
  const primed = signed(129_900, 9_905, 1_000);
  const answerWith = (element: FinancingCheckout, ticket: Promise<string | undefined>) =>
    element.addEventListener('financing-data-update', (event) => event.respondWith(ticket));

  it('gets a response without changes when the shop does not respond', async () => {
    const { options } = await present(await mount({ presentation: 'sdk' }));
    const done = vi.fn();
    expect(await options.onDataUpdate({}, done)).toBeUndefined();
    expect(done).toHaveBeenCalledExactlyOnceWith({});
    expect(await options.onDataUpdate({})).toEqual({});
  });

  it('is passed to the shop unchanged', async () => {
    const element = await mount({ presentation: 'sdk' });
    const { options } = await present(element);
    const heard: unknown[] = [];
    element.addEventListener('financing-data-update', ({ data }) => heard.push(data));
    const data = { totalAmount: 1299, consumerDetails: { shippingAddress: { state: 'IL' } } };
    await options.onDataUpdate(data);
    expect(heard).toEqual([data]);
  });

  it('gets the amounts of a ticket that matches the prime', async () => {
    const element = await mount({ presentation: 'sdk', order: primed });
    const { options } = await present(element);
    const again = signed(129_900, 9_905, 1_000);
    answerWith(element, Promise.resolve(again));
    expect(await options.onDataUpdate({})).toEqual({
      totalAmount: 1299,
      taxAmount: 99.05,
      shippingAmount: 10,
    });
    expect(element.order).toBe(again);
    options.callback('token-1');
    await until(() => expect(confirmations()).toMatchObject([{ order: again }]));
  });

  it.each([
    ['total', signed(131_000, 11_005, 1_000)],
    ['tax with the same total', signed(129_900, 9_805, 1_100)],
  ])('primes again for a ticket with another %s, and returns no amount', async (_, other) => {
    const element = await mount({ presentation: 'sdk', order: primed });
    const { options } = await present(element);
    answerWith(element, Promise.resolve(other));
    expect(await options.onDataUpdate({})).toEqual({});
    const second = await presented(2);
    expect(scripted().asked.disposed).toBe(1);
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime', 'cancellation', 'prime']);
    expect(companion.sent.at(-1)?.body).toMatchObject({ order: other });
    expect(second.options.sessionToken).toBe('session-of-checkout-2');
    options.callback('token-of-the-first');
    const ended = outcome(element);
    second.options.callback('token-of-the-second');
    expect(await ended).toMatchObject({ outcome: 'approved', checkoutId: 'checkout-2' });
    expect(confirmations()).toMatchObject([{ confirmationToken: 'token-of-the-second' }]);
  });

  it('continues as primed when the dialog cannot be closed; the confirmation has the new ticket', async () => {
    const element = await mount({ presentation: 'sdk', order: primed });
    await present(element);
    element.close();
    await outcome(element);
    Object.assign(scripted(), { dispose: undefined });
    const { options } = await present(element, 2);
    const other = signed(131_000, 11_005, 1_000);
    answerWith(element, Promise.resolve(other));
    expect(await options.onDataUpdate({})).toEqual({});
    options.callback('token-1');
    await until(() => expect(confirmations()).toMatchObject([{ order: other }]));
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('1 Main Street'))],
    ['gives another order', () => Promise.resolve(signed(1_000, 0, 0, 'B-7'))],
    ['gives no ticket', () => Promise.resolve('129.90')],
  ])('changes nothing when the shop’s response %s', async (_, ticketOf) => {
    const element = await mount({ presentation: 'sdk', order: primed });
    const codes = codesOf(element);
    const { options } = await present(element);
    answerWith(element, ticketOf());
    expect(await options.onDataUpdate({})).toEqual({});
    expect(codes).toEqual(['data-update-invalid']);
    expect(reported()).not.toContain('Main Street');
    expect(element.order).toBe(primed);
  });

  it('does not wait longer than 10 s for the shop', async () => {
    const element = await mount({ presentation: 'sdk', order: primed });
    const { options } = await present(element);
    answerWith(element, new Promise(() => undefined));
    const answer = options.onDataUpdate({});
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await answer).toEqual({});
  });
});
