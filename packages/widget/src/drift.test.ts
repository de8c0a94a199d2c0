/*
 * The cart changes during an application: the shopper sees both amounts and chooses. Nothing is
 * charged before that. A page that re-signs the same order changes nothing.
 */
import { nextFrame, oneEvent } from '@open-wc/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from './clock.fixture.ts';
import { FakeCompanion, problem, ticket } from './companion.fixture.ts';
import { orderTicket } from './development/order-ticket.ts';
import {
  button,
  find,
  heard,
  isOpen,
  mount,
  open,
  outcome,
  say,
  seen,
  shown,
} from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';

const approved = { value: 120_000, currency: 'USD' };
const current = { value: 135_000, currency: 'USD' };
const confirmed = { type: 'confirmed', confirmationToken: 'token-1' };
let companion: FakeCompanion;

beforeEach(() => {
  companion = new FakeCompanion();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

const refuse = (amounts?: object) => () =>
  problem('order-changed', { retrySafe: true, ...amounts });
const keep = (element: FinancingCheckout) => find(element, '[part=second-button]');

/** Confirms an offer after the cart has changed. */
async function drifted(
  element: FinancingCheckout,
  amounts: object = { amounts: { approved, current } },
) {
  await open(element);
  element.order = ticket('A-1001', current.value);
  companion.instead('confirmation', refuse(amounts));
  say(element, confirmed);
  await until(() => expect(seen(element).title).toBe('Your cart has changed'));
}

describe('an order that changes while the dialog is open', () => {
  it('does not interrupt the application', async () => {
    const element = await mount();
    const frame = await open(element);
    element.order = ticket('A-1001', current.value);
    await element.updateComplete;
    expect(isOpen(element)).toBe(true);
    expect(frame.isConnected).toBe(true);
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime']);
  });

  it('is shown with both amounts after a confirmation, and nothing is charged', async () => {
    const element = await mount();
    const said = vi.fn();
    element.addEventListener('financing-outcome', said);
    await drifted(element);
    expect(seen(element)).toEqual({
      title: 'Your cart has changed',
      text: 'Approved for $1,200.00, your cart is now $1,350.00. You were not charged.',
      action: 'Start again',
    });
    expect(heard(element)).toContain('Approved for $1,200.00, your cart is now $1,350.00.');
    expect(isOpen(element)).toBe(false);
    expect(find(element, '[part=other-methods]').checkVisibility()).toBe(true);
    expect(element.shadowRoot?.activeElement).toBe(button(element));
    expect(said).not.toHaveBeenCalled();
    // The companion receives the current order: only it can decide whether the change matters.
    expect(companion.sent.at(-1)?.body).toEqual({
      confirmationToken: 'token-1',
      order: element.order,
    });
  });

  it.each([
    ['the same total', { amounts: { approved, current: approved } }],
    ['no amounts', {}],
  ])('is shown without amounts for %s', async (_, amounts) => {
    const element = await mount();
    await drifted(element, amounts);
    expect(seen(element).text).toBe(
      'What was approved is not what is in your cart now. You were not charged.',
    );
  });

  it('can be financed again: the first checkout is cancelled, and the next is for the current cart', async () => {
    // The approved application stays approved at the service, and no charge follows.
    companion.farewell = { status: 'pending' };
    const element = await mount();
    await drifted(element);
    button(element).click();
    await shown(element);
    expect(companion.sent.map(({ route }) => route)).toEqual([
      'prime',
      'confirmation',
      'cancellation',
      'prime',
    ]);
    expect(companion.sent.at(-1)?.body).toMatchObject({ order: element.order });
    const keys = companion.sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).not.toBe(keys[3]);
    const ended = outcome(element);
    say(element, confirmed);
    expect(await ended).toMatchObject({ outcome: 'approved', checkoutId: 'checkout-2' });
  });

  it('can be financed again when the confirmation arrives while the shopper is leaving', async () => {
    companion.manners = 'deaf';
    const element = await mount();
    await open(element);
    companion.instead('confirmation', refuse({ amounts: { approved, current } }));
    const changed = oneEvent(element, 'financing-order-change');
    element.close();
    say(element, confirmed);
    await changed;
    await until(() => expect(seen(element).title).toBe('Your cart has changed'));
    companion.manners = '';
    button(element).click();
    await shown(element);
    const ended = outcome(element);
    element.close();
    expect(await ended).toMatchObject({ outcome: 'cancelled', checkoutId: 'checkout-2' });
  });

  it('is not financed again after a charge in the meantime', async () => {
    companion.farewell = { status: 'approved' };
    const element = await mount();
    await drifted(element);
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'approved', checkoutId: 'checkout-1' });
    expect(companion.count('prime')).toBe(1);
  });

  it('cannot be kept unless the shop can restore it', async () => {
    const element = await mount();
    await drifted(element);
    expect(keep(element).checkVisibility()).toBe(false);
  });

  it('can be kept when the shop restores it with a ticket of the approved order', async () => {
    const element = await mount();
    const restored = ticket('A-1001', approved.value);
    const told = vi.fn();
    element.addEventListener('financing-order-change', (event) => {
      told(event.approved, event.current);
      event.restoreWith(() => Promise.resolve(restored));
    });
    await drifted(element);
    expect(told).toHaveBeenCalledExactlyOnceWith(approved, current);
    expect(keep(element).textContent.trim()).toBe('Keep $1,200.00');
    const ended = outcome(element);
    keep(element).click();
    expect(await ended).toMatchObject({ outcome: 'approved' });
    expect(companion.sent.at(-1)?.body).toEqual({ confirmationToken: 'token-1', order: restored });
  });

  it('is restored only once on a double-click', async () => {
    const element = await mount();
    const restored = Promise.withResolvers<string>();
    const restore = vi.fn(() => restored.promise);
    const failed = vi.fn();
    element.addEventListener('financing-error', failed);
    element.addEventListener('financing-order-change', (event) => event.restoreWith(restore));
    await drifted(element);
    keep(element).click();
    await nextFrame();
    keep(element).click();
    const ended = outcome(element);
    restored.resolve(ticket('A-1001', approved.value));
    expect(await ended).toMatchObject({ outcome: 'approved' });
    expect(restore).toHaveBeenCalledOnce();
    expect(failed).not.toHaveBeenCalled();
  });

  it('leads to a new choice when the companion also refuses the restored order', async () => {
    const element = await mount();
    element.addEventListener('financing-order-change', (event) =>
      event.restoreWith(() => Promise.resolve(ticket('A-1001', 1))),
    );
    await drifted(element);
    companion.instead('confirmation', refuse({ amounts: { approved, current } }));
    keep(element).click();
    await until(() => expect(companion.count('confirmation')).toBe(2));
    await until(() => expect(seen(element).title).toBe('Your cart has changed'));
  });

  it('is shown with its new amounts after a second change, and kept only if the shop offers it again', async () => {
    const element = await mount();
    element.addEventListener(
      'financing-order-change',
      (event) => event.restoreWith(() => Promise.resolve(element.order)),
      { once: true },
    );
    await drifted(element);
    button(element).click();
    await shown(element);
    companion.instead(
      'confirmation',
      refuse({ amounts: { approved: current, current: approved } }),
    );
    say(element, confirmed);
    await until(() =>
      expect(seen(element).text).toContain('Approved for $1,350.00, your cart is now $1,200.00.'),
    );
    expect(keep(element).checkVisibility()).toBe(false);
  });

  it('opens the popup of the next checkout within the click', async () => {
    const element = await mount();
    await drifted(element);
    const opening = vi.spyOn(window, 'open').mockReturnValue(null);
    element.presentation = 'popup';
    button(element).click();
    expect(opening).toHaveBeenCalledOnce();
    element.reset();
  });

  it('leaves only the option to start again when the shop cannot restore it', async () => {
    const element = await mount();
    element.addEventListener('financing-order-change', (event) =>
      event.restoreWith(() => Promise.reject(new Error('sold out'))),
    );
    await drifted(element);
    keep(element).click();
    await until(() => expect(keep(element).checkVisibility()).toBe(false));
    expect(seen(element).action).toBe('Start again');
  });

  it('is ignored when the new ticket is for another order', async () => {
    const element = await mount();
    await open(element);
    element.order = ticket('A-2002', current.value);
    const ended = outcome(element);
    say(element, confirmed);
    expect(await ended).toMatchObject({ outcome: 'approved', merchantOrderId: 'A-1001' });
    expect(companion.sent.at(-1)?.body).toEqual({ confirmationToken: 'token-1' });
    await element.updateComplete;
    expect(seen(element).text).toBe('$1,299.00 is financed. There is nothing more to do here.');
  });
});

