/*
 * Leaves each presentation of a checkout in every way, and checks the outcome and the text that the
 * shopper reads.
 */
import { userEvent } from 'vitest/browser';
import { describe, expect, it, vi } from 'vitest';
import { until, whileTimePasses } from './clock.fixture.ts';
import { broken, COMPANION, ticket } from './companion.fixture.ts';
import { digest, Memory } from './companion/memory.ts';
import { button, find, mount, open, outcome, say, seen } from './element.fixture.ts';
import { companion, present, presented, useScriptedSdk } from './sdk.fixture.ts';
import type { FinancingCheckout } from './index.ts';
import { openedWindow, readyInWindow } from './window.fixture.ts';

useScriptedSdk();

type Leave = (element: FinancingCheckout) => unknown;
type Present = () => Promise<FinancingCheckout>;
type Way = readonly [name: string, present: Present, leave: Leave];

const embedded: Present = async () => {
  companion.sdk = undefined;
  const element = await mount();
  await open(element);
  return element;
};

const popup: Present = async () => {
  vi.spyOn(window, 'open');
  companion.modes = ['popup'];
  const element = await mount({ presentation: 'popup' });
  const ready = readyInWindow();
  button(element).click();
  await ready;
  return element;
};

const script: Present = async () => {
  const element = await mount();
  await present(element);
  await until(() => expect(seen(element).title).toBe('Your application is open'));
  return element;
};

/** The page after a redirect, before its element has the companion's URL. */
const redirect: Present = () => {
  const session = digest('session-of-checkout-1');
  const memory = new Memory(new URL(COMPANION), 'sandbox', ticket());
  memory.remember({ key: 'key-1', id: 'checkout-1', session });
  return mount({ companion: '' });
};
const comeBack = (reason: string) => (element: FinancingCheckout) => {
  const fragment = `#financing-session=session-of-checkout-1&financing-ended=${reason}`;
  history.replaceState(null, '', fragment);
  element.companion = COMPANION;
};

const tellFrame = (reason: string) => (element: FinancingCheckout) =>
  say(element, { type: 'ended', reason });
const tellWindow = (reason: string) => () =>
  openedWindow().postMessage({ say: { type: 'ended', reason } }, '*');
const press = (selector: string) => (element: FinancingCheckout) => find(element, selector).click();
const cancel = press('#start ~ [part=second-button]');
const call = (code: string) => async () =>
  (await presented(1)).options.callback(null, {}, { code });
const escape: Leave = (element) => {
  const check = async () => {
    // A page that is still loading may take the focus away from the button, and receive the key
    // press.
    find(element, '[part=close]').focus();
    await userEvent.keyboard('{Escape}');
    expect(element.shadowRoot?.querySelector('dialog')?.open ?? false).toBe(false);
  };
  return until(check);
};

const leftHere: readonly Way[] = [
  ['Escape, embedded', embedded, escape],
  ['the close button, embedded', embedded, press('[part=close]')],
  ['Cancel in the page, embedded', embedded, tellFrame('cancelled')],
  ['the closed window, popup', popup, () => openedWindow().close()],
  ['Cancel in the shop, popup', popup, cancel],
  ['Cancel in the page, popup', popup, tellWindow('cancelled')],
  ['CONSUMER_CANCELLED, sdk', script, call('CONSUMER_CANCELLED')],
  ['BACK_TO_STORE, sdk', script, call('BACK_TO_STORE')],
  ['Cancel in the shop, sdk', script, cancel],
];
const left: readonly Way[] = [
  ...leftHere,
  ['Cancel in the page, redirect', redirect, comeBack('cancelled')],
];

const ranOutHere: readonly Way[] = [
  ['the page, embedded', embedded, tellFrame('expired')],
  ['the page, popup', popup, tellWindow('expired')],
];
const ranOut: readonly Way[] = [
  ...ranOutHere,
  ['the page, redirect', redirect, comeBack('expired')],
];

const states = {
  cancelled: () => undefined,
  expired: () => (companion.farewell = { status: 'expired' }),
  unreachable: () => companion.instead('cancellation', broken.refused, broken.refused),
} as const;

const LEFT = { title: 'You left the application', action: 'Pay over time' };
const LATE = { title: 'Your application ran out of time', action: 'Start again' };

describe.each([
  ['left', left, 'cancelled', 'cancelled', LEFT],
  ['left', leftHere, 'unreachable', 'cancelled', LEFT],
  ['left', left, 'expired', 'expired', LATE],
  ['timed out', ranOutHere, 'unreachable', 'expired', LATE],
  ['timed out', ranOut, 'expired', 'expired', LATE],
  ['timed out', ranOut, 'cancelled', 'expired', LATE],
] as const)('a checkout %s', (_, ways, state, status, notice) => {
  it.each(ways)(`by %s, with the companion’s ${state}, is ${status}`, async (_, show, leave) => {
    const element = await show();
    states[state]();
    const over = outcome(element);
    await leave(element);
    expect(await whileTimePasses(over)).toMatchObject({ outcome: status });
    await element.updateComplete;
    expect(seen(element)).toMatchObject(notice);
  });
});
