/*
 * Scenarios and the harness: a shop's own tests reach every outcome without a network. The files that
 * a shopper's click loads are imported here, because a development server may need longer to
 * transform them than the 5 s that the harness waits.
 */
import { fixture, html, nextFrame } from '@open-wc/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MockInstance } from 'vitest';
import './checkout/attempt.ts';
import './checkout/detours.ts';
import { until, whileTimePasses } from './clock.fixture.ts';
import './define.ts';
import type { FinancingCheckout } from './index.ts';
import { rowsOf } from './journey.fixture.ts';
import type { ScenarioName } from './model/scenario.ts';
import './simulation/simulation.ts';
import './texts/locales/en.ts';
import { FinancingCheckoutHarness, orderTicket, scenarios } from './development.ts';

let element: FinancingCheckout;
let harness: FinancingCheckoutHarness;
let complained: MockInstance<(...said: unknown[]) => void>;
const asked = vi.fn();

beforeEach(async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation((...request) => {
    asked(...request);
    return Promise.reject(new TypeError('No network in this test.'));
  });
  complained = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  element = await fixture<FinancingCheckout>(
    html`<financing-checkout order=${orderTicket({ merchantOrderId: 'A-1' })}>
      <a slot="other-methods" href="#card">Pay by card</a>
    </financing-checkout>`,
  );
  harness = new FinancingCheckoutHarness(element);
});
afterEach(() => {
  element.reset();
  element.remove();
  expect(asked).not.toHaveBeenCalled();
  asked.mockClear();
});

const silent = () => element.shadowRoot?.querySelector('.silent');

