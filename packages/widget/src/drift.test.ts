/*
 * The cart changes during an application: the shopper sees both amounts and chooses. Nothing is
 * charged before that. A page that re-signs the same order changes nothing.
 */
import { nextFrame } from '@open-wc/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from './clock.fixture.ts';
import { FakeCompanion, problem, ticket } from './companion.fixture.ts';
import { button, find, isOpen, mount, open, outcome, say, seen } from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';

const confirmed = { type: 'confirmed', confirmationToken: 'token-1' };
let companion: FakeCompanion;

beforeEach(() => {
  companion = new FakeCompanion();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

describe('an order that changes while the dialog is open', () => {
  it('opens the popup of the next checkout within the click', async () => {
    const element = await mount();
    await open(element);
    companion.instead('confirmation', () => problem('order-changed'));
    say(element, confirmed);
    await until(() => expect(seen(element).title).toBe('Your cart has changed'));
    const opening = vi.spyOn(window, 'open').mockReturnValue(null);
    element.presentation = 'popup';
    button(element).click();
    expect(opening).toHaveBeenCalledOnce();
    element.reset();
  });
});

describe('the same order, re-signed', () => {
  const items = [
    { name: 'Oak chair', sku: 'CH-1', price: 64_950, quantity: 2 },
    { name: 'Lamp', sku: 'LA-1', price: 0, quantity: 1 },
  ];
  const total = 129_900;
  const again = () => ticket('A-1001', total, { items });

  /** Runs a checkout to an outcome. */
  async function ended(status: 'declined' | 'expired' | 'cancelled' | 'pending' | 'failed') {
    companion.farewell = { status };
    const element = await mount({ order: again() });
    await open(element);
    const event = outcome(element);
    say(element, { type: 'ended', reason: status });
    expect(await event).toMatchObject({ outcome: status });
    await element.updateComplete;
    return element;
  }

  /**
   * Sets the attribute, as a newly rendered page does, and returns what the shopper sees afterward.
   */
  async function sign(element: FinancingCheckout, order: string) {
    element.setAttribute('order', order);
    await element.updateComplete;
    return [seen(element), find(element, '[part=other-methods]').checkVisibility()] as const;
  }

  it.each(['declined', 'expired', 'cancelled', 'pending', 'failed'] as const)(
    'keeps the outcome %s and the other ways to pay',
    async (status) => {
      const element = await ended(status);
      const before = seen(element);
      expect(before.title).not.toBe('');
      const others = status !== 'pending';
      expect(await sign(element, again())).toEqual([before, others]);
      // Another library may serialize the members in a different order and add its own timestamps.
      const [, payload = ''] = again().split('.');
      const { order } = JSON.parse(atob(payload)) as { order: object };
      const turned = (value: object) => Object.fromEntries(Object.entries(value).reverse());
      const claims = { iat: 1, exp: 2, order: turned({ ...order, items: items.map(turned) }) };
      expect(await sign(element, `e30.${btoa(JSON.stringify(claims))}.other`)).toEqual([
        before,
        others,
      ]);
      expect(await sign(element, '')).toEqual([before, others]);
      expect(await sign(element, again())).toEqual([before, others]);
      expect(companion.count('prime')).toBe(1);
    },
  );

  it('keeps the notice of an order that may be charged in another tab', async () => {
    companion.instead('prime', () => problem('checkout-not-open', { retrySafe: false }));
    const element = await mount({ order: again() });
    const event = outcome(element);
    button(element).click();
    await event;
    await element.updateComplete;
    const [notice, others] = await sign(element, again());
    expect(notice.title).toBe('We are checking your application');
    expect(others).toBe(false);
  });

  it.each([
    ['another total', ticket('A-1001', total + 1, { items })],
    ['another item', ticket('A-1001', total, { items: [items[0]] })],
    ['another price of an item', ticket('A-1001', total, { items: [{ ...items[0], price: 1 }] })],
    ['another number', ticket('A-1002', total, { items })],
    ['another shopper', ticket('A-1001', total, { items, consumer: { firstName: 'Ada' } })],
  ])('is another order with %s', async (_, order) => {
    const element = await ended('declined');
    const [notice, others] = await sign(element, order);
    expect(notice).toEqual({ title: '', text: '', action: 'Pay over time' });
    expect(others).toBe(false);
  });

  it('is recognized with other tags and another correlation id', async () => {
    const element = await ended('declined');
    const marks = { tags: { visit: '2' }, correlationId: 'page-2' };
    const [notice] = await sign(element, ticket('A-1001', total, { items, ...marks }));
    expect(notice.title).toBe('No offer this time');
  });

  it('is recognized by its text if it cannot be decoded', async () => {
    companion.farewell = { status: 'declined' };
    const element = await mount({ order: 'reference-1' });
    await open(element);
    const event = outcome(element);
    say(element, { type: 'ended', reason: 'declined' });
    await event;
    await sign(element, '');
    const [same] = await sign(element, 'reference-1');
    expect(same.title).toBe('No offer this time');
    const [other] = await sign(element, 'reference-2');
    expect(other.title).toBe('');
  });

  it('does not touch an open application, whose confirmation has the newest ticket', async () => {
    const element = await mount({ order: again() });
    const loads = vi.fn();
    const frame = await open(element);
    frame.addEventListener('load', loads);
    const newest = again();
    await sign(element, again());
    await sign(element, newest);
    await nextFrame();
    expect(isOpen(element)).toBe(true);
    expect(frame.isConnected).toBe(true);
    expect(loads).not.toHaveBeenCalled();
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime']);
    const event = outcome(element);
    say(element, confirmed);
    expect(await event).toMatchObject({ outcome: 'approved' });
    expect(companion.sent.at(-1)?.body).toEqual({ confirmationToken: 'token-1', order: newest });
  });

  it('opens the link for a phone with the newest ticket', async () => {
    companion.modes = ['popup'];
    vi.spyOn(window, 'open').mockReturnValue(null);
    const element = await mount({ order: again() });
    const newest = again();
    companion.instead('prime', () => {
      element.order = newest;
      return Response.json((companion.checkout = companion.opened('checkout-1')));
    });
    button(element).click();
    await until(() => expect(seen(element).title).toBe('Continue on your phone'));
    const orders = companion.sent.filter(({ route }) => route === 'prime');
    expect(orders.at(-1)?.body).toMatchObject({ order: newest, via: 'link' });
    element.reset();
  });

  it('leaves both of two elements unchanged', async () => {
    const one = await ended('declined');
    const two = await mount({ order: again() });
    await sign(two, again());
    const [notice] = await sign(one, again());
    expect(notice.title).toBe('No offer this time');
    expect(seen(two).action).toBe('Pay over time');
    await open(two);
    expect(companion.count('prime')).toBe(2);
  });
});
