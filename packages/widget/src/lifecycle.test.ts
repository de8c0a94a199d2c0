import { fixture, html, nextFrame } from '@open-wc/testing';
import { beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import type {
  Checkout as ContractCheckout,
  Problem,
} from '@financing-checkout/contract/storefront';
import type { Money as ContractMoney } from '@financing-checkout/contract/money';
import type * as contract from '@financing-checkout/contract/storefront';
import manifest from '../package.json' with { type: 'json' };
import { until } from './clock.fixture.ts';
import type { Checkout, Refusal } from './companion/answer.ts';
import { broken, COMPANION, FakeCompanion, ticket } from './companion.fixture.ts';
import {
  button,
  dialog,
  frame,
  frames,
  heard,
  isOpen,
  mount,
  onFrame,
  open,
  outcome,
  say,
  seen,
} from './element.fixture.ts';
import { FinancingCheckout, registerTexts } from './index.ts';
import type { Environment, Money, Outcome } from './index.ts';
import { checkout as english } from './texts/locales/en.ts';
import { formatMoney } from './texts/money.ts';

let companion: FakeCompanion;

beforeEach(() => {
  companion = new FakeCompanion();
});

describe('an element removed from the document', () => {
  it('aborts its request and fires no further event', async () => {
    const aborted = vi.fn();
    companion.instead('prime', (signal) => {
      signal.addEventListener('abort', aborted);
      return broken.never(signal);
    });
    const element = await mount();
    const said = vi.fn();
    element.addEventListener('financing-outcome', said);
    element.addEventListener('financing-error', said);
    button(element).click();
    await until(() => expect(companion.count('prime')).toBe(1));
    element.remove();
    await until(() => expect(aborted).toHaveBeenCalledOnce());
    expect(isOpen(element)).toBe(false);
    expect(said).not.toHaveBeenCalled();
  });

  it('leaves no frame, listener, timer or style behind', async () => {
    const listening = new Set<string>();
    const listen = vi.spyOn(globalThis, 'addEventListener');
    const listenHere = vi.spyOn(document, 'addEventListener');
    const listenSeen = vi.spyOn(visualViewport ?? globalThis, 'addEventListener');
    const unsized = vi.spyOn(ResizeObserver.prototype, 'disconnect');
    const element = await mount();
    const tall = await fixture<HTMLElement>(html`<div></div>`);
    tall.style.blockSize = '300vh';
    const sheets = document.adoptedStyleSheets.length;
    await open(element);
    expect(document.adoptedStyleSheets).toHaveLength(sheets + 1);
    element.remove();
    await vi.advanceTimersByTimeAsync(0);
    expect(frames(element)).toBe(0);
    expect(document.adoptedStyleSheets).toHaveLength(sheets);
    expect(vi.getTimerCount()).toBe(0);
    for (const [type, , options] of [
      ...listen.mock.calls,
      ...listenHere.mock.calls,
      ...listenSeen.mock.calls,
    ]) {
      const { signal } = options as AddEventListenerOptions;
      if (!signal?.aborted) listening.add(type);
    }
    expect(listen.mock.calls.map(([type]) => type)).toContain('message');
    expect([...listening]).toEqual([]);
    expect(unsized).toHaveBeenCalledOnce();
  });

  it('removes no style sheet that the page has adopted in the meantime', async () => {
    const element = await mount();
    const tall = await fixture<HTMLElement>(html`<div></div>`);
    tall.style.blockSize = '300vh';
    const before = [...document.adoptedStyleSheets];
    await open(element);
    const theme = new CSSStyleSheet();
    document.adoptedStyleSheets = [theme];
    element.remove();
    const after = [...document.adoptedStyleSheets];
    document.adoptedStyleSheets = before;
    expect(after).toEqual([theme]);
  });

  it('starts nothing when it is removed before the start', async () => {
    const element = await mount();
    element.addEventListener('financing-start', () => element.remove());
    element.start();
    await nextFrame();
    expect(isOpen(element)).toBe(false);
    expect(companion.sent).toEqual([]);
  });

  it('shows nothing when it is removed while the checkout is opened', async () => {
    const element = await mount();
    const framed = vi.fn();
    onFrame(element, framed);
    companion.instead('prime', () => {
      const response = Response.json((companion.checkout = companion.opened('checkout-1')));
      vi.spyOn(response, 'text').mockImplementation(() => {
        queueMicrotask(() => element.remove());
        return Promise.resolve(JSON.stringify(companion.checkout));
      });
      return response;
    });
    button(element).click();
    await until(() => expect(element.isConnected).toBe(false));
    await open(await mount({ order: ticket('A-1002') }));
    expect(framed).not.toHaveBeenCalled();
  });

  it('cannot be started', () => {
    expect(() => new FinancingCheckout().start()).toThrow('must be in a document');
  });

  it('can be started before its first render', async () => {
    const element = document.createElement('financing-checkout');
    Object.assign(element, {
      publicKey: 'pk-test-1',
      environment: 'sandbox',
      companion: COMPANION,
      order: ticket(),
    });
    document.body.append(element);
    element.start();
    await until(() => expect(companion.count('prime')).toBe(1));
    expect(isOpen(element)).toBe(true);
    element.remove();
  });
});

describe('an element configured before the tag is defined', () => {
  function late(tag: string, over: Partial<FinancingCheckout>): FinancingCheckout {
    const element = document.createElement(tag);
    const settings = { publicKey: 'pk-test-1', environment: 'sandbox', companion: COMPANION };
    Object.assign(element, settings, { order: ticket() }, over);
    document.body.append(element);
    customElements.define(tag, class extends FinancingCheckout {});
    if (!(element instanceof FinancingCheckout)) throw new Error('It is not upgraded.');
    return element;
  }

  it('is disabled and does not start', () => {
    const element = late('financing-late-disabled', { disabled: true });
    element.start();
    expect(isOpen(element)).toBe(false);
    element.remove();
  });

  it('opens its window within the click', () => {
    const opening = vi.spyOn(window, 'open').mockReturnValue(null);
    const element = late('financing-late-popup', { presentation: 'popup' });
    element.start();
    expect(opening).toHaveBeenCalledOnce();
    element.remove();
  });
});

describe('in a disabled fieldset', () => {
  it('the element does not start, not even in the same tick', async () => {
    const fieldset = await fixture<HTMLFieldSetElement>(html`<fieldset></fieldset>`);
    const element = await mount();
    fieldset.append(element);
    fieldset.disabled = true;
    const starts = vi.fn();
    element.addEventListener('financing-start', starts);
    button(element).click();
    expect(starts).not.toHaveBeenCalled();
  });

  it('the button is disabled and enabled with the fieldset', async () => {
    const fieldset = await fixture<HTMLFieldSetElement>(html`<fieldset></fieldset>`);
    const element = await mount();
    fieldset.append(element);
    fieldset.disabled = true;
    await until(() => expect(button(element).disabled).toBe(true));
    element.start();
    expect(companion.sent).toEqual([]);
    fieldset.disabled = false;
    await until(() => expect(button(element).disabled).toBe(false));
  });

  it('during a checkout the shopper stays on the lender’s page', async () => {
    const fieldset = await fixture<HTMLFieldSetElement>(html`<fieldset></fieldset>`);
    const element = await mount();
    fieldset.append(element);
    const held = await open(element);
    held.focus();
    fieldset.disabled = true;
    await element.updateComplete;
    await nextFrame();
    expect(element.shadowRoot?.activeElement).toBe(held);
    expect(isOpen(element)).toBe(true);
  });

  it('an element in the first legend stays enabled, like any control', async () => {
    const fieldset = await fixture<HTMLFieldSetElement>(
      html`<fieldset disabled><legend></legend></fieldset>`,
    );
    const element = await mount();
    fieldset.querySelector('legend')?.append(element);
    await element.updateComplete;
    expect(button(element).disabled).toBe(false);
  });
});

it('keeps its dialog and the lender’s page when moved by moveBefore()', async () => {
  const place = await fixture<HTMLElement>(html`<div lang="de"></div>`);
  const element = await mount();
  const loads = vi.fn();
  element.shadowRoot?.addEventListener('load', loads, { capture: true });
  const held = await open(element);
  // The page sends `ready` before it has loaded completely.
  await until(() => expect(loads).toHaveBeenCalledTimes(1));
  place.moveBefore(element, null);
  await nextFrame();
  expect(dialog(element).matches(':modal')).toBe(true);
  expect(frame(element)).toBe(held);
  expect(loads).toHaveBeenCalledTimes(1);
  // The new parent has another language.
  await until(() => expect(dialog(element).querySelector('h2')?.textContent).toBe('Ratenzahlung'));
  say(element, { type: 'confirmed', confirmationToken: 'token-1' });
  expect(await outcome(element)).toMatchObject({ outcome: 'approved' });
});

describe('several elements', () => {
  it('in their own shadow roots do not affect each other', async () => {
    const host = await fixture(html`<div></div>`);
    const root = host.attachShadow({ mode: 'open' });
    const one = await mount({ order: ticket('A-1') });
    const two = await mount({ order: ticket('A-2') });
    root.append(one, two);
    await two.updateComplete;
    await open(two);
    expect(isOpen(one)).toBe(false);
    const said = vi.fn();
    one.addEventListener('financing-outcome', said);
    const ended = outcome(two);
    say(two, { type: 'confirmed', confirmationToken: 'token-1' });
    await ended;
    expect(said).not.toHaveBeenCalled();
    expect(seen(one).action).toBe('Pay over time');
  });

  it('can be defined twice, with a warning if the versions differ', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await import(new URL('./define.ts?again=1', import.meta.url).href);
    expect(warned).not.toHaveBeenCalled();
    expect(customElements.get('financing-checkout')).toBe(FinancingCheckout);
    const other = class extends HTMLElement {
      static readonly version = '0.0.1';
    };
    vi.spyOn(customElements, 'get').mockReturnValue(other);
    await import(new URL('./define.ts?again=2', import.meta.url).href);
    expect(warned).toHaveBeenCalledOnce();
  });
});

