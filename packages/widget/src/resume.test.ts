import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until, whileTimePasses } from './clock.fixture.ts';
import { broken, COMPANION, FakeCompanion, problem, ticket } from './companion.fixture.ts';
import {
  button,
  find,
  frames,
  isOpen,
  mount,
  open,
  outcome,
  say,
  seen,
  shown,
} from './element.fixture.ts';
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
  it('continues the application in the same hosted page, without another prime', async () => {
    const before = await mount();
    const src = (await open(before)).src;
    const element = await reload(before);
    expect(seen(element).action).toBe('Continue your application');
    expect(companion.sent).toEqual([]);
    expect((await open(element)).src).toBe(src);
    expect(companion.sent.map(({ route }) => route)).toEqual(['find']);
    const ended = outcome(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    expect(await ended).toMatchObject({ outcome: 'approved' });
  });

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

  it('resume() continues it, and returns false when there is nothing to continue', async () => {
    const before = await mount();
    expect(before.resume()).toBe(false);
    await open(before);
    const element = await reload(before);
    expect(element.resume()).toBe(true);
    await shown(element);
    expect(companion.count('prime')).toBe(0);
  });

  it('resume() returns false when the page prevents the start', async () => {
    const before = await mount();
    await open(before);
    const element = await reload(before);
    element.disabled = true;
    expect(element.resume()).toBe(false);
    element.disabled = false;
    element.addEventListener('financing-start', (event) => event.preventDefault());
    expect(element.resume()).toBe(false);
    expect(companion.sent).toEqual([]);
  });

  it('opens a new checkout for another order', async () => {
    const before = await mount();
    await open(before);
    const element = await reload(before, ticket('A-1002'));
    expect(seen(element).action).toBe('Pay over time');
    await open(element);
    expect(companion.count('prime')).toBe(1);
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

  it('reports a refused lookup to the developer once', async () => {
    const before = await mount();
    await open(before);
    const element = await reload(before);
    const refused = () => problem('public-key-invalid');
    companion.instead('find', refused, refused, refused);
    const said = vi.fn();
    element.addEventListener('financing-error', said);
    button(element).click();
    await whileTimePasses(until(() => expect(companion.count('find')).toBe(3)));
    expect(said).toHaveBeenCalledOnce();
  });

  it('cancels the open checkout and opens a new one when the amount of the cart has changed', async () => {
    const before = await mount();
    await open(before);
    const element = await reload(before, ticket('A-1001', 150_000));
    await open(element);
    expect(companion.sent.map(({ route }) => route)).toEqual(['find', 'cancellation', 'prime']);
  });

  it('keeps an approval from the meantime when the amount of the cart has changed', async () => {
    companion.farewell = { status: 'approved' };
    const before = await mount();
    await open(before);
    const element = await reload(before, ticket('A-1001', 150_000));
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'approved' });
    expect(companion.count('prime')).toBe(0);
  });

  it.each(['approved', 'pending', 'declined', 'failed'] as const)(
    'shows a checkout that ended as %s in the meantime',
    async (status) => {
      const before = await mount();
      await open(before);
      companion.checkout = companion.ended({ status });
      const element = await reload(before);
      const ended = outcome(element);
      button(element).click();
      expect(await ended).toMatchObject({ outcome: status });
    },
  );

  it.each(['cancelled', 'expired'] as const)(
    'opens a new checkout after one that was %s',
    async (status) => {
      const before = await mount();
      await open(before);
      companion.checkout = companion.ended({ status });
      const element = await reload(before);
      await open(element);
      expect(companion.sent.map(({ route }) => route)).toEqual(['find', 'prime']);
    },
  );

  it('opens a new checkout when the companion no longer knows the old one', async () => {
    const before = await mount();
    await open(before);
    const element = await reload(before);
    companion.instead('find', () => problem('checkout-not-found'));
    await open(element);
    expect(companion.sent.map(({ route }) => route)).toEqual(['find', 'prime']);
  });

  it.each([
    ['approved', 'Your financing is approved'],
    ['pending', 'Your application is being reviewed'],
  ] as const)('shows the outcome %s of the order without an action', async (status, title) => {
    companion.verdict = { status };
    const before = await mount();
    await open(before);
    const first = outcome(before);
    say(before, { type: 'confirmed', confirmationToken: 'token-1' });
    expect((await first).restored).toBe(false);
    const element = await reload(before);
    expect(await outcome(element)).toMatchObject({ outcome: status, restored: true });
    await element.updateComplete;
    expect(seen(element)).toMatchObject({ title, action: '' });
    expect(companion.sent.map(({ route }) => route)).toEqual(['find']);
  });

  it('shows a later decision of a lender without an action', async () => {
    companion.verdict = { status: 'pending' };
    const before = await mount();
    await open(before);
    const first = outcome(before);
    say(before, { type: 'confirmed', confirmationToken: 'token-1' });
    await first;
    companion.checkout = companion.ended({ status: 'approved' });
    const element = await reload(before);
    expect(await outcome(element)).toMatchObject({ outcome: 'approved', restored: false });
    const again = await reload(element);
    expect(await outcome(again)).toMatchObject({ outcome: 'approved', restored: true });
  });

  it('shows the outcome of a confirmation that was in progress without an action', async () => {
    const before = await mount();
    await open(before);
    companion.instead('confirmation', broken.never);
    say(before, { type: 'confirmed', confirmationToken: 'token-1' });
    await until(() => expect(companion.count('confirmation')).toBe(1));
    companion.checkout = companion.ended({ status: 'approved' });
    const element = await reload(before);
    expect(await outcome(element)).toMatchObject({ outcome: 'approved', restored: false });
  });

  it('offers to continue if the confirmation never arrived', async () => {
    const before = await mount();
    await open(before);
    companion.instead('confirmation', broken.never);
    say(before, { type: 'confirmed', confirmationToken: 'token-1' });
    await until(() => expect(companion.count('confirmation')).toBe(1));
    const element = await reload(before);
    await until(() => expect(companion.count('find')).toBe(1));
    await until(() => expect(seen(element).action).toBe('Continue your application'));
    await open(element);
  });

  it('shows the button if the companion no longer knows a paid order', async () => {
    const before = await mount();
    await open(before);
    const first = outcome(before);
    say(before, { type: 'confirmed', confirmationToken: 'token-1' });
    await first;
    companion.instead('find', () => problem('checkout-not-found'));
    const element = await reload(before);
    await until(() => expect(companion.count('find')).toBe(1));
    await until(() => expect(seen(element).action).toBe('Pay over time'));
    expect(companion.count('prime')).toBe(0);
  });

  it('does not claim that nothing was charged for a paid order while the companion is down', async () => {
    const before = await mount();
    await open(before);
    const first = outcome(before);
    say(before, { type: 'confirmed', confirmationToken: 'token-1' });
    await first;
    companion.instead('find', broken.refused, broken.html);
    const element = await reload(before);
    expect(await whileTimePasses(outcome(element))).toMatchObject({
      outcome: 'unavailable',
      retrySafe: false,
    });
    expect(await whileTimePasses(outcome(element))).toMatchObject({ outcome: 'approved' });
  });

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

  it('waits for a charge in progress', async () => {
    const before = await mount();
    await open(before);
    companion.checkout = companion.ended({ status: 'confirming' });
    const element = await reload(before);
    const ended = outcome(element);
    button(element).click();
    await until(() => expect(companion.count('find')).toBe(1));
    companion.checkout = companion.ended({ status: 'approved' });
    expect(await whileTimePasses(ended)).toMatchObject({ outcome: 'approved' });
  });

  it('does not claim that nothing was charged while the companion is down, and continues later', async () => {
    const before = await mount();
    await open(before);
    const element = await reload(before);
    companion.instead('find', broken.refused, broken.html);
    button(element).click();
    expect(await whileTimePasses(outcome(element))).toMatchObject({
      outcome: 'unavailable',
      retrySafe: false,
      checkoutId: 'checkout-1',
    });
    await element.updateComplete;
    expect(seen(element).title).toBe('We are checking your application');
    expect(find(element, '[part=other-methods]').checkVisibility()).toBe(false);
    await whileTimePasses(
      until(() => expect(seen(element).action).toBe('Continue your application')),
    );
    expect(isOpen(element)).toBe(false);
  });

  it('cancels at the companion when the shopper leaves before the lookup ends', async () => {
    companion.farewell = { status: 'approved' };
    const before = await mount();
    await open(before);
    const element = await reload(before);
    companion.instead('find', broken.never);
    button(element).click();
    await until(() => expect(companion.count('find')).toBe(1));
    const ended = outcome(element);
    element.close();
    expect(await ended).toMatchObject({ outcome: 'approved' });
  });
});

