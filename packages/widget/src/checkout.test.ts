import { nextFrame, oneEvent } from '@open-wc/testing';
import { userEvent } from 'vitest/browser';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until, whileTimePasses } from './clock.fixture.ts';
import { broken, COMPANION, FakeCompanion, problem, ticket } from './companion.fixture.ts';
import {
  button,
  find,
  dialog,
  frames,
  heard,
  isOpen,
  mount,
  onFrame,
  open,
  outcome,
  say,
  seen,
  shown,
} from './element.fixture.ts';
import type { FinancingCheckout, FinancingErrorEvent, FinancingStartEvent } from './index.ts';

let companion: FakeCompanion;
let told: string[];

beforeEach(() => {
  companion = new FakeCompanion();
  told = [];
  vi.spyOn(console, 'error').mockImplementation((text: string) => void told.push(text));
});

describe('a checkout', () => {
  it('sends no request before the shopper acts', async () => {
    const requested = vi.spyOn(globalThis, 'fetch');
    const before = performance.getEntriesByType('resource').length;
    const element = await mount();
    await nextFrame();
    expect(requested).not.toHaveBeenCalled();
    expect(performance.getEntriesByType('resource').slice(before)).toEqual([]);
    expect(frames(element)).toBe(0);
  });

  it('leads from the button to an approved order', async () => {
    const element = await mount();
    await open(element);
    expect(find(element, '[part=amount]').textContent).toBe('$1,299.00');
    const ended = outcome(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    expect(await ended).toMatchObject({
      outcome: 'approved',
      checkoutId: 'checkout-1',
      merchantOrderId: 'A-1001',
      amount: { value: 129_900, currency: 'USD' },
      retrySafe: undefined,
      bubbles: true,
      composed: true,
    });
    await element.updateComplete;
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime', 'confirmation']);
    expect(companion.sent[1]?.body).toEqual({
      confirmationToken: 'token-1',
      order: element.order,
    });
    expect(isOpen(element)).toBe(false);
    expect(frames(element)).toBe(0);
    expect(seen(element)).toEqual({
      title: 'Your financing is approved',
      text: '$1,299.00 is financed. There is nothing more to do here.',
      action: '',
    });
    expect(heard(element)).toContain('Your financing is approved');
  });

  it('sends the public key, the version, an idempotency key and the ticket', async () => {
    const order = ticket();
    const element = await mount({ order });
    await open(element);
    const { headers, body } = companion.sent[0] ?? {};
    expect(headers?.get('authorization')).toBe('Bearer pk-test-1');
    expect(headers?.get('financing-checkout-version')).toBe('1');
    expect(headers?.get('idempotency-key')).toMatch(/^[\da-f-]{72}$/);
    expect(body).toEqual({ order, environment: 'sandbox', locale: 'en' });
  });

  it('sends no cookies, bypasses the cache and follows no redirects', async () => {
    await open(await mount());
    expect(companion.sent[0]?.request).toMatchObject({
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      referrerPolicy: 'strict-origin',
    });
  });

  it('asks to wait until the dialog has loaded, and opens it before the companion responds', async () => {
    companion.instead('prime', broken.never);
    const element = await mount();
    button(element).click();
    await element.updateComplete;
    expect(isOpen(element)).toBe(false);
    expect(seen(element)).toEqual({ title: '', text: '', action: 'One moment…' });
    expect(button(element).ariaDisabled).toBe('true');
    expect(heard(element)).toBe('Opening your application…');
    await until(() => expect(isOpen(element)).toBe(true));
    expect(find(element, '.skeleton').checkVisibility()).toBe(true);
    expect(heard(element)).toBe('Opening your application…');
    expect(button(element).ariaDisabled).toBe('false');
  });

  it('opens the dialog within a later click', async () => {
    const element = await mount();
    await open(element);
    const left = outcome(element);
    element.close();
    await left;
    companion.instead('find', broken.never);
    button(element).click();
    expect(isOpen(element)).toBe(true);
    await element.updateComplete;
    expect(find(element, '.skeleton').checkVisibility()).toBe(true);
  });

  it('primes once on a double-click, and on Enter and a click in the same tick', async () => {
    const element = await mount();
    button(element).click();
    button(element).click();
    button(element).dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 }));
    element.start();
    await shown(element);
    expect(companion.count('prime')).toBe(1);
  });

  it('primes once on a real double-click', async () => {
    const element = await mount();
    await userEvent.dblClick(button(element));
    await shown(element);
    expect(companion.count('prime')).toBe(1);
  });

  it('does not start when a listener prevents it', async () => {
    const element = await mount();
    const events: boolean[] = [];
    element.addEventListener('financing-start', (event: FinancingStartEvent) => {
      events.push(event.resuming);
      event.preventDefault();
    });
    button(element).click();
    await nextFrame();
    expect(events).toEqual([false]);
    expect(isOpen(element)).toBe(false);
    expect(companion.sent).toEqual([]);
  });

  it('does not start while disabled', async () => {
    const element = await mount({ disabled: true });
    element.start();
    expect(button(element).disabled).toBe(true);
    expect(isOpen(element)).toBe(false);
  });
});

