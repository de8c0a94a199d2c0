/*
 * The service's own SDK: a script from elsewhere, so everything about it can fail, and a page has
 * one of it for all its elements.
 */
import { fixture, html, oneEvent } from '@open-wc/testing';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { FakeCompanion, ticket } from './companion.fixture.ts';
import {
  button,
  dialog,
  find,
  mount,
  open,
  outcome,
  seen,
  shown,
  until,
  whileTimePasses,
} from './element.fixture.ts';
import type { FinancingCheckout, FinancingErrorEvent } from './index.ts';

interface Shown {
  readonly kind: string;
  readonly options: {
    readonly sessionToken: string;
    readonly onModalOpen: () => void;
    readonly onDataUpdate: (data: object, done?: (answer: object) => void) => void;
    readonly onConfirm: (data: object, done?: (answer: object) => void) => void;
    readonly callback: (token: string | null, data?: object, status?: object) => void;
  };
}
interface StandIn {
  init: (options: { apiKey: string }) => void;
  readonly asked: { readonly keys: string[]; readonly shown: Shown[] };
  readonly payments: { present: (...all: unknown[]) => unknown };
}

let companion: FakeCompanion;
let name: string;
let count = 0;

beforeEach(() => {
  sessionStorage.clear();
  companion = new FakeCompanion();
  companion.modes = ['embedded'];
  // An SDK of its own for each test: it stays in the page, as scripts do.
  name = `Sdk${++count}`;
  companion.sdk = { src: address(), global: name };
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  companion.restore();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const address = (manners = '') =>
  `${inject('hostedOrigin')}/sdk.js?${new URLSearchParams({ global: name, manners }).toString()}`;
const standIn = () => Reflect.get(globalThis, name) as StandIn;
const scripts = () => document.querySelectorAll(`script[src*="global=${name}&"]`).length;

async function present(element: FinancingCheckout, nth = 1): Promise<Shown> {
  button(element).click();
  await until(() =>
    expect((Reflect.get(globalThis, name) as StandIn | undefined)?.asked.shown.length).toBe(nth),
  );
  const shown = standIn().asked.shown[nth - 1];
  if (!shown) throw new Error('Nothing was presented.');
  return shown;
}

function codesOf(element: FinancingCheckout): string[] {
  const codes: string[] = [];
  element.addEventListener('financing-error', ({ code }: FinancingErrorEvent) => codes.push(code));
  return codes;
}

describe('the SDK', () => {
  it('is given the public key and the session, and its token is charged', async () => {
    const element = await mount({ presentation: 'sdk' });
    const { kind, options } = await present(element);
    expect(standIn().asked.keys).toEqual(['pk-test-1']);
    expect([kind, options.sessionToken]).toEqual(['checkout', 'session-of-checkout-1']);
    options.onModalOpen();
    await element.updateComplete;
    // Its own dialog is to be seen, not ours.
    expect(dialog(element).open).toBe(false);
    expect(seen(element)).toMatchObject({ title: 'Your application is open', action: '' });
    const ended = outcome(element);
    options.callback('token-1', {});
    expect(await ended).toMatchObject({ outcome: 'approved' });
    expect(companion.sent.at(-1)?.body).toMatchObject({ confirmationToken: 'token-1' });
  });

  it.each([
    ['CONSUMER_CANCELLED', 'cancelled'],
    ['BACK_TO_STORE', 'cancelled'],
    ['SOMETHING_NEW', 'cancelled'],
    ['APPLICATION_DECLINED', 'declined'],
    ['PENDING', 'pending'],
    ['SESSION_EXPIRED', 'expired'],
    ['SESSION_TIMEOUT', 'expired'],
    ['CREATE_APPLICATION_FAILED', 'failed'],
    ['internal_error', 'failed'],
  ] as const)(
    'without a token, %s is %s, and the companion has the last word',
    async (code, reason) => {
      // It cannot be asked: what the SDK said stands in.
      companion.instead(
        'cancellation',
        () => new Response('', { status: 500 }),
        () => new Response('', { status: 500 }),
      );
      const element = await mount({ presentation: 'sdk' });
      const { options } = await present(element);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const ended = outcome(element);
      options.callback(null, {}, { code, message: 'text for a person' });
      expect(await whileTimePasses(ended)).toMatchObject({ outcome: reason });
      expect(companion.count('confirmation')).toBe(0);
    },
  );

  it('without a token and without a status has failed, unless the companion knows better', async () => {
    companion.farewell = { status: 'approved' };
    const element = await mount({ presentation: 'sdk' });
    const { options } = await present(element);
    const ended = outcome(element);
    options.callback(null);
    expect(await ended).toMatchObject({ outcome: 'approved' });
  });

  it.each([null, ''])('with %j in place of a token, and no status, has failed', async (token) => {
    const element = await mount({ presentation: 'sdk' });
    const { options } = await present(element);
    const ended = outcome(element);
    options.callback(token);
    expect(await ended).toMatchObject({ outcome: 'failed' });
    expect(companion.count('confirmation')).toBe(0);
  });

  it.each([
    ['CREATE_APPLICATION_FAILED', 'failed'],
    ['SOMETHING_NEW', 'cancelled'],
  ] as const)(
    'without a token and %s, of which the service knows nothing, is %s',
    async (code, is) => {
      const element = await mount({ presentation: 'sdk' });
      const { options } = await present(element);
      const ended = outcome(element);
      options.callback(null, {}, { code, message: 'text for a person' });
      expect(await ended).toMatchObject({ outcome: is });
    },
  );

  it('that calls back twice, or after the shopper left, ends nothing a second time', async () => {
    const element = await mount({ presentation: 'sdk' });
    const { options } = await present(element);
    await element.updateComplete;
    const ended = outcome(element);
    find(element, '[part=second-button]').click();
    expect(await ended).toMatchObject({ outcome: 'cancelled' });
    options.callback('token-1');
    options.callback('token-2');
    await element.updateComplete;
    expect(companion.count('confirmation')).toBe(0);
    expect(seen(element).title).toBe('You left the application');
  });

  it.each(['onDataUpdate', 'onConfirm'] as const)(
    'is answered where it asks before it goes on: %s',
    async (step) => {
      const element = await mount({ presentation: 'sdk' });
      const { options } = await present(element);
      const done = vi.fn();
      options[step]({}, done);
      expect(done).toHaveBeenCalledWith({});
      expect(() => options[step]({})).not.toThrow();
    },
  );
});

describe('its script', () => {
  it('carries its integrity, and no credentials', async () => {
    const before = companion.sdk;
    companion.sdk = before && { ...before, integrity: 'sha384-wrong' };
    const element = await mount({ presentation: 'sdk embedded' });
    const added: HTMLScriptElement[] = [];
    vi.spyOn(document.head, 'append').mockImplementation(function (this: Element, ...nodes) {
      for (const node of nodes) {
        if (node instanceof HTMLScriptElement) added.push(node);
        this.appendChild(node as Node);
      }
    });
    button(element).click();
    await shown(element);
    expect(added[0]).toMatchObject({
      integrity: 'sha384-wrong',
      crossOrigin: 'anonymous',
      referrerPolicy: 'strict-origin',
    });
  });

  it('that is not what its integrity says does not run: the next presentation is taken', async () => {
    const digest = btoa(String.fromCharCode(...new Uint8Array(48)));
    companion.sdk = { src: address(), global: name, integrity: `sha384-${digest}` };
    const element = await mount({ presentation: 'sdk embedded' });
    const codes = codesOf(element);
    button(element).click();
    await shown(element);
    expect(codes).toEqual(['sdk-unreachable']);
    expect(Reflect.get(globalThis, name)).toBeUndefined();
    expect(scripts()).toBe(0);
  });

  it('that is blocked, with nothing after it, is calm; the next try loads it again', async () => {
    companion.sdk = { src: address('flaky'), global: name };
    const element = await mount({ presentation: 'sdk' });
    const codes = codesOf(element);
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'unavailable', retrySafe: true });
    await element.updateComplete;
    expect(seen(element).action).toBe('Try again');
    expect(codes).toEqual(['sdk-unreachable']);
    const { options } = await present(element);
    const approved = outcome(element);
    options.callback('token-1');
    expect(await approved).toMatchObject({ outcome: 'approved' });
    expect(companion.count('prime')).toBe(1);
  });

  it('that does not come in its time is given up', async () => {
    companion.sdk = { src: address('slow'), global: name };
    const element = await mount({ presentation: 'sdk embedded' });
    const codes = codesOf(element);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    button(element).click();
    await until(() => expect(scripts()).toBe(1));
    await vi.advanceTimersByTimeAsync(15_000);
    vi.useRealTimers();
    await shown(element);
    expect(codes).toEqual(['sdk-timeout']);
    expect(scripts()).toBe(0);
  });

  it.each(['', 'flaky'])('leaves no timer behind, whether it comes or not: %j', async (manners) => {
    companion.sdk = { src: address(manners), global: name };
    const element = await mount({ presentation: 'sdk embedded' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await (manners ? open(element) : present(element));
    expect(vi.getTimerCount()).toBe(0);
  });

  it('can be left while it is on its way, and presents nothing after', async () => {
    companion.sdk = { src: address('slow'), global: name };
    const element = await mount({ presentation: 'sdk' });
    button(element).click();
    await until(() => expect(scripts()).toBe(1));
    const ended = outcome(element);
    element.close();
    expect(await ended).toMatchObject({ outcome: 'cancelled' });
    const script = document.querySelector(`script[src*="global=${name}&"]`);
    const presented = vi.fn();
    Reflect.set(globalThis, name, { init: presented, payments: { present: presented } });
    script?.dispatchEvent(new Event('load'));
    await element.updateComplete;
    expect(presented).not.toHaveBeenCalled();
    script?.remove();
  });

  it('is loaded once for two elements, and initialised once', async () => {
    const one = await mount({ presentation: 'sdk', order: ticket('A-1') });
    const two = await mount({ presentation: 'sdk', order: ticket('A-2') });
    button(one).click();
    await present(two, 2);
    expect(scripts()).toBe(1);
    expect(standIn().asked.keys).toEqual(['pk-test-1']);
    expect(standIn().asked.shown).toHaveLength(2);
  });

  it('that the page has loaded by itself is not loaded again', async () => {
    const asked = { keys: [], shown: [] };
    const shown: unknown[] = asked.shown;
    Reflect.set(globalThis, name, {
      asked,
      init: () => undefined,
      payments: { present: (kind: string, options: object) => void shown.push({ kind, options }) },
    });
    const element = await mount({ presentation: 'sdk' });
    await present(element);
    expect(scripts()).toBe(0);
  });

  it.each([
    ['lacks init', () => ({ payments: { present: () => undefined } })],
    ['lacks present', () => ({ init: () => undefined, payments: {} })],
  ])('takes the place of what %s', async (_, value) => {
    Reflect.set(globalThis, name, value());
    await present(await mount({ presentation: 'sdk' }));
    expect(scripts()).toBe(1);
  });

  it('takes the place of a frame of that name, into which nobody sees', async () => {
    const frame = document.createElement('iframe');
    frame.name = name;
    frame.src = inject('hostedOrigin');
    const place = await fixture(html`<div></div>`);
    const loaded = oneEvent(frame, 'load');
    place.append(frame);
    await loaded;
    await present(await mount({ presentation: 'sdk' }));
  });

  it('that failed to initialise is initialised at the next try', async () => {
    const element = await mount({ presentation: 'sdk' });
    const init = vi.fn().mockImplementationOnce(() => {
      throw new Error('not yet');
    });
    const shown = vi.fn();
    Reflect.set(globalThis, name, { init, payments: { present: shown } });
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'unavailable', retrySafe: true });
    await element.updateComplete;
    button(element).click();
    await until(() => expect(shown).toHaveBeenCalledOnce());
    expect(init).toHaveBeenCalledTimes(2);
  });

  it('is not shared by elements with different keys: the second one is told, and goes on', async () => {
    const one = await mount({ presentation: 'sdk', order: ticket('A-1') });
    await present(one);
    const two = await mount({
      presentation: 'sdk embedded',
      order: ticket('A-2'),
      publicKey: 'pk-test-2',
    });
    const codes = codesOf(two);
    button(two).click();
    await shown(two);
    expect(codes).toEqual(['sdk-key-conflict']);
    expect(standIn().asked.keys).toEqual(['pk-test-1']);
    expect(standIn().asked.shown).toHaveLength(1);
  });

  it.each([
    ['sets no such global', () => undefined],
    ['is covered by an element of that name', () => document.createElement('form')],
    ['lacks what is needed', () => ({ init: () => undefined })],
  ])('that %s is not used', async (_, value) => {
    Reflect.set(globalThis, `${name}x`, value());
    companion.sdk = { src: address(), global: `${name}x` };
    const element = await mount({ presentation: 'sdk embedded' });
    const codes = codesOf(element);
    button(element).click();
    await shown(element);
    expect(codes).toEqual(['sdk-unusable']);
  });

  it.each([
    [
      'init',
      {
        init: () => {
          throw new Error('secret');
        },
        payments: { present: () => undefined },
      },
    ],
    [
      'present',
      {
        init: () => undefined,
        payments: {
          present: () => {
            throw new Error('secret');
          },
        },
      },
    ],
    [
      'present, later',
      { init: () => undefined, payments: { present: () => Promise.reject(new Error('secret')) } },
    ],
  ])('that throws in %s is passed over, and what it threw is not told on', async (_, sdk) => {
    Reflect.set(globalThis, name, sdk);
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const element = await mount({ presentation: 'sdk embedded' });
    button(element).click();
    await shown(element);
    expect(told.mock.calls.join()).toContain('sdk-unusable');
    expect(told.mock.calls.join()).not.toContain('secret');
  });

  it('that no policy of the page lets be added is passed over', async () => {
    vi.spyOn(document.head, 'append').mockImplementation(() => {
      throw new TypeError('blocked');
    });
    const element = await mount({ presentation: 'sdk embedded' });
    const codes = codesOf(element);
    button(element).click();
    await shown(element);
    expect(codes).toEqual(['sdk-unreachable']);
  });

  it('has one policy that vouches for it, which a page allows once, whatever its address', async () => {
    const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy: () => object } };
    if (!trustedTypes) throw new Error('The browser has no Trusted Types.');
    const made = vi.spyOn(trustedTypes, 'createPolicy');
    for (const order of ['A-1', 'A-2']) {
      name = `Sdk${++count}`;
      companion.sdk = { src: address(), global: name };
      await present(await mount({ presentation: 'sdk', order: ticket(order) }));
    }
    expect(made.mock.calls.length).toBeLessThanOrEqual(1);
  });

  it('on plain http is not loaded', async () => {
    companion.sdk = { src: 'http://lender.example/sdk.js', global: name };
    const element = await mount({ presentation: 'sdk embedded' });
    const codes = codesOf(element);
    button(element).click();
    await shown(element);
    expect(codes).toEqual(['sdk-unusable']);
  });
});
