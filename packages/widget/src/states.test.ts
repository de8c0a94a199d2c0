/*
 * Every state a shopper can see, checked by axe (WCAG 2.2 AA as far as a machine can tell), and
 * for `style` attributes, which a strict content security policy forbids.
 */
import { expect as expectElement, oneEvent } from '@open-wc/testing';
import calm from '../themes/calm.css?inline';
import contrast from '../themes/contrast.css?inline';
import soft from '../themes/soft.css?inline';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { broken, FakeCompanion, problem, TICKET_AMOUNT } from './companion.fixture.ts';
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
  until,
} from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';
import { leadPointerAway } from './pointer.fixture.ts';

let companion: FakeCompanion;

beforeEach(async () => {
  sessionStorage.clear();
  companion = new FakeCompanion();
  // Contrast is checked, and a button under a pointer has other colours.
  await leadPointerAway();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  for (const left of document.querySelectorAll('body > iframe')) left.remove();
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== look);
  companion.restore();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function end(element: FinancingCheckout, message: object): Promise<void> {
  await open(element);
  const ended = outcome(element);
  say(element, message);
  await ended;
}

/** Waits for what is fading in: half way there nothing has its contrast. */
async function settled(element: FinancingCheckout): Promise<void> {
  const fading = element.shadowRoot?.getAnimations() ?? [];
  const ending = fading.filter((one) => one.effect?.getComputedTiming().iterations !== Infinity);
  // One whose element is hidden meanwhile is cancelled, which is an end too.
  await Promise.allSettled(ending.map(({ finished }) => finished));
}

const confirmed = { type: 'confirmed', confirmationToken: 'token-1' };
const states: Record<string, (element: FinancingCheckout) => Promise<unknown>> = {
  idle: () => Promise.resolve(),
  disabled: (element) => {
    element.disabled = true;
    return element.updateComplete;
  },
  opening: (element) => {
    companion.instead('prime', broken.never);
    button(element).click();
    return until(() => expect(companion.count('prime')).toBe(1));
  },
  shown: open,
  slow: async (element) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    companion.manners = 'mute';
    button(element).click();
    await until(() => expect(frames(element)).toBe(1));
    await vi.advanceTimersByTimeAsync(15_000);
    vi.useRealTimers();
  },
  silent: async (element) => {
    const held = await open(element);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    // Nothing of the page that was there is still to come.
    await vi.advanceTimersByTimeAsync(5_000);
    const loaded = oneEvent(held, 'load');
    held.src = `${inject('hostedOrigin')}/broken`;
    await loaded;
    await vi.advanceTimersByTimeAsync(15_000);
    vi.useRealTimers();
  },
  leaving: async (element) => {
    companion.instead('cancellation', broken.never);
    await open(element);
    element.close();
    await until(() => expect(companion.count('cancellation')).toBe(1));
  },
  confirming: async (element) => {
    companion.instead('confirmation', broken.never);
    await open(element);
    say(element, confirmed);
    await until(() => expect(companion.count('confirmation')).toBe(1));
  },
  checking: (element) => {
    companion.verdict = { status: 'unavailable', retrySafe: false };
    return end(element, confirmed);
  },
  approved: (element) => end(element, confirmed),
  pending: (element) => {
    companion.verdict = { status: 'pending' };
    return end(element, confirmed);
  },
  ...Object.fromEntries(
    (['declined', 'cancelled', 'expired', 'failed'] as const).map((status) => [
      status,
      (element: FinancingCheckout) => {
        companion.farewell = { status };
        return end(element, { type: 'ended', reason: status });
      },
    ]),
  ),
  stale: (element) => {
    companion.instead('prime', () => problem('order-ticket-expired'));
    button(element).click();
    return outcome(element);
  },
  resumable: async (element) => {
    await open(element);
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    await until(() => expect(frames(element)).toBe(0));
  },
  away: async (element) => {
    const { contentWindow } = document.body.appendChild(document.createElement('iframe'));
    vi.spyOn(globalThis, 'open').mockReturnValue(contentWindow);
    companion.modes = ['popup'];
    element.presentation = 'popup';
    button(element).click();
    await until(() => expect(seen(element).title).toBe('Your application is open'));
  },
  changed: async (element) => {
    const amounts = { approved: TICKET_AMOUNT, current: { value: 154_800, currency: 'USD' } };
    companion.instead('confirmation', () => problem('order-changed', { amounts }));
    element.addEventListener('financing-order-change', (event) => {
      event.restoreWith(() => Promise.resolve(element.order));
    });
    await open(element);
    say(element, confirmed);
    await until(() => expect(seen(element).title).toBe('Your cart has changed'));
  },
  offline: (element) => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    companion.instead('prime', broken.refused);
    button(element).click();
    return outcome(element);
  },
  unavailable: (element) => {
    companion.verdict = { status: 'unavailable', retrySafe: true };
    return end(element, confirmed);
  },
};

/** What else a state is looked at in: each theme, light and dark, and the languages in between. */
const looks = [
  { theme: '', scheme: 'dark', locale: 'de' },
  { theme: calm, scheme: 'light', locale: 'ar' },
  { theme: calm, scheme: 'dark', locale: 'ar' },
  { theme: contrast, scheme: 'light', locale: 'de' },
  { theme: contrast, scheme: 'dark', locale: 'de' },
  { theme: soft, scheme: 'light', locale: 'he' },
  { theme: soft, scheme: 'dark', locale: 'ja' },
];
const look = new CSSStyleSheet();

async function wear(
  element: FinancingCheckout,
  { theme, scheme, locale }: (typeof looks)[number],
): Promise<void> {
  look.replaceSync(
    `:root { color-scheme: ${scheme}; background: light-dark(#fff, #121212); } ${theme}`,
  );
  element.locale = locale;
  await until(() => expect(find(element, '[lang]').lang).toBe(locale));
  await settled(element);
}

describe.each(Object.entries(states))('%s', (name, reach) => {
  it('is accessible, and writes no style attribute', async () => {
    const element = await mount();
    await reach(element);
    await element.updateComplete;
    await settled(element);
    // The lender's page is another origin's: its own tests look into it.
    await expectElement(element).to.be.accessible({ ignoredRules: ['frame-tested'] });
    expect(element.shadowRoot?.querySelectorAll('[style]')).toHaveLength(0);
    expect(document.documentElement.hasAttribute('style')).toBe(false);
    const inDialog = ['opening', 'shown', 'slow', 'silent'].includes(name);
    expect(dialog(element).open).toBe(inDialog);
    const { title, action } = seen(element);
    const reachable = find(element, '[part=other-methods]').checkVisibility();
    // Never a dead end: something to press, or other ways to pay, or words that say to wait.
    expect(inDialog || action !== '' || reachable || title !== '').toBe(true);
  });

  it('is accessible in every theme, light and dark, in German, Arabic, Hebrew and Japanese', async () => {
    const element = await mount();
    await reach(element);
    document.adoptedStyleSheets.push(look);
    for (const one of looks) {
      await wear(element, one);
      await expectElement(element).to.be.accessible({ ignoredRules: ['frame-tested'] });
    }
  }, 60_000);

  it('has no target smaller than 24 by 24 pixels (WCAG 2.5.8)', async () => {
    const element = await mount();
    await reach(element);
    await element.updateComplete;
    const targets = [...(element.shadowRoot?.querySelectorAll('button') ?? [])];
    for (const target of targets.filter((one) => one.checkVisibility())) {
      const { width, height } = target.getBoundingClientRect();
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
    }
  });
});
