/*
 * Tools that change rendered nodes: a translator wraps each text in its own elements, other tools remove
 * nodes. Afterwards the element must still show its current state.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from './clock.fixture.ts';
import { button, find, heard, isOpen, mount, open, outcome, say, seen } from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';
import { companion, renewCompanion, useScriptedSdk } from './sdk.fixture.ts';
import { states } from './states.fixture.ts';

let translators: MutationObserver[];

useScriptedSdk();
beforeEach(() => {
  translators = [];
  companion.sdk = undefined;
});
afterEach(() => {
  for (const translator of translators) translator.disconnect();
});

function rootOf({ shadowRoot }: FinancingCheckout): ShadowRoot {
  if (!shadowRoot) throw new Error('There is no shadow root.');
  return shadowRoot;
}

function textsIn(root: Node): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) found.push(walker.currentNode as Text);
  return found.filter((text) => text.data.trim() && text.parentElement?.localName !== 'font');
}

/** Wraps each text in two elements, like the translators of browsers. */
function translate(root: Node): void {
  for (const text of textsIn(root)) {
    const translated = document
      .createRange()
      .createContextualFragment('<font><font></font></font>');
    translated.querySelector('font font')?.append(text.data);
    text.replaceWith(translated);
  }
}

/** Translates all current texts, and each later text. */
function keepTranslated(element: FinancingCheckout): void {
  const root = rootOf(element);
  const translator = new MutationObserver(() => translate(root));
  translator.observe(root, { childList: true, characterData: true, subtree: true });
  translators.push(translator);
  translate(root);
}

/** Returns all visible and announced texts of an element, by location. */
function words(element: FinancingCheckout): Record<string, unknown> {
  const places = [...rootOf(element).querySelectorAll('h2, h3, p, span, button')];
  const frame = rootOf(element).querySelector('iframe');
  return {
    lang: find(element, 'div').lang,
    said: places.map((place) => place.textContent.trim()),
    close: rootOf(element).querySelector('[part=close]')?.ariaLabel,
    frame: frame?.title,
    visible: places.map((place) => place.checkVisibility()),
    open: isOpen(element),
  };
}

/** Returns the texts of an untouched element in a state, in each of two languages. */
async function expectedIn(name: string): Promise<{ en: object; de: object }> {
  const element = await mount();
  await states[name]?.(element);
  const inLanguage = async (locale: string) => {
    element.locale = locale;
    await until(() => expect(find(element, 'div').lang).toBe(locale));
    await element.updateComplete;
    return words(element);
  };
  const expected = { en: await inLanguage('en'), de: await inLanguage('de') };
  element.remove();
  vi.restoreAllMocks();
  sessionStorage.clear();
  renewCompanion();
  return expected;
}

describe.each(Object.entries(states))('under a translator, %s', (name, reach) => {
  it('shows the right texts everywhere, in another language, and after a reset', async () => {
    const { en, de } = await expectedIn(name);
    const element = await mount();
    keepTranslated(element);
    await reach(element);
    await until(() => expect(words(element)).toEqual(en));
    element.locale = 'de';
    await until(() => expect(words(element)).toEqual(de));
    element.locale = 'en';
    await until(() => expect(words(element)).toEqual(en));
    element.reset();
    await until(() =>
      expect(seen(element)).toEqual({ title: '', text: '', action: 'Pay over time' }),
    );
    expect(heard(element)).toBe('');
    expect(find(element, 'h3').textContent).toBe('');
  });
});

describe('the outcome after a check', () => {
  const confirmed = { type: 'confirmed', confirmationToken: 'token-1' };

  async function check(element: FinancingCheckout): Promise<void> {
    companion.verdict = { status: 'unavailable', retrySafe: false };
    await states.shown?.(element);
    const unknown = outcome(element);
    say(element, confirmed);
    await unknown;
    await element.updateComplete;
    companion.checkout = companion.ended({ status: 'approved' });
  }
  async function learn(element: FinancingCheckout): Promise<void> {
    const known = outcome(element);
    button(element).click();
    await known;
    await element.updateComplete;
  }
  function expectApproved(element: FinancingCheckout): void {
    const text = '$1,299.00 is financed. There is nothing more to do here.';
    expect(seen(element)).toEqual({ title: 'Your financing is approved', text, action: '' });
    expect(heard(element)).toBe(`Your financing is approved. ${text}`);
  }

  it('is announced after a translator has replaced the text', async () => {
    const element = await mount();
    await check(element);
    translate(rootOf(element));
    await learn(element);
    expectApproved(element);
  });

  it('is announced after each text node was removed', async () => {
    const element = await mount();
    await check(element);
    for (const text of textsIn(rootOf(element))) text.remove();
    await learn(element);
    expectApproved(element);
  });

  it.each([
    'section',
    'h3',
    '[part=outcome-text]',
    '[part=other-methods]',
    '[role=status]',
    'dialog',
    'h2',
  ])('is announced after %s was removed', async (selector) => {
    const element = await mount();
    await check(element);
    find(element, selector).remove();
    await learn(element);
    expectApproved(element);
    expect(find(element, selector).isConnected).toBe(true);
  });

  it('is announced after everything was re-created from its markup', async () => {
    const element = await mount();
    await check(element);
    const root = rootOf(element);
    root.innerHTML = root.innerHTML.replaceAll('We are', 'Wir');
    const known = outcome(element);
    // The visible button is a copy that the next update replaces.
    element.requestUpdate();
    await element.updateComplete;
    button(element).click();
    await known;
    await element.updateComplete;
    expectApproved(element);
  });
});

it.each([
  ['the dialog was', ['dialog']],
  ['the dialog and the button were', ['dialog', '#start']],
])('starts and shows the lender’s page after %s removed', async (_, removed) => {
  const element = await mount();
  await open(element);
  const left = outcome(element);
  element.close();
  await left;
  for (const selector of removed) find(element, selector).remove();
  element.start();
  await until(() => expect(heard(element)).toBe('Your application is ready.'));
  expect(isOpen(element)).toBe(true);
  expect(find(element, 'iframe').checkVisibility()).toBe(true);
});