describe('leaving', () => {
  it.each(['Escape', 'the close button', 'close()'])(
    'with %s cancels the checkout',
    async (way) => {
      const element = await mount();
      button(element).focus();
      await open(element);
      const ended = outcome(element);
      if (way === 'Escape') {
        // The lender's page has the focus and handles its own Escape; here the dialog needs the focus.
        find(element, '[part=close]').focus();
        await userEvent.keyboard('{Escape}');
      } else if (way === 'close()') element.close();
      else find(element, '[part=close]').click();
      await until(() => expect(isOpen(element)).toBe(false));
      expect(await ended).toMatchObject({ outcome: 'cancelled' });
      await element.updateComplete;
      expect(companion.count('cancellation')).toBe(1);
      expect(frames(element)).toBe(0);
      expect(element.shadowRoot?.activeElement).toBe(button(element));
      expect(seen(element)).toMatchObject({
        title: 'You left the application',
        action: 'Pay over time',
      });
    },
  );

  it('is not undone by an update between Escape and the close event', async () => {
    const element = await mount();
    await open(element);
    const ended = outcome(element);
    // A browser closes the dialog before it dispatches the event.
    dialog(element).close();
    dispatchEvent(new Event('online'));
    await element.updateComplete;
    expect(isOpen(element)).toBe(false);
    expect(await ended).toMatchObject({ outcome: 'cancelled' });
  });

  it('ends even when the hosted page does not respond', async () => {
    companion.manners = 'deaf';
    const element = await mount();
    await open(element);
    const ended = outcome(element);
    element.close();
    // The lookup of other tabs comes first.
    while (vi.getTimerCount() === 0) await nextFrame();
    await vi.advanceTimersByTimeAsync(999);
    expect(companion.count('cancellation')).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(await ended).toMatchObject({ outcome: 'cancelled' });
  });

  it('stays in effect when the page becomes ready or fails afterward', async () => {
    companion.manners = 'deaf';
    const element = await mount();
    const held = await open(element);
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    dispatchEvent(new Event('offline'));
    const ended = outcome(element);
    element.close();
    await nextFrame();
    held.dispatchEvent(new Event('load'));
    await element.updateComplete;
    expect(isOpen(element)).toBe(false);
    const said = oneEvent(window, 'message');
    say(element, { type: 'ready' });
    await said;
    await element.updateComplete;
    expect(isOpen(element)).toBe(false);
    expect(await whileTimePasses(ended)).toMatchObject({ outcome: 'cancelled' });
  });

  it('accepts a confirmation that arrives at the same time', async () => {
    companion.manners = 'deaf';
    const element = await mount();
    await open(element);
    const ended = outcome(element);
    element.close();
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    expect(await ended).toMatchObject({ outcome: 'approved' });
    expect(companion.count('cancellation')).toBe(0);
  });

  it.each(['declined', 'failed'])(
    'shows the companion’s outcome, not the page’s claim: %s',
    async (reason) => {
      companion.farewell = { status: 'approved' };
      const element = await mount();
      await open(element);
      const ended = outcome(element);
      say(element, { type: 'ended', reason });
      expect(await ended).toMatchObject({ outcome: 'approved' });
    },
  );

  it('has no effect when nothing is shown', async () => {
    companion.farewell = { status: 'declined' };
    const element = await mount();
    element.close();
    await element.updateComplete;
    expect(seen(element).action).toBe('Pay over time');
    await open(element);
    const ended = outcome(element);
    say(element, { type: 'ended', reason: 'declined' });
    await ended;
    element.close();
    await element.updateComplete;
    expect(seen(element).title).toBe('No offer this time');
  });

  it('aborts a pending request to the companion', async () => {
    let aborted = false;
    companion.instead('prime', (signal) => {
      signal.addEventListener('abort', () => (aborted = true));
      return broken.never(signal);
    });
    const element = await mount();
    button(element).click();
    await until(() => expect(companion.count('prime')).toBe(1));
    const ended = outcome(element);
    element.close();
    expect(await ended).toMatchObject({ outcome: 'cancelled' });
    expect(aborted).toBe(true);
  });
});

