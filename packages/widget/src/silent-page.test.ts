/*
 * A page that replaces a working one in the frame and does not send `ready`: an error page from the
 * lender's servers or the browser, but possibly also a slow page or one without the protocol.
 * Therefore the page stays visible, with a message and further options below it.
 */
import { oneEvent } from '@open-wc/testing';
import { beforeEach, expect, inject, it, vi } from 'vitest';
import { until, whileTimePasses } from './clock.fixture.ts';
import { FakeCompanion } from './companion.fixture.ts';
import {
  button,
  find,
  frame,
  heard,
  loadOfFrame,
  mount,
  outcome,
  say,
  shown,
} from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';
import { readySaid } from './window.fixture.ts';

let companion: FakeCompanion;
let element: FinancingCheckout;
let held: HTMLIFrameElement;

beforeEach(async () => {
  companion = new FakeCompanion();
  element = await mount();
});

const READY = 'Your application is ready.';
const SLOW = 'This is taking longer than usual.';
const PATIENCE = 15_000;
/** Longer than the time during which a page's `ready` can be attributed to the next page. */
const WHILE = 4_000;
/** URL of a lender's page, which sends `ready` unless its behavior is overridden. */
const lender = (manners = '') => {
  const session = 'session-of-checkout-1';
  const query = new URLSearchParams({ session, origin: location.origin, manners });
  return `${inject('hostedOrigin')}/checkout?${query.toString()}`;
};
const failure = () => `${inject('hostedOrigin')}/broken`;
// Browsers refuse this port and show their own error page.
const nowhere = () => 'http://127.0.0.1:9/';

/** Presses the button and waits for the hosted page. */
async function open(manners = ''): Promise<void> {
  companion.manners = manners;
  const loaded = loadOfFrame(element);
  button(element).click();
  await loaded;
  if (!manners) await shown(element);
  held = frame(element);
}

/** Loads another page in the frame. */
async function go(url: string): Promise<void> {
  const loaded = oneEvent(held, 'load');
  held.src = url;
  await loaded;
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await element.updateComplete;
}

const tryAgain = () => find(element, '.slow button');
const isOffered = () => tryAgain().checkVisibility();

/** Opens the hosted page and replaces it with a silent one. */
async function fall(): Promise<void> {
  await open();
  await pass(WHILE);
  await go(failure());
  await pass(PATIENCE);
  expect([heard(element), isOffered()]).toEqual([SLOW, true]);
}

