/*
 * The script of the service's own SDK. It comes from another site, so any part of it can fail. All
 * elements of a page share it.
 */
import { fixture, html, oneEvent } from '@open-wc/testing';
import { describe, expect, inject, it, vi } from 'vitest';
import { until, whileTimePasses } from './clock.fixture.ts';
import { ticket } from './companion.fixture.ts';
import { button, mount, outcome, shown } from './element.fixture.ts';
import type * as ScriptModule from './presentations/script.ts';
import {
  address,
  codesOf,
  companion,
  name,
  present,
  presented,
  renew,
  scripted,
  scripts,
  useScriptedSdk,
} from './sdk.fixture.ts';

useScriptedSdk();

describe('the script of the SDK', () => {
  it('loads without crossorigin from a server without CORS headers, bypassing caches', async () => {
    renew('no-cors');
    await present(await mount({ presentation: 'sdk' }));
    const [script] = scripts();
    expect(script?.crossOrigin).toBeNull();
    expect(script?.integrity).toBe('');
    const time = Number(new URL(script?.src ?? '').searchParams.get('t'));
    expect(Math.abs(Date.now() - time)).toBeLessThan(60_000);
  });

  it('with an integrity hash is requested at its unchanged URL', async () => {
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
      src: companion.sdk?.src,
      integrity: 'sha384-wrong',
      crossOrigin: 'anonymous',
      referrerPolicy: 'strict-origin',
    });
  });

  it('does not run when its integrity does not match: the next presentation is used', async () => {
    const digest = btoa(String.fromCharCode(...new Uint8Array(48)));
    companion.sdk = { src: address(), global: name, integrity: `sha384-${digest}` };
    const element = await mount({ presentation: 'sdk embedded' });
    const codes = codesOf(element);
    button(element).click();
    await shown(element);
    expect(codes).toEqual(['sdk-unreachable']);
    expect(Reflect.get(globalThis, name)).toBeUndefined();
    expect(scripts().length).toBe(0);
  });

  it.each(['', 'flaky'])('leaves no timer behind, whether it loads or not: %j', async (manners) => {
    renew(manners);
    const element = await mount({ presentation: 'sdk embedded' });
    if (manners) {
      button(element).click();
      await shown(element);
    } else await present(element);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('can be left while it loads, and presents nothing afterward', async () => {
    companion.sdk = { src: address('slow'), global: name };
    const element = await mount({ presentation: 'sdk' });
    button(element).click();
    await until(() => expect(scripts().length).toBe(1));
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

  it('loads and initializes once for two elements', async () => {
    const one = await mount({ presentation: 'sdk', order: ticket('A-1') });
    const two = await mount({ presentation: 'sdk', order: ticket('A-2') });
    button(one).click();
    await present(two, 2);
    expect(scripts().length).toBe(1);
    expect(scripted().asked.keys).toEqual(['pk-test-1']);
    expect(scripted().asked.shown).toHaveLength(2);
  });

  it('replaces a global variable without init', async () => {
    Reflect.set(globalThis, name, { payments: { present: () => undefined } });
    await present(await mount({ presentation: 'sdk' }));
    expect(scripts().length).toBe(1);
  });

  it('replaces a cross-origin frame of that name', async () => {
    const frame = document.createElement('iframe');
    frame.name = name;
    frame.src = inject('hostedOrigin');
    const place = await fixture(html`<div></div>`);
    const loaded = oneEvent(frame, 'load');
    place.append(frame);
    await loaded;
    await present(await mount({ presentation: 'sdk' }));
  });

  it('is initialized before it presents', async () => {
    renew('init-hangs');
    const element = await mount({ presentation: 'sdk' });
    button(element).click();
    await until(() => expect(scripted().asked.keys).toEqual(['pk-test-1']));
    await vi.advanceTimersByTimeAsync(200);
    expect(scripted().asked.shown).toEqual([]);
  });

  it('can be used once it calls onLoaded', async () => {
    const element = await mount({ presentation: 'sdk' });
    const append = document.head.append.bind(document.head);
    vi.spyOn(document.head, 'append').mockImplementation((script) => {
      append(script);
      (script as HTMLElement).addEventListener(
        'load',
        () => {
          Object.assign(scripted(), {
            init: ({ onLoaded }: { onLoaded: () => void }) => {
              onLoaded();
              return new Promise(() => undefined);
            },
          });
        },
        { capture: true },
      );
    });
    await present(element);
    expect(scripted().asked.shown.length).toBe(1);
  });

  it('is not shared by elements with different keys: the second one reports it and continues', async () => {
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
    expect(scripted().asked.keys).toEqual(['pk-test-1']);
    expect(scripted().asked.shown).toHaveLength(1);
  });

  it('needs one Trusted Types policy, which the page allows once for any URL', async () => {
    const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy: () => object } };
    if (!trustedTypes) throw new Error('The browser has no Trusted Types.');
    const made = vi.spyOn(trustedTypes, 'createPolicy');
    for (const order of ['A-1', 'A-2']) {
      renew();
      await present(await mount({ presentation: 'sdk', order: ticket(order) }));
    }
    expect(made.mock.calls.length).toBeLessThanOrEqual(1);
  });

  it('has a policy that accepts only addresses that a companion has named', async () => {
    interface Rules {
      createScriptURL: (url: string) => string;
    }
    const { trustedTypes } = globalThis as {
      trustedTypes?: { createPolicy: (name: string, rules: Rules) => Rules };
    };
    if (!trustedTypes) throw new Error('The browser has no Trusted Types.');
    let vouch: Rules['createScriptURL'] | undefined;
    vi.spyOn(trustedTypes, 'createPolicy').mockImplementation((_, rules) => {
      vouch = rules.createScriptURL;
      return rules;
    });
    // A separate module: the module of the other tests has created its policy.
    const file = './presentations/script.ts?policy';
    const { loadScript } = (await import(/* @vite-ignore */ file)) as typeof ScriptModule;
    const named = new URL(address());
    await loadScript(named, undefined);
    expect(vouch?.(`${named.href}&t=1`)).toBe(`${named.href}&t=1`);
    for (const other of [
      'https://evil.example/sdk.js',
      `${named.origin}/another.js`,
      `${named.origin}${named.pathname}x`,
      `https://evil.example/?${named.href}`,
      'data:text/javascript,0',
      '',
    ]) {
      expect(() => vouch?.(other)).toThrow(TypeError);
    }
  });
});

