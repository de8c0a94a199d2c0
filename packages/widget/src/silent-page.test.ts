/*
 * A page that replaces a working one in the frame and does not send `ready`: an error page from the
 * lender's servers or the browser, but possibly also a slow page or one without the protocol.
 * Therefore the page stays visible, with a message and further options below it.
 */
import { oneEvent } from '@open-wc/testing';
import { beforeEach, expect, inject, it, vi } from 'vitest';
import { until } from './clock.fixture.ts';
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