describe('leaving while the checkout is being opened', () => {
  it('shows no frame and cancels', async () => {
    const element = await mount();
    const ended = outcome(element);
    const framed = vi.fn();
    onFrame(element, framed);
    // The response has been read but not processed.
    companion.instead('prime', () => {
      const response = Response.json((companion.checkout = companion.opened('checkout-1')));
      vi.spyOn(response, 'text').mockImplementation(() => {
        const read = JSON.stringify(companion.checkout);
        queueMicrotask(() => element.close());
        return Promise.resolve(read);
      });
      return response;
    });
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'cancelled', checkoutId: 'checkout-1' });
    expect(framed).not.toHaveBeenCalled();
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime', 'cancellation']);
  });
});

describe('outcomes of the hosted page', () => {
  it.each([
    ['declined', 'No offer this time', ''],
    ['expired', 'Your application ran out of time', 'Start again'],
    ['pending', 'Your application is being reviewed', ''],
    ['failed', 'Financing is not available for this order', ''],
  ] as const)('%s', async (reason, title, action) => {
    companion.farewell = { status: reason };
    const element = await mount();
    await open(element);
    const ended = outcome(element);
    say(element, { type: 'ended', reason });
    expect(await ended).toMatchObject({ outcome: reason, checkoutId: 'checkout-1' });
    await element.updateComplete;
    expect(seen(element)).toMatchObject({ title, action });
    const others = find(element, '[part=other-methods]').checkVisibility();
    expect(others).toBe(reason !== 'pending');
    // If there is no button to return to, the focus moves to the notice.
    const target = action ? button(element) : find(element, 'h3');
    expect(element.shadowRoot?.activeElement).toBe(target);
  });

  it('start again with a new key', async () => {
    companion.farewell = { status: 'expired' };
    const element = await mount();
    await open(element);
    const ended = outcome(element);
    say(element, { type: 'ended', reason: 'expired' });
    await ended;
    await element.updateComplete;
    await open(element);
    const keys = companion.sent
      .filter(({ route }) => route === 'prime')
      .map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys).size).toBe(2);
  });

  it('follow the page’s claim when the companion is unreachable', async () => {
    companion.instead('cancellation', broken.refused, broken.html);
    const element = await mount();
    await open(element);
    const ended = outcome(element);
    say(element, { type: 'ended', reason: 'declined' });
    expect(await whileTimePasses(ended)).toMatchObject({ outcome: 'declined' });
    expect(companion.count('cancellation')).toBe(2);
  });

  it('are looked up when the companion reports that the checkout has ended', async () => {
    companion.instead('cancellation', () => problem('checkout-not-open'));
    const element = await mount();
    await open(element);
    companion.checkout = companion.ended({ status: 'approved' });
    const ended = outcome(element);
    say(element, { type: 'ended', reason: 'declined' });
    expect(await ended).toMatchObject({ outcome: 'approved' });
  });

  it('are requested only once when the companion refuses permanently', async () => {
    companion.instead('cancellation', () => problem('origin-not-allowed'));
    const element = await mount();
    await open(element);
    const ended = outcome(element);
    say(element, { type: 'ended', reason: 'declined' });
    expect(await ended).toMatchObject({ outcome: 'declined' });
    expect(companion.count('cancellation')).toBe(1);
    expect(told).toHaveLength(1);
  });

  it('are not shown as canceled when the page failed', async () => {
    const element = await mount();
    await open(element);
    const ended = outcome(element);
    say(element, { type: 'ended', reason: 'failed' });
    expect(await ended).toMatchObject({ outcome: 'failed' });
    await element.updateComplete;
    expect(seen(element).title).toBe('Financing is not available for this order');
    expect(find(element, '[part=other-methods]').checkVisibility()).toBe(true);
  });

  it('are shown as canceled when the page fails after the shopper left', async () => {
    companion.manners = 'deaf';
    companion.instead('cancellation', broken.refused, broken.refused);
    const element = await mount();
    await open(element);
    const ended = outcome(element);
    element.close();
    // Without a network, the cancellation does not reach the service either.
    say(element, { type: 'ended', reason: 'failed' });
    expect(await whileTimePasses(ended)).toMatchObject({ outcome: 'cancelled' });
    await element.updateComplete;
    expect(seen(element).action).toBe('Pay over time');
  });
});

