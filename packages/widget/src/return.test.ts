/*
 * The return from a redirect (architecture, "Frame messages"): the fragment contains the outcome.
 * Anybody can write a link with a fragment, so only a remembered session counts.
 */
import { nextFrame, oneEvent } from '@open-wc/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until, whileTimePasses } from './clock.fixture.ts';
import { broken, COMPANION, FakeCompanion, ticket } from './companion.fixture.ts';
import { mount, open, outcome, say, seen } from './element.fixture.ts';
import { digest, Memory } from './companion/memory.ts';
import './companion/return-fragment.ts';
import type { FinancingCheckout } from './index.ts';

let companion: FakeCompanion;
const home = location.href;

beforeEach(() => {
  companion = new FakeCompanion();
  companion.modes = ['embedded', 'popup', 'redirect'];
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

/** Sets up the storage as a redirect leaves it behind. */
function gone(merchantOrderId = 'A-1001', id = 'checkout-1'): void {
  new Memory(new URL(COMPANION), 'sandbox', ticket(merchantOrderId)).remember({
    key: 'key-1',
    id,
    session: digest(`session-of-${id}`),
  });
}

function back(parameters: Record<string, string>): void {
  const fragment = new URLSearchParams(parameters).toString();
  history.replaceState({ page: 7 }, '', `${location.href.split('#')[0]}#${fragment}`);
}

const approved = {
  'financing-session': 'session-of-checkout-1',
  'financing-confirmation': 'token-1',
};

describe('the return', () => {
  it('leaves a clean URL, and the state of the page', async () => {
    gone();
    back(approved);
    await outcome(await mount({ presentation: 'redirect' }));
    expect(location.hash).toBe('');
    expect(history.state).toEqual({ page: 7 });
  });

  it.each([
    ['whose <base> is elsewhere', 'https://cdn.example/', location.pathname],
    ['whose path begins with two slashes', location.origin, '//checkout'],
  ])('to a page %s', async (_, href, path) => {
    gone();
    history.replaceState(null, '', location.origin + path);
    back(approved);
    const base = document.createElement('base');
    base.href = href;
    document.head.append(base);
    const element = await mount();
    expect(await outcome(element)).toMatchObject({ outcome: 'approved' });
    expect(location.href).toBe(location.origin + path);
  });

  it.each([
    ['#/payment', '?'],
    ['#/payment?step=2', '&'],
    ['#!/payment', '?'],
    ['#there', '?'],
    // For a lender's page that appends a fragment to any URL.
    ['#/payment', '#'],
  ])(
    'to the route %s, with the result after “%s”, leaves the route unchanged',
    async (route, mark) => {
      gone();
      const page = home.split('#')[0] ?? '';
      history.replaceState(
        null,
        '',
        page + route + mark + new URLSearchParams(approved).toString(),
      );
      const { length } = history;
      const states: unknown[] = [];
      const router = () => states.push(location.hash);
      addEventListener('hashchange', router);
      const element = await mount({ presentation: 'redirect' });
      expect(await outcome(element)).toMatchObject({ outcome: 'approved' });
      removeEventListener('hashchange', router);
      expect(location.href).toBe(page + route);
      expect(history.length).toBe(length);
      // A router receives the event, and keeps no URL with a token.
      expect(states).toEqual([route]);
    },
  );

  it.each([
    ['at once', (draw: () => void) => draw()],
    [
      'later, with the charge on its way',
      (draw: () => void) =>
        void until(() => expect(companion.count('confirmation')).toBe(1)).then(draw),
    ],
  ])(
    'to a router that renders the element again %s completes in the new element',
    async (_, when) => {
      const answer = Promise.withResolvers<Response>();
      companion.instead('confirmation', () => answer.promise);
      gone();
      history.replaceState(null, '', `#/payment?${new URLSearchParams(approved).toString()}`);
      const second = Promise.withResolvers<FinancingCheckout>();
      const draw = () => {
        document.querySelector('financing-checkout')?.remove();
        answer.resolve(broken.empty());
        void mount({ presentation: 'redirect' }).then(second.resolve);
      };
      addEventListener('hashchange', () => when(draw), { once: true });
      await mount({ presentation: 'redirect' });
      const drawn = await second.promise;
      await whileTimePasses(
        until(() => expect(seen(drawn).title).toBe('Your financing is approved')),
      );
      expect(location.hash).toBe('#/payment');
    },
  );

  it('continues in an element that moves', async () => {
    const answer = Promise.withResolvers<Response>();
    companion.instead('confirmation', () => answer.promise);
    gone();
    back(approved);
    const element = await mount({ presentation: 'redirect' });
    await until(() => expect(companion.count('confirmation')).toBe(1));
    const ended = outcome(element);
    document.body.append(element);
    answer.resolve(broken.empty());
    expect(await ended).toMatchObject({ outcome: 'approved' });
    element.remove();
  });

  it('stops in an element that is reset', async () => {
    companion.instead('confirmation', broken.never);
    gone();
    back(approved);
    const element = await mount({ presentation: 'redirect' });
    await until(() => expect(companion.count('confirmation')).toBe(1));
    element.reset();
    element.remove();
    await mount();
    await nextFrame();
    expect(companion.count('confirmation')).toBe(1);
  });

  it.each([
    ['is known', []],
    ['is not known yet', [broken.refused, broken.refused]],
  ])('is used once when the outcome %s', async (_, answers) => {
    companion.instead('confirmation', ...answers);
    gone();
    back(approved);
    const element = await mount();
    await whileTimePasses(outcome(element));
    element.remove();
    companion.sent.length = 0;
    const channel = new BroadcastChannel('financing-checkout');
    const passedOn = oneEvent(channel, 'message');
    back(approved);
    await mount();
    await passedOn;
    channel.close();
    expect(companion.count('confirmation')).toBe(0);
  });

  it('waits for the attributes of the element', async () => {
    gone();
    back(approved);
    const order = ticket();
    const element = await mount({ order: '', environment: '' });
    await nextFrame();
    expect(companion.sent).toEqual([]);
    const ended = outcome(element);
    element.order = order;
    await element.updateComplete;
    await nextFrame();
    element.environment = 'sandbox';
    expect(await ended).toMatchObject({ outcome: 'approved' });
  });
});

describe('a fragment', () => {
  it.each([
    ['of an unknown session', { ...approved, 'financing-session': 'session-of-checkout-2' }],
    ['of no session', { 'financing-confirmation': 'token-1' }],
    ['of an empty session', { ...approved, 'financing-session': '' }],
  ])('%s is ignored', async (_, parameters) => {
    gone();
    back(parameters);
    const page = home.split('#')[0];
    const element = await mount();
    await open(element);
    expect(companion.sent.map(({ route }) => route)).toEqual(['find']);
    expect(location.href).toBe(page);
  });

  it('is ignored, without a request, when nothing is remembered', async () => {
    back(approved);
    const element = await mount();
    await nextFrame();
    expect(companion.sent).toEqual([]);
    expect(seen(element).action).toBe('Pay over time');
  });

  it('of the page itself is unchanged', async () => {
    history.replaceState(null, '', '#terms');
    await mount();
    await nextFrame();
    expect(location.hash).toBe('#terms');
  });
});

it('ignores a return while a checkout is in progress', async () => {
  const element = await mount();
  await open(element);
  gone();
  back(approved);
  element.publicKey = 'pk-test-2';
  await element.updateComplete;
  await nextFrame();
  const ended = outcome(element);
  say(element, { type: 'confirmed', confirmationToken: 'token-2' });
  await ended;
  const bodies = companion.sent.filter(({ route }) => route === 'confirmation');
  expect(bodies.map(({ body }) => body)).toMatchObject([{ confirmationToken: 'token-2' }]);
});

it('passes the return to the next element when it is removed', async () => {
  gone();
  back(approved);
  const element = document.createElement('financing-checkout');
  const settings = { publicKey: 'pk-test-1', environment: 'sandbox', companion: COMPANION };
  Object.assign(element, settings, { order: ticket() });
  document.body.append(element);
  await element.updateComplete;
  element.remove();
  await nextFrame();
  expect(await outcome(await mount())).toMatchObject({ outcome: 'approved' });
});

it('lets only the element of the redirect take the return', async () => {
  gone('A-2');
  back(approved);
  const one = await mount({ order: ticket('A-1') });
  const said = vi.fn();
  one.addEventListener('financing-outcome', said);
  const two = await mount({ order: ticket('A-2') });
  expect(await outcome(two)).toMatchObject({ outcome: 'approved' });
  expect(said).not.toHaveBeenCalled();
  expect(companion.sent.map(({ route }) => route)).toEqual(['confirmation']);
});

it('relays an approval from a popup’s page to the page that waits', async () => {
  const session = 'session-of-a-window';
  back({ ...approved, 'financing-session': session });
  const channel = new BroadcastChannel('financing-checkout');
  const heard = new Promise((resolve) => {
    channel.onmessage = ({ data }) => resolve(data);
  });
  const closed = vi.spyOn(window, 'close').mockImplementation(() => undefined);
  await mount();
  expect(await heard).toEqual({ session, token: 'token-1', reason: null });
  for (const said of [null, { taken: 'another' }, { taken: session }]) {
    channel.postMessage(said);
  }
  await until(() => expect(closed).toHaveBeenCalled());
  await nextFrame();
  expect(closed).toHaveBeenCalledOnce();
  channel.close();
});

describe('a redirect', () => {
  it('is not tried without storage: the next presentation is used', async () => {
    vi.spyOn(globalThis, 'sessionStorage', 'get').mockImplementation(() => {
      throw new DOMException('blocked', 'SecurityError');
    });
    const element = await mount({
      presentation: 'redirect embedded',
      order: ticket('A-no-storage'),
    });
    await open(element);
    element.reset();
  });

  it('is not tried when the remembered checkout is gone', async () => {
    vi.spyOn(Memory.prototype, 'recall').mockReturnValue(undefined);
    await open(await mount({ presentation: 'redirect embedded' }));
  });

  it.each([
    ['?step=2#payment', '?step=2#payment'],
    ['#/payment', '#/payment'],
    ['#!/payment?step=2', '#!/payment?step=2'],
    // Parameters of another return, and a fragment that is not a route: it may be a secret.
    ['#/payment?financing-session=s&financing-confirmation=t', '#/payment'],
    ['?step=2#access_token=t', '?step=2'],
    ['#financing-session=s&financing-confirmation=t', ''],
  ])('sends the return URL: on the page %s it is %s', async (address, expected) => {
    const page = home.split(/[?#]/)[0] ?? '';
    history.replaceState(null, '', page + address);
    const element = await mount({ presentation: 'embedded redirect' });
    await open(element);
    expect(companion.sent[0]?.body).toMatchObject({ returnUrl: page + expected });
  });

  it('sends the page’s own return-url', async () => {
    const element = await mount({ returnUrl: '/shop#/orders/7' });
    await open(element);
    expect(companion.sent[0]?.body).toMatchObject({
      returnUrl: `${location.origin}/shop#/orders/7`,
    });
  });

  it.each([
    ['of another site', '', 'https://evil.example/'],
    ['longer than the companion takes', '', `/orders?note=${'x'.repeat(2048)}`],
    ['that of a page with a longer one', `?campaign=${'x'.repeat(2048)}`, ''],
  ])('is skipped when the return URL is %s', async (_, query, returnUrl) => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    history.replaceState(null, '', query || home);
    await open(await mount({ presentation: 'redirect embedded', returnUrl }));
    expect(companion.sent[0]?.body).not.toHaveProperty('returnUrl');
    expect(told.mock.calls.join()).toContain('return-url-invalid');
  });
});
