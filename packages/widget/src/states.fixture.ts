import { oneEvent } from '@open-wc/testing';
import { expect, inject, vi } from 'vitest';
import { until } from './clock.fixture.ts';
import { broken, problem, TICKET_AMOUNT } from './companion.fixture.ts';
import type { FakeCompanion } from './companion.fixture.ts';
import { button, find, frames, open, outcome, say, seen } from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';

async function end(element: FinancingCheckout, message: object): Promise<void> {
  await open(element);
  const ended = outcome(element);
  say(element, message);
  await ended;
}

/**
 * Starts the element and waits for a notice's title. A failure lists the errors that the element
 * reported.
 */
async function reach(element: FinancingCheckout, title: string, start: () => unknown) {
  const reported: string[] = [];
  element.addEventListener('financing-error', ({ code, message }) =>
    reported.push(`${code}: ${message}`),
  );
  await start();
  await until(() => expect(seen(element).title, reported.join('; ')).toBe(title));
}

const confirmed = { type: 'confirmed', confirmationToken: 'token-1' };
/** Brings an idle element to a state. */
export type Reach = (element: FinancingCheckout, companion: FakeCompanion) => Promise<unknown>;

/** Every state that a shopper can see, by name. */
export const states: Readonly<Record<string, Reach>> = {
  idle: () => Promise.resolve(),
  disabled: (element) => {
    element.disabled = true;
    return element.updateComplete;
  },
  opening: (element, companion) => {
    companion.instead('prime', broken.never);
    button(element).click();
    return until(() => expect(companion.count('prime')).toBe(1));
  },
  shown: open,
  slow: async (element, companion) => {
    companion.manners = 'mute';
    button(element).click();
    await until(() => expect(frames(element)).toBe(1));
    await vi.advanceTimersByTimeAsync(15_000);
  },
  silent: async (element) => {
    const held = await open(element);
    // By now, the first page can no longer send `ready`.
    await vi.advanceTimersByTimeAsync(5_000);
    const loaded = oneEvent(held, 'load');
    held.src = `${inject('hostedOrigin')}/broken`;
    await loaded;
    await vi.advanceTimersByTimeAsync(15_000);
  },
  leaving: async (element, companion) => {
    companion.instead('cancellation', broken.never);
    await open(element);
    element.close();
    await until(() => expect(companion.count('cancellation')).toBe(1));
  },
  confirming: async (element, companion) => {
    companion.instead('confirmation', broken.never);
    await open(element);
    say(element, confirmed);
    await until(() => expect(companion.count('confirmation')).toBe(1));
  },
  checking: (element, companion) => {
    companion.verdict = { status: 'unavailable', retrySafe: false };
    return end(element, confirmed);
  },
  approved: (element) => end(element, confirmed),
  pending: (element, companion) => {
    companion.verdict = { status: 'pending' };
    return end(element, confirmed);
  },
  ...Object.fromEntries(
    (['declined', 'cancelled', 'expired', 'failed'] as const).map((status) => [
      status,
      (element: FinancingCheckout, companion: FakeCompanion) => {
        companion.farewell = { status };
        return end(element, { type: 'ended', reason: status });
      },
    ]),
  ),
  stale: (element, companion) => {
    companion.instead('prime', () => problem('order-ticket-expired'));
    button(element).click();
    return outcome(element);
  },
  resumable: async (element) => {
    await open(element);
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    await until(() => expect(frames(element)).toBe(0));
  },
  away: async (element, companion) => {
    const { contentWindow } = document.body.appendChild(document.createElement('iframe'));
    vi.spyOn(globalThis, 'open').mockReturnValue(contentWindow);
    companion.modes = ['popup'];
    element.presentation = 'popup';
    await reach(element, 'Your application is open', () => button(element).click());
    await until(() => expect(button(element).textContent.trim()).toBe('Show the window'));
  },
  phone: async (element) => {
    element.phone = true;
    await element.updateComplete;
    await reach(element, 'Continue on your phone', () =>
      find(element, '#start ~ [part=second-button]').click(),
    );
  },
  changed: async (element, companion) => {
    const amounts = { approved: TICKET_AMOUNT, current: { value: 154_800, currency: 'USD' } };
    companion.instead('confirmation', () => problem('order-changed', { amounts }));
    element.addEventListener('financing-order-change', (event) => {
      event.restoreWith(() => Promise.resolve(element.order));
    });
    await reach(element, 'Your cart has changed', async () => {
      await open(element);
      say(element, confirmed);
    });
  },
  offline: (element, companion) => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    companion.instead('prime', broken.refused);
    button(element).click();
    return outcome(element);
  },
  unavailable: (element, companion) => {
    companion.verdict = { status: 'unavailable', retrySafe: true };
    return end(element, confirmed);
  },
};