describe('after an approval', () => {
  it('for another amount the shopper sees both amounts in a calm notice', async () => {
    const before = await mount();
    await open(before);
    before.remove();
    companion.sent.length = 0;
    companion.checkout = companion.ended({ status: 'approved', amount: approved });
    const element = await mount({ order: ticket('A-1001', current.value) });
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'approved', amount: approved });
    await element.updateComplete;
    expect(seen(element)).toEqual({
      title: 'Your financing is approved',
      text: '$1,200.00 is financed. Your cart is now $1,350.00: the shop will tell you what happens with the difference.',
      action: '',
    });
    expect(companion.count('prime')).toBe(0);
  });

  it('a changed cart does not invite the shopper to pay again', async () => {
    const element = await mount();
    await open(element);
    const ended = outcome(element);
    say(element, confirmed);
    await ended;
    element.order = ticket('A-1001', current.value);
    await until(() =>
      expect(seen(element)).toMatchObject({
        text: expect.stringContaining('Your cart is now $1,350.00') as string,
        action: '',
      }),
    );
    element.order = ticket('A-3003');
    await element.updateComplete;
    expect(seen(element)).toMatchObject({ title: '', action: 'Pay over time' });
  });

  it.each([{ currency: 'EUR' }, { totalAmount: 1350.5 }])(
    'a cart that cannot be compared is not mentioned: %o',
    async (order) => {
      const element = await mount();
      await open(element);
      const ended = outcome(element);
      say(element, confirmed);
      await ended;
      const now = { merchantOrderId: 'A-1001', totalAmount: current.value, ...order };
      element.order = orderTicket(now);
      await until(() =>
        expect(seen(element).text).toBe('$1,299.00 is financed. There is nothing more to do here.'),
      );
    },
  );

  it('a pending application does not mention a changed cart', async () => {
    companion.verdict = { status: 'pending' };
    const element = await mount();
    await open(element);
    const ended = outcome(element);
    say(element, confirmed);
    await ended;
    element.order = ticket('A-1001', current.value);
    await until(() =>
      expect(seen(element)).toMatchObject({
        title: 'Your application is being reviewed',
        action: '',
      }),
    );
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

  it('continues an application after a reload', async () => {
    const before = await mount({ order: again() });
    await open(before);
    before.remove();
    const element = await mount({ order: again() });
    expect(seen(element).action).toBe('Continue your application');
    await sign(element, again());
    await open(element);
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime', 'find']);
  });
});
