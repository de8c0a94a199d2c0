/* The texts of an element follow the language of its page, wherever and whenever it changes. */
import { fixture, html, nextFrame } from '@open-wc/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from './clock.fixture.ts';
import { FakeCompanion } from './companion.fixture.ts';
import { button, find, mount, open, outcome, say, seen } from './element.fixture.ts';
import { registerTexts } from './index.ts';
import type { FinancingCheckout } from './index.ts';
import { checkout as english } from './texts/locales/en.ts';

let companion: FakeCompanion;

beforeEach(() => {
  companion = new FakeCompanion();
});

const words = { de: 'In Raten zahlen', es: 'Pagar a plazos', fr: 'Payer en plusieurs fois' };

/** Waits until an element shows its texts in a language. */
async function speaks(element: FinancingCheckout, lang: keyof typeof words): Promise<void> {
  await until(() => expect(seen(element).action).toBe(words[lang]));
  expect(find(element, 'div').lang).toBe(lang);
}

describe('a change of language is followed', () => {
  it('when the page sets it', async () => {
    const element = await mount();
    document.documentElement.lang = 'de';
    await speaks(element, 'de');
    document.documentElement.lang = 'es';
    await speaks(element, 'es');
  });

  it('when a parent of the element or of its shadow root sets it', async () => {
    const outer = await fixture<HTMLElement>(html`<div><p></p></div>`);
    const inner = outer.querySelector('p')?.attachShadow({ mode: 'open' });
    const element = document.createElement('financing-checkout');
    const near = document.createElement('div');
    near.append(element);
    inner?.append(near);
    outer.lang = 'de';
    await speaks(element, 'de');
    near.lang = 'es';
    await speaks(element, 'es');
    near.removeAttribute('lang');
    await speaks(element, 'de');
  });

  it('when the element moves', async () => {
    const [from, to] = await Promise.all(
      ['de', 'fr'].map((lang) => fixture<HTMLElement>(html`<div lang=${lang}></div>`)),
    );
    const element = document.createElement('financing-checkout');
    from?.append(element);
    await speaks(element, 'de');
    to?.append(element);
    await speaks(element, 'fr');
  });

  it('in every text of a notice', async () => {
    const element = await mount();
    companion.farewell = { status: 'declined' };
    await open(element);
    const ended = outcome(element);
    say(element, { type: 'ended', reason: 'declined' });
    await ended;
    document.documentElement.lang = 'de';
    await until(() => expect(seen(element).title).toBe('Diesmal kein Angebot'));
  });

  it('but not in an element with its own locale', async () => {
    const element = await mount();
    element.locale = 'es';
    await speaks(element, 'es');
    document.documentElement.lang = 'de';
    await nextFrame();
    await speaks(element, 'es');
  });

  it('but not in a removed element, which loads nothing', async () => {
    const load = vi.fn(() => Promise.resolve({ ...english, lang: 'is' }));
    registerTexts('is', load);
    const element = await mount();
    element.remove();
    document.documentElement.lang = 'is';
    await nextFrame();
    expect(load).not.toHaveBeenCalled();
  });
});

describe('Chinese', () => {
  it.each([
    ['zh-TW', '關閉', 'zh-Hant-TW'],
    ['zh-Hant-HK', '關閉', 'zh-Hant-HK'],
    ['zh-MO', '關閉', 'zh-Hant-MO'],
    ['zh-CN', '关闭', 'zh-Hans-CN'],
    ['zh-Latn', 'Close', 'en'],
  ])('for %s uses the right script, and is labeled with it', async (lang, close, own) => {
    document.documentElement.lang = lang;
    const element = await mount();
    button(element).click();
    await until(() => expect(find(element, '[part=close]').ariaLabel).toBe(close));
    expect(find(element, 'div').lang).toBe(own);
    // The next test would continue a checkout that is still being opened.
    const ended = outcome(element);
    element.close();
    await ended;
  });
});

describe('the lender’s page receives', () => {
  it.each([
    ['de-DE', 'de-DE'],
    ['de_DE', 'de-DE'],
    ['zh_Hant_TW', 'zh-Hant-TW'],
    // The companion would refuse both values. The lender's page chooses its own language if it
    // receives none.
    ['de.DE', undefined],
    [`de-${'abcdefgh-'.repeat(4)}x`, undefined],
  ])('the language of an element whose locale is %s as %s', async (locale, expected) => {
    const element = await mount();
    element.locale = locale;
    element.start();
    // The helper does not know the announcement in other languages.
    await until(() => expect(element.shadowRoot?.querySelector('iframe')).not.toBeNull());
    const prime = companion.sent.find(({ route }) => route === 'prime');
    expect((prime?.body as { locale?: string } | undefined)?.locale).toBe(expected);
    expect(prime).toBeDefined();
    const ended = outcome(element);
    element.close();
    await ended;
  });
});

it('keeps the notice and the focus when another part of the page changes its language', async () => {
  const element = await mount();
  companion.farewell = { status: 'declined' };
  await open(element);
  const ended = outcome(element);
  say(element, { type: 'ended', reason: 'declined' });
  await ended;
  await element.updateComplete;
  const notice = find(element, 'section');
  const hidden = vi.fn();
  new MutationObserver(hidden).observe(notice, { attributes: true });
  const other = await fixture<HTMLElement>(html`<p></p>`);
  other.lang = 'es';
  await nextFrame();
  await nextFrame();
  expect(hidden).not.toHaveBeenCalled();
  expect(seen(element).title).toBe('No offer this time');
  expect(element.shadowRoot?.activeElement).toBe(find(element, 'h3'));
});