describe('a scenario', () => {
  it.each(
    rowsOf(`
approved | approved | Your financing is approved | | tick
pending | pending | Your application is being reviewed | | clock
declined | declined | No offer this time | others | word
cancelled | cancelled | You left the application | others | word
expired | expired | Your application ran out of time | others | clock
failed | failed | Financing is not available for this order | others | word
unavailable | unavailable | Financing cannot be reached right now | others | word
unknown | unavailable | We are checking your application | | clock
ticket-expired | expired | This page has been open for a while | others | clock
offline | unavailable | You seem to be offline | others | word
confirming | | Confirming with your lender | | clock
cart-changed | | Your cart has changed | others | word
slow | | | |
opening | | | |
`),
  )(
    '%s ends with the outcome "%s" and the title "%s"',
    async (name, outcome, title, others, icon) => {
      const coming = harness.reach(name as ScenarioName);
      if (name === 'slow') {
        // The simulated page loads in real time, and is late after 300 ms.
        await until(() => expect(harness.lenderPage).toBeDefined());
        await vi.advanceTimersByTimeAsync(300);
      }
      const event = await coming;
      expect(event?.outcome ?? '').toBe(outcome);
      expect(harness.notice.title).toBe(title);
      expect(harness.offersOtherMethods).toBe(others === 'others');
      expect(harness.isOpen).toBe(title === '');
      if (!title) return;
      expect(harness.announced).toBe(`${title}. ${harness.notice.text}`);
      const drawn = element.shadowRoot?.querySelector('section path')?.getAttribute('d') ?? '';
      const icons = new Map([
        ['M7 12.5l3.5 3.5L17 9', 'tick'],
        ['M12 7v5l3.5 2', 'clock'],
      ]);
      expect(icons.get(drawn) ?? 'word').toBe(icon);
    },
  );

  it('shows a page of the lender that breaks after it was ready', async () => {
    harness.play({ lender: 'broken' });
    harness.press();
    await until(() => expect(harness.lenderPage?.title).toBe('Example lender'));
    await vi.advanceTimersByTimeAsync(300);
    await until(() => expect(silent()?.checkVisibility()).toBe(true));
    expect(harness.isOpen).toBe(true);
  });

  it('shows a lender’s page in a window of its own', async () => {
    harness.play({ lender: 'away' });
    harness.press();
    await until(() => expect(harness.notice.title).toBe('Your application is open'));
    expect(harness.label).toBe('Show the window');
    const coming = harness.nextOutcome();
    harness.pressSecond();
    expect((await coming).outcome).toBe('cancelled');
  });

  it('waits for the answer to a cancellation', async () => {
    harness.play({ cancellation: 'never' });
    await harness.open();
    element.close();
    await until(() => expect(harness.requests.at(-1)?.route).toBe('cancellation'));
    expect(harness.button.ariaDisabled).toBe('true');
  });

  it('finds the outcome of an earlier checkout', async () => {
    Object.assign(element, { companion: 'https://companion.example', environment: 'sandbox' });
    const amount = { value: 129_900, currency: 'USD' };
    harness.play({ found: { status: 'approved', amount } });
    const coming = harness.nextOutcome();
    await harness.open();
    harness.finish();
    await coming;
    element.order = orderTicket({ merchantOrderId: 'A-1', totalAmount: 154_800 });
    await until(() => expect(harness.requests.at(-1)?.route).toBe('find'));
    await until(() => expect(harness.notice.text).toContain('Your cart is now $1,548.00'));
  });

  it.each(['waiting', 'opened'] as const)('keeps a link for a phone %s', async (link) => {
    element.phone = true;
    await element.updateComplete;
    harness.play({ link });
    harness.pressSecond();
    const title = link === 'opened' ? 'Your application is open' : 'Continue on your phone';
    await until(() => expect(harness.notice.title).toBe(title));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(harness.requests.filter(({ route }) => route === 'find').length).toBeGreaterThan(3);
    expect(harness.notice.title).toBe(title);
  });

  it('exists for every name in the test above, and no other', () => {
    expect(Object.keys(scenarios)).toHaveLength(14);
  });

  it('can be set as an attribute, for pages and component catalogs', async () => {
    element.setAttribute('scenario', 'declined');
    const coming = harness.nextOutcome();
    await harness.open();
    const { lenderPage } = harness;
    expect(lenderPage?.body.textContent).toContain('Scenario “declined”');
    expect([lenderPage?.title, lenderPage?.documentElement.lang]).toEqual(['Example lender', 'en']);
    expect(lenderPage?.adoptedStyleSheets).toHaveLength(1);
    expect(harness.announced).toBe('Your application is ready.');
    harness.finish();
    expect(await coming).toMatchObject({ outcome: 'declined', merchantOrderId: 'A-1' });
  });

  it('needs no other attribute, and is always in the dialog', async () => {
    const bare = await fixture<FinancingCheckout>(
      html`<financing-checkout scenario="approved" presentation="popup"></financing-checkout>`,
    );
    const opening = vi.spyOn(window, 'open').mockReturnValue(null);
    const other = new FinancingCheckoutHarness(bare);
    const coming = other.nextOutcome();
    await other.open();
    expect(other.isOpen).toBe(true);
    other.finish();
    expect(await coming).toMatchObject({
      outcome: 'approved',
      merchantOrderId: 'scenario',
      amount: { value: 129_900, currency: 'USD' },
    });
    opening.mockRestore();
    bare.reset();
  });

  it('uses the environment and the companion of the element', async () => {
    Object.assign(element, { environment: 'uat', companion: 'https://companion.example' });
    harness.play('approved');
    await harness.open();
    expect(harness.requests[0]).toMatchObject({ body: { environment: 'uat' } });
    const { order, environment, companion } = element;
    element.remove();
    const again = await fixture<FinancingCheckout>(
      html`<financing-checkout
        order=${order}
        environment=${environment}
        companion=${companion}
      ></financing-checkout>`,
    );
    expect(new FinancingCheckoutHarness(again).label).toBe('Continue your application');
  });

  it('reports the known names when the name is unknown', async () => {
    element.setAttribute('scenario', 'aproved');
    const told = vi.fn();
    element.addEventListener('financing-error', told);
    const coming = harness.nextOutcome();
    harness.press();
    expect(await coming).toMatchObject({ outcome: 'failed' });
    expect(told.mock.calls[0]?.[0]).toMatchObject({
      code: 'scenario-unknown',
      message: expect.stringContaining('approved, pending') as string,
    });
  });

  it('is refused in production, with a calm notice for the shopper', async () => {
    const told = vi.fn();
    element.addEventListener('financing-error', told);
    Object.assign(element, { environment: 'production', scenario: 'approved' });
    const coming = harness.nextOutcome();
    harness.press();
    expect(await coming).toMatchObject({ outcome: 'failed' });
    expect(told.mock.calls[0]?.[0]).toMatchObject({ code: 'scenario-in-production' });
    expect(complained).toHaveBeenCalledWith(expect.stringContaining('scenario-in-production'));
    expect(harness.requests).toEqual([]);
    expect(harness.lenderPage).toBeUndefined();
  });
});