describe('the secret of the page', () => {
  const secrets = () =>
    companion.sent.map(({ route, headers }) => [route, headers.get('financing-checkout-secret')]);

  it('is the key of the prime, and is sent with each later request, also after a reload', async () => {
    const before = await mount();
    await open(before);
    const key = companion.sent[0]?.headers.get('idempotency-key');
    expect(secrets()).toEqual([['prime', null]]);
    const element = await reload(before);
    await open(element);
    const ended = outcome(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    expect(await ended).toMatchObject({ outcome: 'approved' });
    expect(secrets()).toEqual([
      ['find', key],
      ['confirmation', key],
    ]);
    expect(companion.sent[0]?.headers.get('idempotency-key')).toBeNull();
  });

  it('is sent with a cancellation', async () => {
    const element = await mount();
    await open(element);
    const ended = outcome(element);
    element.close();
    expect(await ended).toMatchObject({ outcome: 'cancelled' });
    const key = companion.sent[0]?.headers.get('idempotency-key');
    expect(secrets().at(-1)).toEqual(['cancellation', key]);
  });

  it('is new for each checkout', async () => {
    const before = await mount();
    await open(before);
    companion.checkout = companion.ended({ status: 'expired' });
    const [first] = companion.sent;
    const element = await reload(before);
    await open(element);
    const [, second] = companion.sent;
    const keys = [first, second].map((sent) => sent?.headers.get('idempotency-key'));
    expect(new Set(keys).size).toBe(2);
    const ended = outcome(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    await ended;
    expect(secrets().at(-1)).toEqual(['confirmation', keys[1]]);
  });

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

describe('a prime whose response was lost', () => {
  it('is repeated with the same key after a reload', async () => {
    companion.instead('prime', broken.never);
    const before = await mount();
    button(before).click();
    await until(() => expect(companion.count('prime')).toBe(1));
    const key = companion.sent[0]?.headers.get('idempotency-key');
    const element = await reload(before);
    await open(element);
    expect(companion.sent[0]?.headers.get('idempotency-key')).toBe(key);
  });

  it('uses a new key when the shop has signed a new ticket', async () => {
    companion.instead('prime', broken.never, () =>
      problem('idempotency-key-reused', { retrySafe: false }),
    );
    const before = await mount();
    button(before).click();
    await until(() => expect(companion.count('prime')).toBe(1));
    const element = await reload(before);
    await open(element);
    const keys = companion.sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toHaveLength(2);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('uses only one new key', async () => {
    const reused = () => problem('idempotency-key-reused', { retrySafe: false });
    companion.instead('prime', reused, reused);
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'failed' });
    expect(companion.count('prime')).toBe(2);
  });

  it('is followed by a new one when it returns a checkout that has ended', async () => {
    companion.instead('prime', broken.never, () =>
      Response.json(companion.ended({ status: 'expired' }), { status: 201 }),
    );
    const before = await mount();
    button(before).click();
    await until(() => expect(companion.count('prime')).toBe(1));
    const element = await reload(before);
    await open(element);
    const keys = companion.sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys).size).toBe(2);
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

it('is ready on a page restored from the back/forward cache', async () => {
  const element = await mount();
  await open(element);
  dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  await element.updateComplete;
  expect(isOpen(element)).toBe(false);
  await until(() => expect(frames(element)).toBe(0));
  expect(seen(element).action).toBe('Continue your application');
  await open(element);
  expect(companion.count('prime')).toBe(1);
});

it('continues a checkout that started before the first pageshow', async () => {
  const element = await mount();
  await open(element);
  dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }));
  await element.updateComplete;
  expect(isOpen(element)).toBe(true);
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

it('continues in a discarded tab that is restored with its storage', async () => {
  const before = await mount();
  await open(before);
  // A browser keeps the URL and the session storage of a discarded tab.
  const kept = Object.entries(sessionStorage) as [string, string][];
  before.remove();
  sessionStorage.clear();
  for (const [name, value] of kept) sessionStorage.setItem(name, value);
  companion.sent.length = 0;
  const element = await mount();
  await open(element);
  expect(companion.sent.map(({ route }) => route)).toEqual(['find']);
  expect(localStorage).toHaveLength(0);
});