it.each([
  ['a failure of the lender’s servers', failure],
  ['a page of the browser’s own', nowhere],
])(
  '%s leads to a message after the timeout, and the lender’s page can be loaded again',
  async (_, url) => {
    await open();
    await pass(WHILE);
    await go(url());
    await pass(PATIENCE - 1_000);
    expect([heard(element), isOffered()]).toEqual([READY, false]);
    await pass(1_000);
    expect([heard(element), isOffered()]).toEqual([SLOW, true]);
    tryAgain().click();
    await element.updateComplete;
    expect(heard(element)).toBe('Opening your application…');
    await shown(element);
    expect(isOffered()).toBe(false);
    const ended = outcome(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    expect(await ended).toMatchObject({ outcome: 'approved' });
    expect([companion.count('prime'), companion.count('confirmation')]).toEqual([1, 1]);
  },
);

it('a silent page stays visible and usable next to the message', async () => {
  await fall();
  const seen = held.getBoundingClientRect();
  const said = find(element, '.slow').getBoundingClientRect();
  expect(held.checkVisibility()).toBe(true);
  expect(seen.height).toBeGreaterThan(200);
  // The dialog's animation may still move the message by a fraction of a pixel.
  expect(said.top - seen.bottom).toBeGreaterThan(-0.1);
  // The focus stays with the shopper, who may be typing.
  expect(element.shadowRoot?.activeElement).toBe(held);
});

it('a silent page can be left once', async () => {
  await fall();
  const ended = outcome(element);
  find(element, '[part=close]').click();
  expect(await whileTimePasses(ended)).toMatchObject({ outcome: 'cancelled' });
  expect([companion.count('prime'), companion.count('cancellation')]).toEqual([1, 1]);
});

it('a confirmation from a silent page is accepted', async () => {
  await open();
  await pass(WHILE);
  await go(lender('mute'));
  await pass(PATIENCE);
  expect(heard(element)).toBe(SLOW);
  const ended = outcome(element);
  say(element, { type: 'confirmed', confirmationToken: 'token-1' });
  expect(await ended).toMatchObject({ outcome: 'approved' });
});

it('a late `ready` removes the message, and the page is used', async () => {
  await open();
  await pass(WHILE);
  await go(lender('mute'));
  await pass(PATIENCE);
  const offered = tryAgain();
  offered.focus();
  say(element, { type: 'ready' });
  await until(() => expect(heard(element)).toBe(READY));
  expect(isOffered()).toBe(false);
  // The focus is not lost with the removed button.
  expect(element.shadowRoot?.activeElement).toBe(find(element, 'h2'));
  await pass(4 * PATIENCE);
  expect(heard(element)).toBe(READY);
});

it('a page that is ready in time causes no message', async () => {
  await open();
  await pass(WHILE);
  await go(lender('mute'));
  await pass(PATIENCE - 1_000);
  const listened = oneEvent(window, 'message');
  say(element, { type: 'ready' });
  await listened;
  await pass(4 * PATIENCE);
  expect([heard(element), isOffered()]).toEqual([READY, false]);
});

it('a silent page after one that was ready after its load leads to a message', async () => {
  await open('mute');
  say(element, { type: 'ready' });
  await shown(element);
  await pass(WHILE);
  await go(failure());
  await pass(PATIENCE);
  expect([heard(element), isOffered()]).toEqual([SLOW, true]);
});

it('a working page that replaces a silent one causes no message', async () => {
  await fall();
  await go(lender());
  await until(() => expect(heard(element)).toBe(READY));
  await pass(4 * PATIENCE);
  expect([heard(element), isOffered()]).toEqual([READY, false]);
});

it.each([1, 2, 3])('%i consecutive pages that are ready cause no message', async (pages) => {
  await open();
  for (let page = 0; page < pages; page++) {
    await pass(WHILE);
    const said = readySaid();
    await go(lender());
    // The test controls the time, but not the message, which may follow the load on a busy machine.
    await said;
  }
  await pass(4 * PATIENCE);
  expect([heard(element), isOffered()]).toEqual([READY, false]);
});

it('a page that never loads leaves the previous one visible, which can be left', async () => {
  await open();
  await pass(WHILE);
  held.src = `${inject('hostedOrigin')}/hanging`;
  await pass(4 * PATIENCE);
  expect([heard(element), isOffered(), held.checkVisibility()]).toEqual([READY, false, true]);
  const ended = outcome(element);
  element.close();
  expect(await ended).toMatchObject({ outcome: 'cancelled' });
});

it('a silent page leads to a message at once when the browser is offline', async () => {
  await fall();
  const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  await go(nowhere());
  await element.updateComplete;
  expect([heard(element), held.checkVisibility()]).toEqual(['You seem to be offline', false]);
  isOnline.mockReturnValue(true);
  dispatchEvent(new Event('online'));
  await shown(element);
});

it('a silent page is not reloaded when the network returns: it may contain input', async () => {
  await fall();
  const loaded = vi.fn();
  held.addEventListener('load', loaded);
  dispatchEvent(new Event('online'));
  await pass(WHILE);
  expect([heard(element), loaded.mock.calls.length]).toEqual([SLOW, 0]);
});

it('a silent page can be replaced by another presentation', async () => {
  companion.modes = ['embedded', 'popup'];
  companion.link = undefined;
  await fall();
  const opened = vi.spyOn(globalThis, 'open').mockReturnValue(null);
  const ended = outcome(element);
  find(element, '.slow [part=second-button]').click();
  expect(await ended).toMatchObject({ outcome: 'unavailable', retrySafe: true });
  // The second prime requested a link, without success.
  expect([opened.mock.calls.length, companion.count('prime')]).toEqual([1, 2]);
});