describe('a page that loads the script itself', () => {
  /** Sets the global variable as a script of the page would. */
  function byPage(over: object = {}) {
    const init = vi.fn();
    const presenting = vi.fn();
    const dispose = vi.fn();
    const payments = { present: presenting };
    Reflect.set(globalThis, name, { init, dispose, payments, ...over });
    return { init, presenting, dispose };
  }
  const press = async (element: Awaited<ReturnType<typeof mount>>) => {
    button(element).click();
    await element.updateComplete;
  };

  it('keeps its settings: nothing is loaded or initialized again', async () => {
    const { init, presenting } = byPage();
    await press(await mount({ presentation: 'sdk' }));
    await until(() => expect(presenting).toHaveBeenCalledOnce());
    expect(init).not.toHaveBeenCalled();
    expect(scripts().length).toBe(0);
  });

  it('is awaited while its script still loads', async () => {
    const element = await mount({ presentation: 'sdk' });
    const tag = document.createElement('script');
    tag.src = companion.sdk?.src ?? '';
    // Loads from the page's own script tag, with the page's query.
    companion.sdk = { src: address().split('?')[0] ?? '', global: name };
    document.body.append(tag);
    await press(element);
    await presented(1);
    expect(scripted().asked.keys).toEqual([]);
    tag.remove();
  });

  it('with the same key in cfg is used', async () => {
    const { presenting } = byPage({ cfg: { apiKey: 'pk-test-1' } });
    await press(await mount({ presentation: 'sdk' }));
    await until(() => expect(presenting).toHaveBeenCalledOnce());
  });

  it('keeps its dialog open until the shopper closes it', async () => {
    const { dispose, presenting } = byPage();
    const element = await mount({ presentation: 'sdk' });
    await press(element);
    await until(() => expect(presenting).toHaveBeenCalledOnce());
    const ended = outcome(element);
    element.close();
    expect(await whileTimePasses(ended)).toMatchObject({ outcome: 'cancelled' });
    expect(dispose).not.toHaveBeenCalled();
  });
});
