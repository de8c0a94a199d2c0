/*
 * Checks every state that a shopper can see with axe (the automatable part of WCAG 2.2 AA), and for
 * `style` attributes, which a strict content security policy forbids.
 */
import calm from '../themes/calm.css?inline';
import contrast from '../themes/contrast.css?inline';
import soft from '../themes/soft.css?inline';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible } from './axe.fixture.ts';
import { until } from './clock.fixture.ts';
import { find, isOpen, mount, seen } from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';
import { leadPointerAway } from './pointer.fixture.ts';
import { useScriptedSdk } from './sdk.fixture.ts';
import { states } from './states.fixture.ts';

useScriptedSdk();

beforeEach(async () => {
  // For the contrast check: a button under the pointer has different colors.
  await leadPointerAway();
});

/** Additional looks of a state: each theme in light and dark, distributed over the languages. */
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
}

describe.each(Object.entries(states))('%s', (name, reach) => {
  it('is accessible in every theme and language, has large targets, and writes no style', async () => {
    const element = await mount();
    await reach(element);
    await element.updateComplete;
    await expectAccessible(element);
    expect(element.shadowRoot?.querySelectorAll('[style]')).toHaveLength(0);
    expect(document.documentElement.hasAttribute('style')).toBe(false);
    const inDialog = ['opening', 'shown', 'slow', 'silent'].includes(name);
    expect(isOpen(element)).toBe(inDialog);
    const { title, action } = seen(element);
    const reachable = find(element, '[part=other-methods]').checkVisibility();
    // Never a dead end: a button, other ways to pay, or a request to wait.
    expect(inDialog || action !== '' || reachable || title !== '').toBe(true);
    // 24 by 24 pixels (WCAG 2.5.8).
    const targets = [...(element.shadowRoot?.querySelectorAll('button') ?? [])];
    for (const target of targets.filter((one) => one.checkVisibility())) {
      const { width, height } = target.getBoundingClientRect();
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
    }
    document.adoptedStyleSheets.push(look);
    for (const one of looks) {
      await wear(element, one);
      await expectAccessible(element);
    }
  });
});