describe('a companion with faulty responses', () => {
  it.each(Object.entries(broken).filter(([name]) => name !== 'never'))(
    'prime: reports %s to the developer, shows a calm notice and retries with the same key',
    async (_, answer) => {
      companion.instead('prime', answer);
      const element = await mount();
      const ended = outcome(element);
      button(element).click();
      expect(await ended).toMatchObject({ outcome: 'unavailable', retrySafe: true });
      await element.updateComplete;
      expect(seen(element)).toMatchObject({
        title: 'Financing cannot be reached right now',
        action: 'Try again',
      });
      expect(find(element, '[part=other-methods]').checkVisibility()).toBe(true);
      expect(told).toHaveLength(1);
      await open(element);
      const keys = companion.sent.map(({ headers }) => headers.get('idempotency-key'));
      expect(keys[0]).toBe(keys[1]);
    },
  );

  it('times out', async () => {
    companion.instead('prime', broken.never);
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    await until(() => expect(companion.count('prime')).toBe(1));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await ended).toMatchObject({ outcome: 'unavailable', retrySafe: true });
    expect(told[0]).toMatch(/timeout: .*See "timeout" in the README/);
  });

  it.each([
    ['cancellation', { type: 'ended', reason: 'declined' }, 8_000],
    ['confirmation', { type: 'confirmed', confirmationToken: 'token-1' }, 30_000],
  ] as const)('retries a %s after its timeout', async (route, message, deadline) => {
    companion.instead(route, broken.never);
    const element = await mount();
    await open(element);
    say(element, message);
    await until(() => expect(companion.count(route)).toBe(1));
    await vi.advanceTimersByTimeAsync(deadline - 1_000);
    expect(companion.count(route)).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    await until(() => expect(companion.count(route)).toBe(2));
  });

  it('leads to the offline notice when there is no network', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    companion.instead('prime', broken.refused);
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    await ended;
    await element.updateComplete;
    expect(seen(element)).toMatchObject({ title: 'You seem to be offline', action: 'Try again' });
  });

  it('removes the offline notice when the network returns', async () => {
    const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    companion.instead('prime', broken.refused);
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    await ended;
    isOnline.mockReturnValue(true);
    dispatchEvent(new Event('online'));
    await element.updateComplete;
    expect(seen(element)).toMatchObject({
      title: 'Financing cannot be reached right now',
      action: 'Try again',
    });
  });

  it('retries a rate-limited confirmation until it is accepted', async () => {
    companion.instead(
      'confirmation',
      ...Array.from({ length: 3 }, () => () => problem('rate-limited')),
    );
    const element = await mount();
    await open(element);
    const first = outcome(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    // The charge is still to come: the shopper must not pay another way until the outcome is known.
    expect(await whileTimePasses(first)).toMatchObject({
      outcome: 'unavailable',
      retrySafe: false,
    });
    await element.updateComplete;
    expect(seen(element).title).toBe('We are checking your application');
    expect(seen(element).action).toBe('Check now');
    const ended = outcome(element);
    button(element).click();
    expect(await whileTimePasses(ended)).toMatchObject({ outcome: 'approved' });
    const bodies = companion.sent.filter(({ route }) => route === 'confirmation');
    expect(new Set(bodies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(companion.count('cancellation')).toBe(0);
  });

  it('fails when a rate-limited confirmation is refused later', async () => {
    companion.instead(
      'confirmation',
      () => problem('rate-limited'),
      () => problem('order-ticket-invalid'),
    );
    const element = await mount();
    await open(element);
    const ended = outcome(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    expect(await whileTimePasses(ended)).toMatchObject({ outcome: 'failed' });
  });

  it.each([
    ['service-unavailable', 'unavailable', 'Try again'],
    ['overloaded', 'unavailable', 'Try again'],
    ['rate-limited', 'unavailable', 'Try again'],
    ['internal', 'unavailable', 'Try again'],
    ['public-key-invalid', 'failed', ''],
    ['origin-not-allowed', 'failed', ''],
    ['version-unsupported', 'failed', ''],
    ['environment-mismatch', 'failed', ''],
    ['private-key-exposed', 'failed', ''],
    ['order-ticket-invalid', 'failed', ''],
    ['order-totals-mismatch', 'failed', ''],
    ['order-ticket-expired', 'expired', 'Reload this page'],
  ] as const)('maps problem %s to %s', async (code, expected, action) => {
    companion.instead('prime', () => problem(code));
    const element = await mount();
    const codes: string[] = [];
    element.addEventListener('financing-error', (event: FinancingErrorEvent) =>
      codes.push(event.code),
    );
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: expected });
    await element.updateComplete;
    expect(seen(element).action).toBe(action);
    expect(seen(element).title).not.toBe('');
    expect(codes).toEqual([code]);
    expect(told[0]).toContain(`${code}: `);
    expect(told[0]).toContain(`See "${code}" in the README`);
    expect(told.join()).not.toContain('pk-test-1');
  });

  it.each(['checkout-not-open', 'order-ticket-used'] as const)(
    'does not suggest another way to pay after %s from another tab’s checkout',
    async (code) => {
      companion.instead('prime', () => problem(code, { retrySafe: false }));
      const element = await mount();
      const ended = outcome(element);
      button(element).click();
      expect(await ended).toMatchObject({ outcome: 'unavailable', retrySafe: false });
      await element.updateComplete;
      expect(seen(element)).toEqual({
        title: 'We are checking your application',
        text: expect.stringContaining('do not pay another way') as string,
        action: 'Check now',
      });
      expect(find(element, '[part=other-methods]').checkVisibility()).toBe(false);
      // The other checkout may end without a charge, and the order can then be financed here.
      await open(element);
      expect(companion.count('prime')).toBe(2);
    },
  );

  it('is refused when it uses another environment', async () => {
    companion.instead('prime', () =>
      Response.json({ ...companion.opened('x'), environment: 'production' }, { status: 201 }),
    );
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'failed' });
    expect(told[0]).toContain('environment-mismatch');
    expect(frames(element)).toBe(0);
  });

  it.each([
    ['a status it does not know', { status: 'teleported' }],
    ['an amount that is not whole', { amount: { value: 1299.5, currency: 'USD' } }],
    ['an amount that is not exact', { amount: { value: 2 ** 53, currency: 'USD' } }],
    ['nothing to show', { presentation: undefined }],
  ])('rejects %s', async (_, over) => {
    companion.instead('prime', () =>
      Response.json({ ...companion.opened('x'), ...over }, { status: 201 }),
    );
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'unavailable' });
    expect(told[0]).toContain('answer-invalid');
  });

  it('waits while the same request is in flight', async () => {
    companion.instead('prime', () => problem('idempotency-in-flight', { retrySafe: false }));
    const element = await mount();
    button(element).click();
    await whileTimePasses(shown(element));
    const keys = companion.sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
  });

  it('stops waiting after several attempts', async () => {
    const busy = () => problem('idempotency-in-flight', { retrySafe: true });
    companion.instead('prime', ...Array.from({ length: 9 }, () => busy));
    const element = await mount();
    button(element).click();
    expect(await whileTimePasses(outcome(element))).toMatchObject({ outcome: 'unavailable' });
    expect(companion.count('prime')).toBe(6);
  });
});

