/*
 * The hosted page in a window: it opens within the click, and the shopper can always continue, no matter
 * what happens to the window.
 */
import { nextFrame } from '@open-wc/testing';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { MockInstance } from 'vitest';
import { until, whileTimePasses } from './clock.fixture.ts';
import { broken, FakeCompanion, problem } from './companion.fixture.ts';
import {
  button,
  find,
  frames,
  heard,
  isOpen,
  mount,
  outcome,
  seen,
  shown,
} from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';
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

  it('keeps the focus in the element, and returns it to the button', async () => {
    const answer = Promise.withResolvers<Response>();
    companion.instead('prime', () => answer.promise);
    const element = await mount({ presentation: 'popup' });
    button(element).click();
    await until(() => expect(seen(element).title).toBe('Your application is open'));
    await nextFrame();
    expect(element.shadowRoot?.activeElement).toBe(find(element, 'h3'));
    const ended = outcome(element);
    answer.resolve(Response.json(companion.opened('checkout-1'), { status: 201 }));
    await readyInWindow();
    openedWindow().close();
    await whileTimePasses(ended);
    await element.updateComplete;
    expect(element.shadowRoot?.activeElement).toBe(button(element));
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

  it('leads to an approved order and closes', async () => {
    const element = await mount({ presentation: 'popup' });
    await start(element);
    expect(seen(element)).toEqual({
      title: 'Your application is open',
      text: 'Continue there. This page waits for you and shows the result.',
      action: 'Show the window',
    });
    expect(find(element, '[part=other-methods]').checkVisibility()).toBe(false);
    const ended = outcome(element);
    say(confirmed);
    expect(await ended).toMatchObject({ outcome: 'approved' });
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime', 'confirmation']);
    await until(() => expect(openedWindow().closed).toBe(true));
    expect(frames(element)).toBe(0);
  });

  it('shows a decline', async () => {
    companion.farewell = { status: 'declined' };
    const element = await mount({ presentation: 'popup' });
    await start(element);
    const ended = outcome(element);
    say({ type: 'ended', reason: 'declined' });
    expect(await ended).toMatchObject({ outcome: 'declined' });
  });

  it('closed by the shopper cancels the checkout at the companion', async () => {
    companion.farewell = { status: 'pending' };
    const element = await mount({ presentation: 'popup' });
    await start(element);
    const ended = outcome(element);
    openedWindow().close();
    expect(await whileTimePasses(ended)).toMatchObject({ outcome: 'pending' });
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime', 'cancellation']);
  });

  it('closed before the companion answers cancels, and no other presentation is tried', async () => {
    companion.modes = ['popup', 'embedded'];
    let answer: ((response: Response) => void) | undefined;
    companion.instead('prime', () => new Promise((resolve) => (answer = resolve)));
    const element = await mount({ presentation: 'popup embedded' });
    button(element).click();
    await until(() => expect(companion.count('prime')).toBe(1));
    openedWindow().close();
    const ended = outcome(element);
    answer?.(Response.json(companion.opened('checkout-1'), { status: 201 }));
    expect(await ended).toMatchObject({ outcome: 'cancelled' });
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime', 'cancellation']);
    expect(frames(element)).toBe(0);
  });

  it('can be left through the page', async () => {
    const element = await mount({ presentation: 'popup' });
    await start(element);
    const ended = outcome(element);
    expect(second(element).textContent.trim()).toBe('Cancel');
    second(element).click();
    expect(await ended).toMatchObject({ outcome: 'cancelled' });
    await until(() => expect(openedWindow().closed).toBe(true));
  });

  it('closes when a charge turns out to be in progress', async () => {
    const before = await mount({ presentation: 'embedded' });
    button(before).click();
    await shown(before);
    before.remove();
    companion.checkout = companion.ended({ status: 'confirming' });
    const element = await mount({ presentation: 'popup' });
    button(element).click();
    await until(() => expect(seen(element).title).toBe('Confirming with your lender'));
    await until(() => expect(openedWindow().closed).toBe(true));
  });

  it('closes with the element, and when the companion is unreachable', async () => {
    const element = await mount({ presentation: 'popup' });
    await start(element);
    element.remove();
    await until(() => expect(openedWindow().closed).toBe(true));
    companion.instead('prime', broken.refused);
    const other = await mount({ presentation: 'popup' });
    sessionStorage.clear();
    const ended = outcome(other);
    button(other).click();
    expect(await ended).toMatchObject({ outcome: 'unavailable', retrySafe: true });
    expect(opening).toHaveBeenCalledTimes(2);
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

  it('does not open when another presentation comes first', async () => {
    const element = await mount({ presentation: 'auto' });
    button(element).click();
    await shown(element);
    expect(opening).not.toHaveBeenCalled();
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

  const apple = (system: string) =>
    `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko)`;
  const iPhone = apple('iPhone; CPU iPhone OS 17_1 like Mac OS X');
  const mac = apple('Macintosh; Intel Mac OS X 10_15_7');
  const android = (system: string) =>
    `Mozilla/5.0 (Linux; Android 14; ${system}) AppleWebKit/537.36 (KHTML, like Gecko)`;

  it.each([
    ['WKWebView on an iPhone', `${iPhone} Mobile/15E148`],
    ['WKWebView on an iPad or a Mac', mac],
    ['Instagram', `${iPhone} Mobile/15E148 Instagram 300.0.0.0 (iPhone14,5; iOS 17_1)`],
    ['TikTok', `${iPhone} Mobile/21B74 musical_ly_32.0.0 JsSdk/2.0 NetType/WIFI Channel/App Store`],
    ['LINE', `${iPhone} Mobile/15E148 Safari Line/13.19.0`],
    [
      'Snapchat',
      `${iPhone} Version/17.1 Mobile/15E148 Snapchat/12.65.0.37 (like Safari/8617.1, panda)`,
    ],
    ['Pinterest', `${iPhone} Mobile/15E148 [Pinterest/iOS]`],
    ['LinkedIn', `${iPhone} Mobile/15E148 [LinkedInApp]/9.28.7586`],
    [
      'WeChat',
      `${iPhone} Mobile/15E148 MicroMessenger/8.0.42(0x18002a2e) NetType/WIFI Language/en`,
    ],
    [
      'an app on Android',
      `${android('Pixel 8; wv')} Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36`,
    ],
    [
      'an older app',
      `${android('Pixel 8')} Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36 trill_320`,
    ],
  ])('is not tried in a web view: %s', async (_, agent) => {
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(agent);
    const element = await mount({ presentation: 'popup embedded' });
    button(element).click();
    await shown(element);
    expect(opening).not.toHaveBeenCalled();
  });

  it.each([
    ['Safari on an iPhone', `${iPhone} Version/17.1 Mobile/15E148 Safari/604.1`],
    ['Safari on an iPad or a Mac', `${mac} Version/17.1 Safari/605.1.15`],
    ['Chrome on an iPhone', `${iPhone} CriOS/120.0.6099.119 Mobile/15E148 Safari/604.1`],
    ['Firefox on an iPhone', `${iPhone} FxiOS/120.0 Mobile/15E148 Safari/605.1.15`],
    [
      'Edge on an iPhone',
      `${iPhone} Version/17.0 EdgiOS/130.0.2849.80 Mobile/15E148 Safari/605.1.15`,
    ],
    ['Chrome on Android', `${android('K')} Chrome/120.0.0.0 Mobile Safari/537.36`],
    [
      'Samsung Internet',
      `${android('SM-S918B')} SamsungBrowser/23.0 Chrome/115.0.0.0 Mobile Safari/537.36`,
    ],
    ['Firefox', 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'],
  ])('is tried in a browser: %s', async (_, agent) => {
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(agent);
    const element = await mount({ presentation: 'popup' });
    await start(element);
    expect(opening).toHaveBeenCalledOnce();
  });

  it('as the last presentation shows a calm notice, keeps the application and can be tried again', async () => {
    opening.mockImplementationOnce(() => null);
    companion.link = undefined;
    const element = await mount({ presentation: 'popup' });
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({
      outcome: 'unavailable',
      retrySafe: true,
      checkoutId: 'checkout-1',
    });
    await element.updateComplete;
    expect(seen(element).action).toBe('Try again');
    expect(find(element, '[part=other-methods]').checkVisibility()).toBe(true);
    await start(element);
    // The second prime requested a link, without success.
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime', 'prime', 'find']);
    const approved = outcome(element);
    say(confirmed);
    expect(await approved).toMatchObject({ outcome: 'approved' });
  });

  it('closes when the companion does not offer it, and the next presentation is used', async () => {
    companion.modes = ['embedded'];
    const element = await mount({ presentation: 'popup embedded' });
    button(element).click();
    await shown(element);
    await until(() => expect(openedWindow().closed).toBe(true));
  });
});

describe('a page that isolates itself (Cross-Origin-Opener-Policy)', () => {
  it('does not count as closed: the companion is polled, and nothing is cancelled', async () => {
    companion.manners = 'isolated';
    const element = await mount({ presentation: 'popup' });
    button(element).click();
    await until(() => expect(openedWindow().closed).toBe(true));
    await whileTimePasses(until(() => expect(companion.count('find')).toBeGreaterThan(1)));
    expect(companion.count('cancellation')).toBe(0);
    expect(seen(element).title).toBe('Your application is open');
    companion.checkout = companion.ended({ status: 'confirming' });
    await whileTimePasses(
      until(() => expect(seen(element).title).toBe('Confirming with your lender')),
    );
    companion.checkout = companion.ended({ status: 'approved' });
    expect(await whileTimePasses(outcome(element))).toMatchObject({ outcome: 'approved' });
    expect(companion.count('cancellation')).toBe(0);
  });

  it('can be opened again, and can be left', async () => {
    companion.manners = 'isolated';
    const element = await mount({ presentation: 'popup' });
    button(element).click();
    await until(() => expect(openedWindow().closed).toBe(true));
    companion.manners = '';
    button(element).click();
    expect(opening).toHaveBeenCalledTimes(2);
    // The lender's page has loaded and isolates itself.
    await until(() => expect(openedWindow().closed).toBe(true));
    const ended = outcome(element);
    second(element).click();
    expect(await whileTimePasses(ended)).toMatchObject({ outcome: 'cancelled' });
  });

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

  it('is no longer polled after the companion refuses', async () => {
    companion.manners = 'isolated';
    const element = await mount({ presentation: 'popup' });
    button(element).click();
    await until(() => expect(openedWindow().closed).toBe(true));
    companion.instead('find', () => problem('origin-not-allowed'));
    expect(await whileTimePasses(outcome(element))).toMatchObject({ outcome: 'failed' });
    expect(companion.count('find')).toBe(1);
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

  it('that does not load, the shopper can choose a window', async () => {
    companion.manners = 'mute';
    const element = await mount({ presentation: 'embedded popup' });
    button(element).click();
    await until(() => expect(frames(element)).toBe(1));
    await vi.advanceTimersByTimeAsync(15_000);
    await element.updateComplete;
    const next = find(element, '.slow [part=second-button]');
    expect(next.textContent.trim()).toBe('Continue on the lender’s own page');
    next.click();
    expect(opening).toHaveBeenCalledOnce();
    await until(() => expect(isOpen(element)).toBe(false));
    expect(frames(element)).toBe(0);
    await element.updateComplete;
    expect(seen(element).title).toBe('Your application is open');
  });

  it('that does not load, no window opens for a presentation that needs none', async () => {
    companion.manners = 'mute';
    companion.sdk = { src: 'http://lender.example/sdk.js', global: 'Sdk' };
    companion.link = undefined;
    const element = await mount({ presentation: 'embedded sdk' });
    button(element).click();
    await until(() => expect(frames(element)).toBe(1));
    await vi.advanceTimersByTimeAsync(15_000);
    await element.updateComplete;
    const ended = outcome(element);
    find(element, '.slow [part=second-button]').click();
    expect(await ended).toMatchObject({ outcome: 'unavailable', retrySafe: true });
    expect(opening).not.toHaveBeenCalled();
  });

  it('that does not load as the last presentation, only a retry is offered', async () => {
    companion.modes = ['embedded'];
    companion.manners = 'mute';
    const element = await mount();
    button(element).click();
    await until(() => expect(frames(element)).toBe(1));
    await vi.advanceTimersByTimeAsync(15_000);
    await element.updateComplete;
    expect(find(element, '.slow [part=second-button]').checkVisibility()).toBe(false);
  });
});