describe('the shopper of a scenario', () => {
  it('can leave the lender’s page, which cancels in every scenario', async () => {
    harness.play('approved');
    for (const leave of [() => harness.leave(), () => element.close()]) {
      const coming = harness.nextOutcome();
      await harness.open();
      leave();
      expect(await coming).toMatchObject({ outcome: 'cancelled' });
      expect(harness.requests.at(-1)?.route).toBe('cancellation');
    }
  });

  it('can leave by Escape in the lender’s page', async () => {
    harness.play('approved');
    const coming = harness.nextOutcome();
    await harness.open();
    const press = (key: string) =>
      harness.lenderPage?.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    press('Tab');
    await nextFrame();
    expect(harness.isOpen).toBe(true);
    press('Escape');
    expect(await coming).toMatchObject({ outcome: 'cancelled' });
  });

  it('finds the same application after a reload', async () => {
    harness.play('approved');
    await harness.open();
    const { order } = element;
    element.remove();
    const again = await fixture<FinancingCheckout>(
      html`<financing-checkout order=${order} scenario="approved"></financing-checkout>`,
    );
    Object.assign(again, { companion: location.origin, environment: 'sandbox' });
    const next = new FinancingCheckoutHarness(again);
    next.play('approved');
    const coming = next.nextOutcome();
    await next.open();
    expect(next.requests.map(({ route }) => route)).toEqual(['find']);
    next.finish();
    expect(await coming).toMatchObject({ outcome: 'approved', merchantOrderId: 'A-1' });
    again.reset();
    again.remove();
  });

  it('sees the outcome of an unknown charge when the companion knows it', async () => {
    await harness.reach('unknown');
    const coming = harness.nextOutcome();
    harness.press();
    await until(() => expect(harness.requests.at(-1)?.route).toBe('find'));
    harness.press();
    expect(await coming).toMatchObject({ outcome: 'approved' });
  });

  it('starts again, or keeps the approved order, after the cart has changed', async () => {
    await harness.reach('cart-changed');
    expect(harness.notice.text).toContain('$1,299.00');
    expect(harness.notice.text).toContain('$1,449.00');
    let coming = harness.nextOutcome();
    await harness.open();
    harness.finish();
    expect(await coming).toMatchObject({ outcome: 'approved', checkoutId: 'scenario-2' });

    element.addEventListener('financing-order-change', (event) => {
      event.restoreWith(() => Promise.resolve(element.order));
    });
    await harness.reach('cart-changed');
    coming = harness.nextOutcome();
    harness.pressSecond();
    expect(await coming).toMatchObject({ outcome: 'approved' });
  });
});

describe('a custom scenario', () => {
  it('defines the companion’s responses and receives the requests', async () => {
    harness.play({ verdicts: ['unreachable', { status: 'pending' }] });
    await harness.open();
    expect(harness.lenderPage?.body.textContent).toContain('Scenario “of a test”');
    const coming = harness.nextOutcome();
    harness.finish();
    expect(await whileTimePasses(coming)).toMatchObject({ outcome: 'pending' });
    // The response was lost, so the request is retried, which makes only one charge.
    expect(harness.requests.map(({ route }) => route)).toEqual([
      'prime',
      'confirmation',
      'confirmation',
    ]);
    expect(harness.requests[0]).toMatchObject({ route: 'prime', body: { environment: 'sandbox' } });
    expect(harness.requests[1]?.body).toMatchObject({ confirmationToken: 'scenario' });
  });

  it('repeats the last response', async () => {
    harness.play({ verdicts: [{ status: 'unavailable', retrySafe: false }] });
    await harness.open();
    const coming = harness.nextOutcome();
    harness.finish();
    await coming;
    for (let times = 1; times < 3; times++) {
      harness.press();
      await until(() => expect(harness.requests).toHaveLength(times + 2));
    }
    await element.updateComplete;
    expect(harness.notice.title).toBe('We are checking your application');
  });

  it('can make the companion refuse', async () => {
    harness.play({ opening: { problem: 'origin-not-allowed', httpStatus: 403 } });
    const coming = harness.nextOutcome();
    harness.press();
    expect(await coming).toMatchObject({ outcome: 'failed' });
  });
});

describe('the harness', () => {
  it('reports a missing step', () => {
    const bare = document.createElement('financing-checkout');
    const early = new FinancingCheckoutHarness(bare);
    expect(() => early.button).toThrow('updateComplete');
    expect(() => harness.finish()).toThrow('open()');
  });

  it('creates tickets of any amount, with IDs in any script', async () => {
    const merchantOrderId = 'Größe-№7-椅子';
    element.order = orderTicket({ merchantOrderId, totalAmount: 7, currency: 'JPY' });
    const amount = { value: 7, currency: 'JPY' };
    expect(await harness.reach('approved')).toMatchObject({ merchantOrderId, amount });
  });
});