describe('a confirmation', () => {
  async function confirmed() {
    const element = await mount();
    await open(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    return element;
  }

  it('is retried when its response is lost', async () => {
    companion.instead('confirmation', broken.refused);
    const element = await confirmed();
    expect(await whileTimePasses(outcome(element))).toMatchObject({ outcome: 'approved' });
    const tokens = companion.sent.filter(({ route }) => route === 'confirmation');
    expect(tokens.map(({ body }) => body)).toEqual([
      { confirmationToken: 'token-1', order: element.order },
      { confirmationToken: 'token-1', order: element.order },
    ]);
  });

  it('with an unknown result prevents a second payment and polls until the result is known', async () => {
    companion.verdict = { status: 'unavailable', retrySafe: false };
    const element = await confirmed();
    expect(await whileTimePasses(outcome(element))).toMatchObject({
      outcome: 'unavailable',
      retrySafe: false,
      checkoutId: 'checkout-1',
    });
    // Immediately, not only after further failed requests.
    expect(companion.count('find')).toBe(0);
    await element.updateComplete;
    expect(seen(element)).toEqual({
      title: 'We are checking your application',
      text: expect.stringContaining('do not pay another way') as string,
      action: 'Check now',
    });
    expect(find(element, '[part=other-methods]').checkVisibility()).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.advanceTimersByTimeAsync(2_000);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(companion.count('confirmation')).toBe(1);
    const asked = companion.count('find');
    expect(asked).toBeGreaterThanOrEqual(2);
    companion.checkout = companion.ended({ status: 'approved' });
    const known = outcome(element);
    button(element).click();
    expect(await known).toMatchObject({ outcome: 'approved' });
  });

  it('polls with exponential backoff, and immediately when the network comes back', async () => {
    companion.verdict = { status: 'unavailable', retrySafe: false };
    const element = await confirmed();
    const said = vi.fn();
    element.addEventListener('financing-outcome', said);
    await until(() => expect(companion.count('confirmation')).toBe(1));
    await vi.advanceTimersByTimeAsync(60_000);
    const first = companion.count('find');
    expect(first).toBeGreaterThanOrEqual(5);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(first).toBeLessThanOrEqual(8);
    expect(companion.count('find') - first).toBeLessThanOrEqual(2);
    const before = companion.count('find');
    dispatchEvent(new Event('online'));
    await vi.advanceTimersByTimeAsync(0);
    expect(companion.count('find')).toBe(before + 1);
    // An unchanged result fires one event.
    expect(said).toHaveBeenCalledOnce();
  });

  it('fails when it is refused', async () => {
    companion.instead('confirmation', () => problem('checkout-not-found'));
    const element = await confirmed();
    expect(await whileTimePasses(outcome(element))).toMatchObject({ outcome: 'failed' });
  });

  it('stays unknown when it is refused after a lost response', async () => {
    companion.instead('confirmation', broken.refused, () => problem('checkout-not-found'));
    const element = await confirmed();
    const known = whileTimePasses(outcome(element));
    expect(await known).toMatchObject({ outcome: 'unavailable', retrySafe: false });
    expect(await whileTimePasses(outcome(element))).toMatchObject({ outcome: 'approved' });
  });

  it('stops when another tab has paid the order', async () => {
    const taken = () => problem('checkout-not-open', { retrySafe: false });
    companion.instead('confirmation', taken, taken);
    const element = await confirmed();
    const event = await whileTimePasses(outcome(element));
    expect(event).toMatchObject({ outcome: 'unavailable', retrySafe: false });
    expect(event.checkoutId).toBeUndefined();
    await element.updateComplete;
    expect(seen(element).action).toBe('Check now');
    expect(find(element, '[part=other-methods]').checkVisibility()).toBe(false);
    // The next lookup is for the order, not for the checkout that ended without a charge.
    companion.instead('prime', taken);
    const again = outcome(element);
    button(element).click();
    expect(await again).toMatchObject({ outcome: 'unavailable', retrySafe: false });
    expect(companion.count('prime')).toBe(2);
  });

  it('is retried while the checkout is open and another request is in progress', async () => {
    const busy = () => problem('checkout-not-open');
    companion.instead('confirmation', busy, busy);
    const element = await confirmed();
    expect(await whileTimePasses(outcome(element))).toMatchObject({
      outcome: 'unavailable',
      retrySafe: false,
    });
    expect(await whileTimePasses(outcome(element))).toMatchObject({ outcome: 'approved' });
    expect(companion.count('confirmation')).toBe(3);
  });

  it('is not polled by a hidden page, and is polled immediately when the page becomes visible', async () => {
    companion.verdict = { status: 'unavailable', retrySafe: false };
    const element = await confirmed();
    await until(() => expect(seen(element).action).toBe('Check now'));
    const before = companion.count('find');
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(companion.count('find')).toBe(before);
    hidden.mockReturnValue(false);
    document.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(0);
    expect(companion.count('find')).toBe(before + 1);
  });

  it('shows the outcome of a checkout that has already ended', async () => {
    companion.instead('confirmation', () => problem('checkout-not-open'));
    const element = await confirmed();
    companion.checkout = companion.ended({ status: 'expired' });
    expect(await whileTimePasses(outcome(element))).toMatchObject({ outcome: 'expired' });
  });
});

describe('a hosted page that does not load', () => {
  /** Opens the hosted page and lets enough time pass that the next page counts as another one. */
  async function openEarlier(element: FinancingCheckout): Promise<HTMLIFrameElement> {
    const held = await open(element);
    // For 3 s, a `ready` that followed the load event could also be that of the next page.
    vi.setSystemTime(Date.now() + 5_000);
    return held;
  }

  it('can be loaded again or left', async () => {
    companion.manners = 'mute';
    const element = await mount();
    button(element).click();
    await until(() => expect(frames(element)).toBe(1));
    await vi.advanceTimersByTimeAsync(15_000);
    await element.updateComplete;
    expect(heard(element)).toBe('This is taking longer than usual.');
    find(element, '.slow button').click();
    await element.updateComplete;
    expect(heard(element)).toBe('Opening your application…');
    await vi.advanceTimersByTimeAsync(15_000);
    await element.updateComplete;
    expect(heard(element)).toBe('This is taking longer than usual.');
    const ended = outcome(element);
    element.close();
    expect(await ended).toMatchObject({ outcome: 'cancelled' });
  });

  it('can be reloaded while the network is down, and loads when the network comes back', async () => {
    const element = await mount();
    const held = await openEarlier(element);
    const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    dispatchEvent(new Event('offline'));
    // Browsers refuse this port and show their own error page.
    held.src = 'http://127.0.0.1:9/';
    await until(() => expect(heard(element)).toBe('You seem to be offline'));
    expect(held.checkVisibility()).toBe(false);
    isOnline.mockReturnValue(true);
    find(element, '.slow button').click();
    await shown(element);
    expect(held.checkVisibility()).toBe(true);
  });

  it('keeps the focus in the dialog while it disappears and loads again', async () => {
    const element = await mount();
    const held = await openEarlier(element);
    const focused = () => element.shadowRoot?.activeElement;
    expect(focused()).toBe(held);
    const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    dispatchEvent(new Event('offline'));
    held.src = 'http://127.0.0.1:9/';
    await until(() => expect(heard(element)).toBe('You seem to be offline'));
    expect(focused()).toBe(find(element, 'h2'));
    isOnline.mockReturnValue(true);
    const again = find(element, '.slow button');
    again.focus();
    again.click();
    await shown(element);
    expect(focused()).toBe(held);
  });

  it('reloads automatically when the network comes back', async () => {
    const element = await mount();
    const held = await openEarlier(element);
    const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    dispatchEvent(new Event('offline'));
    held.src = 'http://127.0.0.1:9/';
    await until(() => expect(heard(element)).toBe('You seem to be offline'));
    isOnline.mockReturnValue(true);
    dispatchEvent(new Event('online'));
    await shown(element);
    expect(held.checkVisibility()).toBe(true);
    // A page that has loaded is not reloaded.
    const loaded = vi.fn();
    held.addEventListener('load', loaded);
    dispatchEvent(new Event('online'));
    await element.updateComplete;
    expect([loaded.mock.calls.length, heard(element)]).toEqual([0, 'Your application is ready.']);
  });

  it('is not hidden when it loads although the browser claims to be offline', async () => {
    const element = await mount();
    const held = await open(element);
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    dispatchEvent(new Event('offline'));
    const loaded = oneEvent(held, 'load');
    held.src += '&step=2';
    await loaded;
    await shown(element);
    expect(held.checkVisibility()).toBe(true);
  });

  it.each([
    ['on this very origin', () => location.origin + '/checkout'],
    ['on plain http', () => 'http://lender.example/checkout'],
    ['of another kind', () => 'javascript:alert(1)'],
  ])('rejects %s', async (_, url) => {
    companion.instead('prime', () => {
      const checkout = companion.opened('checkout-1');
      const presentation = {
        sessionToken: 's',
        hosted: { url: url(), modes: ['embedded' as const] },
      };
      return Response.json({ ...checkout, presentation }, { status: 201 });
    });
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'failed' });
    expect(frames(element)).toBe(0);
    expect(told[0]).toContain('hosted-url-invalid');
  });
});

