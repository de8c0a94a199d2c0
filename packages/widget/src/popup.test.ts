/*
 * The hosted page in a window: it opens within the click, and the shopper can always continue, no matter
 * what happens to the window.
 */
import { nextFrame } from '@open-wc/testing';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { MockInstance } from 'vitest';
import { until, whileTimePasses } from './clock.fixture.ts';
import { broken, FakeCompanion } from './companion.fixture.ts';
import {
  button,
  find,
  heard,
  isOpen,
  mount,
  open,
  outcome,
  seen,
  shown,
} from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';
import { rowsOf } from './journey.fixture.ts';
import { openedWindow, readyInWindow } from './window.fixture.ts';

/** The members of a window that the widget uses. */
interface UsedWindow {
  closed: boolean;
  location: { replace: (url: string) => void };
  focus: () => void;
  postMessage: (message: unknown, origin: string) => void;
  close: () => void;
}

/** A fake window that records calls and that no browser closes. */
function pretended(): UsedWindow {
  const location = { replace: vi.fn() };
  return { closed: false, location, focus: vi.fn(), postMessage: vi.fn(), close: vi.fn() };
}

let companion: FakeCompanion;
let opening: MockInstance<typeof window.open>;

beforeEach(() => {
  companion = new FakeCompanion();
  companion.modes = ['embedded', 'popup'];
  opening = vi.spyOn(window, 'open');
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

async function start(element: FinancingCheckout): Promise<void> {
  button(element).click();
  await readyInWindow();
  await element.updateComplete;
}

const say = (message: object) => openedWindow().postMessage({ say: message }, '*');
const second = (element: FinancingCheckout) => find(element, '[part=second-button]');
const confirmed = { type: 'confirmed', confirmationToken: 'token-1' };

describe('the window', () => {
  it('opens within the click, shows a waiting text, and hides everything else', async () => {
    companion.instead('prime', broken.never);
    const element = await mount({ presentation: 'popup' });
    button(element).click();
    expect(opening).toHaveBeenCalledOnce();
    const [address, name, features] = opening.mock.calls[0] ?? [];
    expect([address, name]).toEqual(['', expect.stringMatching(/^financing-checkout:\w+$/)]);
    // Centered in the page's window.
    const left = screenX + (outerWidth - 480) / 2;
    expect(features).toBe(`popup,width=480,height=760,left=${left}`);
    expect(openedWindow().document.body.textContent).toBe('Opening your application…');
    expect(openedWindow().document.title).toBe('Opening your application…');
    const { colorScheme, display } = getComputedStyle(openedWindow().document.documentElement);
    expect([colorScheme, display]).toEqual(['light dark', 'grid']);
    await element.updateComplete;
    expect(isOpen(element)).toBe(false);
    // The texts of the notice have not loaded.
    expect(seen(element).action).toBe('One moment…');
    await until(() => expect(seen(element).title).toBe('Your application is open'));
    expect(heard(element)).toContain('Your application is open');
  });

  it('shows the waiting text right-to-left in such a language', async () => {
    companion.instead('prime', broken.never);
    const element = await mount({ presentation: 'popup' });
    element.locale = 'ar';
    await until(() => expect(find(element, '[lang]').lang).toBe('ar'));
    button(element).click();
    expect(openedWindow().document.body.textContent).toMatch(/\p{Script=Arabic}/u);
    expect(getComputedStyle(openedWindow().document.body).direction).toBe('rtl');
  });

  it('cannot navigate the page unasked: the browser asks the shopper while it is open', async () => {
    const isAsked = () => {
      const leaving = new Event('beforeunload', { cancelable: true });
      dispatchEvent(leaving);
      return leaving.defaultPrevented;
    };
    const element = await mount({ presentation: 'popup' });
    expect(isAsked()).toBe(false);
    await start(element);
    expect(isAsked()).toBe(true);
    const ended = outcome(element);
    openedWindow().close();
    expect(isAsked()).toBe(false);
    await whileTimePasses(ended);
    expect(isAsked()).toBe(false);
  });

  it('closes with the element', async () => {
    const element = await mount({ presentation: 'popup' });
    await start(element);
    element.remove();
    await until(() => expect(openedWindow().closed).toBe(true));
  });

  it('closes within a reset, so that the next click does not reuse it', async () => {
    const element = await mount({ presentation: 'popup' });
    const closed = new Promise<boolean>((resolve) => {
      // The code for the window is still loading when the presentation marks its checkout as open.
      vi.spyOn(navigator.locks, 'request').mockImplementation(() => {
        queueMicrotask(() => {
          element.reset();
          resolve(openedWindow().closed);
        });
        return Promise.resolve(undefined as never);
      });
    });
    button(element).click();
    expect(await closed).toBe(true);
  });

  it('is brought to the front, and its `close` message goes to the lender’s origin only', async () => {
    const opened = pretended();
    opening.mockReturnValue(opened as Window);
    const element = await mount({ presentation: 'popup' });
    button(element).click();
    await until(() => expect(seen(element).action).toBe('Show the window'));
    button(element).click();
    expect(opened.focus).toHaveBeenCalledOnce();
    element.close();
    await until(() => expect(opened.postMessage).toHaveBeenCalledOnce());
    const message = { protocol: 'financing-checkout', version: 1, type: 'close' };
    expect(opened.postMessage).toHaveBeenCalledWith(
      { ...message, session: 'session-of-checkout-1' },
      inject('hostedOrigin'),
    );
  });

  it('of another session is ignored', async () => {
    const element = await mount({ presentation: 'popup' });
    await start(element);
    const ended = outcome(element);
    say({ ...confirmed, session: 'another', confirmationToken: 'forged' });
    say(confirmed);
    await ended;
    const bodies = companion.sent.filter(({ route }) => route === 'confirmation');
    expect(bodies.map(({ body }) => body)).toEqual([
      { confirmationToken: 'token-1', order: element.order },
    ]);
  });
});

describe('a blocked window', () => {
  const closed = () => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const { contentWindow } = frame;
    frame.remove();
    return contentWindow;
  };

  it.each([
    ['is none', () => null],
    ['is closed at once', closed],
    ['is the page’s own', () => window],
  ])('%s: the next presentation is used', async (_, answer) => {
    opening.mockImplementation(answer);
    const element = await mount({ presentation: 'popup embedded' });
    const { title } = document;
    button(element).click();
    await shown(element);
    expect(isOpen(element)).toBe(true);
    expect(document.title).toBe(title);
    expect(opening).toHaveBeenCalledOnce();
  });

  const systems: Readonly<Record<string, string>> = {
    iPhone: '(iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)',
    Mac: '(Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
    Android: '(Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko)',
    'Android web view': '(Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko)',
    Linux: '(X11; Linux x86_64; rv:128.0) Gecko/20100101',
  };

  // A web view of an app opens the window in place of the page, or not at all.
  it.each(
    rowsOf(`
WKWebView on an iPhone | 0 | iPhone | Mobile/15E148
WKWebView on an iPad or a Mac | 0 | Mac |
Instagram | 0 | iPhone | Mobile/15E148 Instagram 300.0.0.0 (iPhone14,5; iOS 17_1)
TikTok | 0 | iPhone | Mobile/21B74 musical_ly_32.0.0 JsSdk/2.0 NetType/WIFI Channel/App Store
LINE | 0 | iPhone | Mobile/15E148 Safari Line/13.19.0
Snapchat | 0 | iPhone | Version/17.1 Mobile/15E148 Snapchat/12.65.0.37 (like Safari/8617.1, panda)
Pinterest | 0 | iPhone | Mobile/15E148 [Pinterest/iOS]
LinkedIn | 0 | iPhone | Mobile/15E148 [LinkedInApp]/9.28.7586
WeChat | 0 | iPhone | Mobile/15E148 MicroMessenger/8.0.42(0x18002a2e) NetType/WIFI Language/en
an app on Android | 0 | Android web view | Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36
an older app | 0 | Android | Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36 trill_320
Safari on an iPhone | 1 | iPhone | Version/17.1 Mobile/15E148 Safari/604.1
Safari on an iPad or a Mac | 1 | Mac | Version/17.1 Safari/605.1.15
Chrome on an iPhone | 1 | iPhone | CriOS/120.0.6099.119 Mobile/15E148 Safari/604.1
Firefox on an iPhone | 1 | iPhone | FxiOS/120.0 Mobile/15E148 Safari/605.1.15
Edge on an iPhone | 1 | iPhone | Version/17.0 EdgiOS/130.0.2849.80 Mobile/15E148 Safari/605.1.15
Chrome on Android | 1 | Android | Chrome/120.0.0.0 Mobile Safari/537.36
Samsung Internet | 1 | Android | SamsungBrowser/23.0 Chrome/115.0.0.0 Mobile Safari/537.36
Firefox | 1 | Linux | Firefox/128.0
`),
  )('%s opens %s windows', async (_, windows, system = '', browser = '') => {
    const agent = `Mozilla/5.0 ${systems[system]} ${browser}`.trim();
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(agent);
    const element = await mount({ presentation: 'popup embedded' });
    await (windows === '0' ? open(element) : start(element));
    expect(opening).toHaveBeenCalledTimes(Number(windows));
  });
});

describe('a page that isolates itself (Cross-Origin-Opener-Policy)', () => {
  it('can still be left when it is blocked the second time', async () => {
    const opened = pretended();
    opening.mockReturnValueOnce(opened as Window);
    const element = await mount({ presentation: 'popup' });
    button(element).click();
    await until(() => expect(opened.location.replace).toHaveBeenCalledOnce());
    opened.closed = true;
    opening.mockReturnValueOnce(null);
    await element.updateComplete;
    button(element).click();
    expect(opening).toHaveBeenCalledTimes(2);
    expect(opened.location.replace).toHaveBeenCalledOnce();
    const ended = outcome(element);
    second(element).click();
    expect(await whileTimePasses(ended)).toMatchObject({ outcome: 'cancelled' });
  });

  it('is ignored once the element is removed', async () => {
    const silenced = vi.spyOn(BroadcastChannel.prototype, 'close');
    const element = await mount({ presentation: 'popup' });
    await start(element);
    expect(silenced).not.toHaveBeenCalled();
    element.remove();
    await until(() => expect(silenced).toHaveBeenCalledOnce());
  });

  it('that returns to the shop in its own window is relayed by the shop’s page', async () => {
    companion.manners = 'isolated';
    const element = await mount({ presentation: 'popup' });
    button(element).click();
    await until(() => expect(openedWindow().closed).toBe(true));
    const page = new BroadcastChannel('financing-checkout');
    const taken = new Promise((resolve) => {
      page.onmessage = ({ data }) => resolve(data);
    });
    const ended = outcome(element);
    page.postMessage(null);
    page.postMessage({ session: 'another', token: 'forged', reason: null });
    page.postMessage({ session: 'session-of-checkout-1', token: 'token-1', reason: null });
    expect(await taken).toEqual({ taken: 'session-of-checkout-1' });
    page.close();
    expect(await ended).toMatchObject({ outcome: 'approved' });
    expect(companion.sent.at(-1)?.body).toMatchObject({ confirmationToken: 'token-1' });
  });
});

describe('after a frame', () => {
  it('that the page’s policy blocks, a window is used', async () => {
    const element = await mount({ presentation: 'embedded popup' });
    button(element).click();
    const frame = await shown(element);
    const keepOut = (blockedURI: string, effectiveDirective: string) =>
      document.dispatchEvent(
        new SecurityPolicyViolationEvent('securitypolicyviolation', {
          blockedURI,
          effectiveDirective,
          documentURI: location.href,
          disposition: 'enforce',
          statusCode: 200,
          originalPolicy: '',
          violatedDirective: effectiveDirective,
        }),
      );
    const { origin } = new URL(frame.src);
    // Other policy violations do not matter.
    keepOut('https://advertisement.example', 'frame-src');
    keepOut(origin, 'img-src');
    await nextFrame();
    expect(opening).not.toHaveBeenCalled();
    const loaded = readyInWindow();
    keepOut(origin, 'frame-src');
    await until(() => expect(opening).toHaveBeenCalledOnce());
    await loaded;
    expect(isOpen(element)).toBe(false);
    const ended = outcome(element);
    say(confirmed);
    expect(await ended).toMatchObject({ outcome: 'approved' });
  });
});
