import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from './clock.fixture.ts';
import { COMPANION, FakeCompanion, ticket } from './companion.fixture.ts';
import { button, isOpen, mount, open, outcome, say, seen } from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';

let companion: FakeCompanion;

beforeEach(() => {
  companion = new FakeCompanion();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

/** Simulates a reload: a new element with the same storage and a newly signed ticket. */
async function reload(element: FinancingCheckout, order = ticket()): Promise<FinancingCheckout> {
  element.remove();
  companion.sent.length = 0;
  return mount({ order });
}

describe('after a reload during a checkout', () => {
  it('stores no personal data, ticket or token', async () => {
    const order = ticket();
    const element = await mount({ order });
    await open(element);
    expect(sessionStorage).toHaveLength(1);
    const name = sessionStorage.key(0) ?? '';
    const value = JSON.parse(sessionStorage.getItem(name) ?? '') as object;
    expect(name).toMatch(/^financing-checkout:[\da-z]+$/);
    expect(Object.keys(value).sort()).toEqual(['id', 'key']);
    const all = JSON.stringify([sessionStorage, localStorage]);
    for (const secret of [order, 'A-1001', 'session-of', 'pk-test-1']) {
      expect(all).not.toContain(secret);
    }
    expect(document.cookie).toBe('');
  });

  it.each([{ environment: 'uat' }, { companion: `${COMPANION}/other` }])(
    'does not continue with %o',
    async (over) => {
      const before = await mount();
      await open(before);
      before.remove();
      expect(seen(await mount({ order: before.order, ...over })).action).toBe('Pay over time');
    },
  );

  it('shows a paid order on a page from the back/forward cache', async () => {
    const element = await mount();
    await open(element);
    // The shopper continued on another page in this tab and paid there.
    const after = await mount();
    companion.checkout = companion.ended({ status: 'approved' });
    const paid = outcome(after);
    button(after).click();
    await paid;
    after.remove();
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    await until(() => expect(seen(element).title).toBe('Your financing is approved'));
    expect(isOpen(element)).toBe(false);
  });

  it('shows a paid order in every element for it', async () => {
    const one = await mount();
    const two = await mount();
    const other = await mount({ order: ticket('A-1002') });
    await open(one);
    const first = outcome(one);
    say(one, { type: 'confirmed', confirmationToken: 'token-1' });
    await first;
    await until(() => expect(seen(two).title).toBe('Your financing is approved'));
    expect(seen(two).action).toBe('');
    expect(seen(other).action).toBe('Pay over time');
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime', 'confirmation', 'find']);
  });
});

describe('the secret of the page', () => {
  it('leads to a new checkout on a device with the ID but another key', async () => {
    const before = await mount();
    await open(before);
    const other = JSON.stringify({ key: crypto.randomUUID(), id: 'checkout-1' });
    sessionStorage.setItem(sessionStorage.key(0) ?? '', other);
    const element = await reload(before);
    await open(element);
    expect(companion.sent.map(({ route }) => route)).toEqual(['find', 'prime']);
  });

  it('stays with an attempt when another element forgets the order', async () => {
    const one = await mount();
    const two = await mount({ order: one.order });
    await open(one);
    two.reset();
    expect(sessionStorage).toHaveLength(0);
    const ended = outcome(one);
    say(one, { type: 'confirmed', confirmationToken: 'token-1' });
    expect(await ended).toMatchObject({ outcome: 'approved' });
  });
});

it('works with blocked storage for the lifetime of the page', async () => {
  const blocked = () => {
    throw new DOMException('blocked', 'SecurityError');
  };
  vi.spyOn(globalThis, 'sessionStorage', 'get').mockImplementation(blocked);
  const before = await mount({ order: ticket('A-blocked') });
  await open(before);
  const element = await reload(before, ticket('A-blocked'));
  expect(seen(element).action).toBe('Continue your application');
  element.reset();
  await element.updateComplete;
  expect(seen(element).action).toBe('Pay over time');
});

it('keeps the latest data when a full storage has space again', async () => {
  const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  companion.instead('prime', () => {
    full.mockRestore();
    companion.checkout = companion.opened('checkout-1');
    return Response.json(companion.checkout, { status: 201 });
  });
  const before = await mount();
  await open(before);
  const element = await reload(before);
  expect(seen(element).action).toBe('Continue your application');
  await open(element);
  expect(companion.sent.map(({ route }) => route)).toEqual(['find']);
});

it('does not trust the content of the storage', async () => {
  const before = await mount();
  await open(before);
  const name = sessionStorage.key(0) ?? '';
  for (const value of ['', 'null', '[]', '{"key":1}', '{"id":"checkout-1"}', '{"key"']) {
    sessionStorage.setItem(name, value);
    const element = await reload(before);
    expect(seen(element).action).toBe('Pay over time');
    element.remove();
  }
});

it('does not send a stored checkout to another URL', async () => {
  const before = await mount();
  await open(before);
  sessionStorage.setItem(sessionStorage.key(0) ?? '', '{"key":"k","id":"../evil?x"}');
  await open(await reload(before));
  expect(companion.sent[0]?.request.url).toBe(`${COMPANION}/checkout/..%2Fevil%3Fx`);
});

describe('another element for the same order', () => {
  it('offers a new checkout after the first one was left, and shows the outcome of the next', async () => {
    const one = await mount();
    const two = await mount({ order: one.order });
    await open(one);
    one.close();
    expect((await outcome(one)).outcome).toBe('cancelled');
    await two.updateComplete;
    expect(seen(two).action).toBe('Pay over time');
    await open(one);
    const ended = outcome(one);
    say(one, { type: 'confirmed', confirmationToken: 'token-1' });
    await ended;
    expect(await outcome(two)).toMatchObject({ outcome: 'approved', restored: true });
    expect(companion.count('prime')).toBe(2);
  });
});
