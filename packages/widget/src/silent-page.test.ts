/*
 * A page that comes into the frame in place of one that worked, and does not say that it can be
 * used: a failure of the lender's servers, or what a browser shows where nothing came. It may also be
 * a page that is slow, or that does not speak. So the page stays in sight, and the shopper is told
 * and offered beside it what leads on.
 */
import { oneEvent } from '@open-wc/testing';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { FakeCompanion } from './companion.fixture.ts';
import {
  button,
  find,
  frame,
  heard,
  mount,
  outcome,
  say,
  shown,
  until,
} from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';

let companion: FakeCompanion;
let element: FinancingCheckout;
let held: HTMLIFrameElement;

beforeEach(async () => {
  sessionStorage.clear();
  companion = new FakeCompanion();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  element = await mount();
});
afterEach(() => {
  companion.restore();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const READY = 'Your application is ready.';
const SLOW = 'This is taking longer than usual.';
const PATIENCE = 15_000;
/** Longer than what was said of a page can be said of the next one. */
const WHILE = 4_000;
/** A page of the lender's, which says that it is ready if it has no other manners. */
const lender = (manners = '') => {
  const session = 'session-of-checkout-1';
  const query = new URLSearchParams({ session, origin: location.origin, manners });
  return `${inject('hostedOrigin')}/checkout?${query.toString()}`;
};
const failure = () => `${inject('hostedOrigin')}/broken`;
// Browsers connect to no such port, and show a page of their own.
const nowhere = () => 'http://127.0.0.1:9/';

/** Presses the button, and waits until the hosted page has come. */
async function open(manners = ''): Promise<void> {
  companion.manners = manners;
  // Heard on its way to a frame that is not there yet.
  const loaded = new Promise((resolve) => {
    element.shadowRoot?.addEventListener('load', resolve, { capture: true, once: true });
  });
  button(element).click();
  await loaded;
  if (!manners) await shown(element);
  held = frame(element);
}

/** Another page comes into the frame. */
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

/** Opens the hosted page, and has another one come in its place and say nothing. */
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
])('%s is told of after its time, and the lender’s page comes again', async (_, url) => {
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
});

it('stays in sight and in use beside what is said of it', async () => {
  await fall();
  const seen = held.getBoundingClientRect();
  const said = find(element, '.slow').getBoundingClientRect();
  expect(held.checkVisibility()).toBe(true);
  expect(seen.height).toBeGreaterThan(200);
  // The dialog may still be on its way in, by parts of a pixel.
  expect(said.top - seen.bottom).toBeGreaterThan(-0.1);
  // The focus is the shopper's, who may be typing in it.
  expect(element.shadowRoot?.activeElement).toBe(held);
});

it('can be left, once', async () => {
  await fall();
  const ended = outcome(element);
  find(element, '[part=close]').click();
  // Other tabs are looked for by the browser's own time; then the page is asked, for it may speak after all.
  for (let tries = 0; tries < 10 && companion.count('cancellation') === 0; tries++) {
    await navigator.locks.query();
    await pass(1_000);
  }
  expect(await ended).toMatchObject({ outcome: 'cancelled' });
  expect([companion.count('prime'), companion.count('cancellation')]).toEqual([1, 1]);
});

it('that says that an offer is confirmed is heard', async () => {
  await open();
  await pass(WHILE);
  await go(lender('mute'));
  await pass(PATIENCE);
  expect(heard(element)).toBe(SLOW);
  const ended = outcome(element);
  say(element, { type: 'confirmed', confirmationToken: 'token-1' });
  expect(await ended).toMatchObject({ outcome: 'approved' });
});

it('that is ready after all is told of no more, and holds its own', async () => {
  await open();
  await pass(WHILE);
  await go(lender('mute'));
  await pass(PATIENCE);
  const offered = tryAgain();
  offered.focus();
  say(element, { type: 'ready' });
  await until(() => expect(heard(element)).toBe(READY));
  expect(isOffered()).toBe(false);
  // Nor is the focus lost with the button that had it.
  expect(element.shadowRoot?.activeElement).toBe(find(element, 'h2'));
  await pass(4 * PATIENCE);
  expect(heard(element)).toBe(READY);
});

it('that is ready in time is never told of', async () => {
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

it('is told of where the one before it was ready after its load', async () => {
  await open('mute');
  say(element, { type: 'ready' });
  await shown(element);
  await pass(WHILE);
  await go(failure());
  await pass(PATIENCE);
  expect([heard(element), isOffered()]).toEqual([SLOW, true]);
});

it('is not mistaken for the one that works again in its place', async () => {
  await fall();
  await go(lender());
  await until(() => expect(heard(element)).toBe(READY));
  await pass(4 * PATIENCE);
  expect([heard(element), isOffered()]).toEqual([READY, false]);
});

/** The next page in the frame says that it is ready. */
function readySaid(): Promise<void> {
  return new Promise((resolve) => {
    const hear = ({ data }: MessageEvent<{ type?: unknown } | null>) => {
      if (data?.type !== 'ready') return;
      removeEventListener('message', hear);
      resolve();
    };
    addEventListener('message', hear);
  });
}

it.each([1, 2, 3])('is none of %i that come one after the other and are ready', async (pages) => {
  await open();
  for (let page = 0; page < pages; page++) {
    await pass(WHILE);
    const said = readySaid();
    await go(lender());
    // Time is the test's, and the message is not: on a busy machine it comes after the load.
    await said;
  }
  await pass(4 * PATIENCE);
  expect([heard(element), isOffered()]).toEqual([READY, false]);
});

it('where it does not even come leaves the one before it in sight, which can be left', async () => {
  await open();
  await pass(WHILE);
  held.src = `${inject('hostedOrigin')}/hanging`;
  await pass(4 * PATIENCE);
  expect([heard(element), isOffered(), held.checkVisibility()]).toEqual([READY, false, true]);
  const ended = outcome(element);
  element.close();
  expect(await ended).toMatchObject({ outcome: 'cancelled' });
});

it('is told of at once, in its place, where the browser has no network', async () => {
  await fall();
  const isOnline = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  await go(nowhere());
  await element.updateComplete;
  expect([heard(element), held.checkVisibility()]).toEqual(['You seem to be offline', false]);
  isOnline.mockReturnValue(true);
  dispatchEvent(new Event('online'));
  await shown(element);
});

it('is left alone by the network that comes back: there may be something typed in it', async () => {
  await fall();
  const loaded = vi.fn();
  held.addEventListener('load', loaded);
  dispatchEvent(new Event('online'));
  await pass(WHILE);
  expect([heard(element), loaded.mock.calls.length]).toEqual([SLOW, 0]);
});

it('can be left for another way to the lender’s page', async () => {
  companion.modes = ['embedded', 'popup'];
  await fall();
  const opened = vi.spyOn(globalThis, 'open').mockReturnValue(null);
  const ended = outcome(element);
  find(element, '.slow [part=second-button]').click();
  expect(await ended).toMatchObject({ outcome: 'unavailable', retrySafe: true });
  expect([opened.mock.calls.length, companion.count('prime')]).toEqual([1, 1]);
});