describe('a page with an invalid setup', () => {
  it.each([
    ['public-key-missing', { publicKey: '' }],
    ['public-key-missing', { publicKey: 'with space' }],
    ['environment-missing', { environment: '' }],
    ['environment-missing', { environment: 'prod' }],
    ['companion-missing', { companion: '' }],
    ['companion-missing', { companion: 'http://companion.example' }],
    ['order-missing', { order: '' }],
  ] as const)('%s: %o', async (code, over) => {
    const element = await mount(over);
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'failed' });
    await element.updateComplete;
    expect(told[0]).toContain(`${code}: `);
    expect(seen(element).title).toBe('Financing is not available for this order');
    expect(isOpen(element)).toBe(false);
    expect(companion.sent).toEqual([]);
  });

  it('accepts whitespace around a key and a ticket, as templates produce it', async () => {
    const element = await mount({ publicKey: ' pk-test-1\n', order: `\n  ${ticket()}\n` });
    await open(element);
    const [prime] = companion.sent;
    expect(told).toEqual([]);
    expect(prime?.headers.get('authorization')).toBe('Bearer pk-test-1');
  });

  it.each(['Sandbox', 'sandbox '])(
    'explains the correct spelling of environment: "%s"',
    async (environment) => {
      const element = await mount({ environment });
      const ended = outcome(element);
      button(element).click();
      await ended;
      expect(told[0]).toContain('Set environment to uat, sandbox or production.');
    },
  );

  it('reports the path and the reason of a ticket error, in the console and the event', async () => {
    const detail = 'The ticket is signed. order.items.0.sku must not be empty.';
    companion.instead('prime', () => problem('order-ticket-invalid', { detail }));
    const element = await mount();
    const heard = new Promise<string>((resolve) => {
      element.addEventListener('financing-error', ({ message }) => resolve(message));
    });
    button(element).click();
    expect(await heard).toContain(detail);
    expect(told[0]).toContain(detail);
  });

  it('fails with insecure-context over plain HTTP', async () => {
    vi.spyOn(globalThis, 'isSecureContext', 'get').mockReturnValue(false);
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'failed' });
    expect(told[0]).toContain('insecure-context');
    expect(companion.sent).toEqual([]);
  });

  it('treats a removed attribute as missing, not as "null"', async () => {
    const element = await mount();
    element.removeAttribute('public-key');
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'failed' });
    expect(told[0]).toContain('public-key-missing');
  });

  it('works once the setup is corrected', async () => {
    const element = await mount({ order: '' });
    const ended = outcome(element);
    button(element).click();
    await ended;
    element.order = ticket();
    element.companion = `${COMPANION}/`;
    element.reset();
    await element.updateComplete;
    await open(element);
    expect(companion.count('prime')).toBe(1);
  });
});
