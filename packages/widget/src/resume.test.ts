import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { broken, COMPANION, FakeCompanion, problem, ticket } from './companion.fixture.ts';
import {
  button,
  dialog,
  find,
  frames,
  mount,
  open,
  outcome,
  say,
  seen,
  shown,
  until,
  whileTimePasses,
} from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';

let companion: FakeCompanion;

beforeEach(() => {
  sessionStorage.clear();
  companion = new FakeCompanion();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  companion.restore();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** What a reload leaves: the element is gone, the storage is there, the backend signs anew. */
async function reload(element: FinancingCheckout, order = ticket()): Promise<FinancingCheckout> {
  element.remove();
  companion.sent.length = 0;
  return mount({ order });
}

describe('after a reload in the middle', () => {
  it('the application is continued, in the same hosted page, without another prime', async () => {
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

  it('nothing personal, no ticket and no token is in the storage', async () => {
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

  it('resume() continues it, and says when there is nothing to continue', async () => {
    const before = await mount();
    expect(before.resume()).toBe(false);
    await open(before);
    const element = await reload(before);
    expect(element.resume()).toBe(true);
    await shown(element);
    expect(companion.count('prime')).toBe(0);
  });

  it('resume() says so when the page does not let it start', async () => {
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

  it('another order starts afresh', async () => {
    const before = await mount();
    await open(before);
    const element = await reload(before, ticket('A-1002'));
    expect(seen(element).action).toBe('Pay over time');
    await open(element);
    expect(companion.count('prime')).toBe(1);
  });

  it.each([{ environment: 'uat' }, { companion: `${COMPANION}/other` }])(
    'nothing of it is for %o',
    async (over) => {
      const before = await mount();
      await open(before);
      before.remove();
      expect(seen(await mount({ order: before.order, ...over })).action).toBe('Pay over time');
    },
  );

  it('a refusal to tell of it is told to the developer once', async () => {
    const before = await mount();
    await open(before);
    const element = await reload(before);
    const refused = () => problem('public-key-invalid');
    companion.instead('find', refused, refused, refused);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const said = vi.fn();
    element.addEventListener('financing-error', said);
    button(element).click();
    await whileTimePasses(until(() => expect(companion.count('find')).toBe(3)));
    expect(said).toHaveBeenCalledOnce();
  });

  it('a cart with another amount closes what is open and starts afresh', async () => {
    const before = await mount();
    await open(before);
    const element = await reload(before, ticket('A-1001', 150_000));
    await open(element);
    expect(companion.sent.map(({ route }) => route)).toEqual(['find', 'cancellation', 'prime']);
  });

  it('a cart with another amount does not start over what was approved meanwhile', async () => {
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
    'what ended as %s meanwhile is shown',
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

  it.each(['cancelled', 'expired'] as const)('what was %s is started afresh', async (status) => {
    const before = await mount();
    await open(before);
    companion.checkout = companion.ended({ status });
    const element = await reload(before);
    await open(element);
    expect(companion.sent.map(({ route }) => route)).toEqual(['find', 'prime']);
  });

  it('what the companion does not know any more is started afresh', async () => {
    const before = await mount();
    await open(before);
    const element = await reload(before);
    companion.instead('find', () => problem('checkout-not-found'));
    await open(element);
    expect(companion.sent.map(({ route }) => route)).toEqual(['find', 'prime']);
  });

  it.each(['approved', 'pending'] as const)(
    'an order that is %s is not offered to be paid again',
    async (status) => {
      companion.verdict = { status };
      const before = await mount();
      await open(before);
      const first = outcome(before);
      say(before, { type: 'confirmed', confirmationToken: 'token-1' });
      await first;
      const element = await reload(before);
      const ended = outcome(element);
      button(element).click();
      expect(await ended).toMatchObject({ outcome: status });
      expect(companion.count('prime')).toBe(0);
    },
  );

  it('while the charge is being made it is waited for', async () => {
    const before = await mount();
    await open(before);
    companion.checkout = companion.ended({ status: 'confirming' });
    const element = await reload(before);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ended = outcome(element);
    button(element).click();
    await until(() => expect(companion.count('find')).toBe(1));
    companion.checkout = companion.ended({ status: 'approved' });
    expect(await whileTimePasses(ended)).toMatchObject({ outcome: 'approved' });
  });

  it('with the companion down nobody is told that nothing was charged, and it goes on after', async () => {
    const before = await mount();
    await open(before);
    const element = await reload(before);
    companion.instead('find', broken.refused, broken.html);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
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
    expect(dialog(element).open).toBe(false);
  });

  it('left before it is found again, the companion is asked what became of it', async () => {
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

  it('is the key of the prime, and goes with each later request, also after a reload', async () => {
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

  it('goes with a cancellation', async () => {
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

  it('on a device that has the id and another key, a checkout is started afresh', async () => {
    const before = await mount();
    await open(before);
    const other = JSON.stringify({ key: crypto.randomUUID(), id: 'checkout-1' });
    sessionStorage.setItem(sessionStorage.key(0) ?? '', other);
    const element = await reload(before);
    await open(element);
    expect(companion.sent.map(({ route }) => route)).toEqual(['find', 'prime']);
  });

  it('stays with an attempt whose order another element has forgotten', async () => {
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

describe('a prime whose answer was lost', () => {
  it('is asked for again with the same key after a reload', async () => {
    companion.instead('prime', broken.never);
    const before = await mount();
    button(before).click();
    await until(() => expect(companion.count('prime')).toBe(1));
    const key = companion.sent[0]?.headers.get('idempotency-key');
    const element = await reload(before);
    await open(element);
    expect(companion.sent[0]?.headers.get('idempotency-key')).toBe(key);
  });

  it('takes a new key where the ticket was signed anew', async () => {
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

  it('takes one new key, and no third', async () => {
    const reused = () => problem('idempotency-key-reused', { retrySafe: false });
    companion.instead('prime', reused, reused);
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'failed' });
    expect(companion.count('prime')).toBe(2);
  });

  it('and which is told now, of a checkout that is over, is followed by a new one', async () => {
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

it('works where the storage is blocked, as long as the page lives', async () => {
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

it('a storage that was full, and has room again, holds the last word', async () => {
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

it('does not trust what it finds in the storage', async () => {
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

it('asks for what it finds there at no other address', async () => {
  const before = await mount();
  await open(before);
  sessionStorage.setItem(sessionStorage.key(0) ?? '', '{"key":"k","id":"../evil?x"}');
  await open(await reload(before));
  expect(companion.sent[0]?.request.url).toBe(`${COMPANION}/checkout/..%2Fevil%3Fx`);
});

it('a page out of the back/forward cache is ready for use', async () => {
  const element = await mount();
  await open(element);
  dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  await element.updateComplete;
  expect(dialog(element).open).toBe(false);
  await until(() => expect(frames(element)).toBe(0));
  expect(seen(element).action).toBe('Continue your application');
  await open(element);
  expect(companion.count('prime')).toBe(1);
});

it('a page that is shown for the first time goes on with what was started before that', async () => {
  const element = await mount();
  await open(element);
  dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }));
  await element.updateComplete;
  expect(dialog(element).open).toBe(true);
});

describe('another element for the same order', () => {
  it('offers to continue what the first one opened, and shows what became of it', async () => {
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
    await two.updateComplete;
    expect(seen(two).action).toBe('Continue your application');
    const known = outcome(two);
    button(two).click();
    expect(await known).toMatchObject({ outcome: 'approved' });
    expect(companion.count('prime')).toBe(2);
  });
});

it('a tab that was killed and comes back with its storage goes on', async () => {
  const before = await mount();
  await open(before);
  // What a browser keeps of a tab it has put away: its address and its session storage.
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