it('shows the button when the page resets the element on its outcome', async () => {
  const element = await mount();
  element.addEventListener('financing-outcome', () => element.reset());
  await open(element);
  const ended = outcome(element);
  say(element, { type: 'confirmed', confirmationToken: 'token-1' });
  await ended;
  await element.updateComplete;
  expect(seen(element)).toEqual({ title: '', text: '', action: 'Pay over time' });
});

// A language stays in the page once it is added, so none of these is built in.
describe('texts', () => {
  it('can be the shop’s own, except the warnings against paying twice', async () => {
    const element = await mount();
    element.texts = Object.assign({ label: 'In 12 Raten' }, { checking: 'Pay again!' });
    await element.updateComplete;
    expect(seen(element).action).toBe('In 12 Raten');
    companion.verdict = { status: 'unavailable', retrySafe: false };
    await open(element);
    const ended = outcome(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    await ended;
    await element.updateComplete;
    expect(seen(element).text).toBe(english.checking);
  });

  it('of another language load when needed, including right-to-left ones', async () => {
    const load = vi.fn(() =>
      Promise.resolve({ ...english, lang: 'fa', dir: 'rtl' as const, label: 'پرداخت اقساطی' }),
    );
    registerTexts('fa', load);
    const other = await mount();
    expect(load).not.toHaveBeenCalled();
    other.locale = 'fa-IR';
    await until(() => expect(seen(other).action).toBe('پرداخت اقساطی'));
    const root = other.shadowRoot?.querySelector('div');
    expect([root?.lang, root?.dir]).toEqual(['fa-IR', 'rtl']);
    await open(other);
    const close = other.shadowRoot?.querySelector('[part=close]')?.getBoundingClientRect();
    const whole = dialog(other).getBoundingClientRect();
    expect((close?.left ?? Infinity) - whole.left).toBeLessThan(whole.width / 2);
    expect(companion.sent[0]?.body).toMatchObject({ locale: 'fa-IR' });
  });

  it('that are added later are used once the element’s locale is set', async () => {
    const page = await fixture<HTMLElement>(html`<div lang="eu"></div>`);
    const element = document.createElement('financing-checkout');
    page.append(element);
    await element.updateComplete;
    registerTexts('eu', () => Promise.resolve({ ...english, lang: 'eu', label: 'Ordaindu epeka' }));
    await element.updateComplete;
    expect(seen(element).action).toBe('Pay over time');
    element.locale = 'eu';
    await until(() => expect(seen(element).action).toBe('Ordaindu epeka'));
  });

  it('follow the nearest lang, also from within a shadow root', async () => {
    const host = await fixture<HTMLElement>(html`<div lang="de-AT"><p></p></div>`);
    const root = host.querySelector('p')?.attachShadow({ mode: 'open' });
    const element = document.createElement('financing-checkout');
    root?.append(element);
    await until(() => expect(element.shadowRoot?.querySelector('div')?.lang).toBe('de-AT'));
  });

  it('that load while the shopper presses the button are kept', async () => {
    const loaded = Promise.withResolvers<typeof english>();
    registerTexts('cy', () => loaded.promise);
    const element = await mount();
    element.locale = 'cy';
    await element.updateComplete;
    button(element).click();
    loaded.resolve({ ...english, lang: 'cy', ready: 'Mae eich cais yn barod.' });
    await until(() => expect(heard(element)).toBe('Mae eich cais yn barod.'));
    expect(dialog(element).closest('[lang]')?.getAttribute('lang')).toBe('cy');
  });

  it('that load after the language changed again are not used', async () => {
    const slow = Promise.withResolvers<typeof english>();
    registerTexts('ga', () => slow.promise);
    registerTexts('gd', () => Promise.resolve({ ...english, lang: 'gd', label: 'Pàigh' }));
    const element = await mount();
    element.locale = 'ga';
    await element.updateComplete;
    element.locale = 'gd';
    await until(() => expect(seen(element).action).toBe('Pàigh'));
    slow.resolve({ ...english, lang: 'ga', label: 'Íoc' });
    await nextFrame();
    expect(seen(element).action).toBe('Pàigh');
  });

  it('fall back to English when they do not load', async () => {
    registerTexts('br', () => Promise.reject(new Error('offline')));
    const element = await mount();
    element.locale = 'br';
    await element.updateComplete;
    expect(seen(element).action).toBe('Pay over time');
  });
});

it.each([
  [{ value: 129_900, currency: 'USD' }, '$1,299.00'],
  [{ value: 5, currency: 'EUR' }, '€0.05'],
  [{ value: 1_500, currency: 'JPY' }, '¥1,500'],
  [{ value: 1_500, currency: 'KWD' }, 'KWD\u00a01.500'],
  // Customary formats with fewer decimals than ISO 4217 must not lose minor units.
  [{ value: 1_550, currency: 'AFN' }, 'AFN\u00a015.50'],
])('formats %o as %s', (money, expected) => {
  expect(formatMoney(money, 'en')).toBe(expected);
});

it('has the same types as the contract', () => {
  expectTypeOf<Environment>().toEqualTypeOf<contract.Environment>();
  expectTypeOf<Outcome>().toEqualTypeOf<contract.Outcome>();
  expectTypeOf<Checkout['status']>().toEqualTypeOf<contract.CheckoutStatus>();
  expectTypeOf<ContractMoney>().toExtend<Money>();
  expectTypeOf<ContractCheckout>().toExtend<Checkout>();
  expectTypeOf<Problem>().toExtend<Refusal>();
  expect(FinancingCheckout.version).toBe(manifest.version);
});
