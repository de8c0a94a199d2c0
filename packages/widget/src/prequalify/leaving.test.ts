/* Leaves each presentation in every way, and checks the status and what the button does next. */
import { userEvent } from 'vitest/browser';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { until, whileTimePasses } from '../clock.fixture.ts';
import { broken, COMPANION, problem } from '../companion.fixture.ts';
import { digest, Memory } from '../companion/memory.ts';
import {
  applied,
  button,
  FakePrequalifications,
  find,
  mount,
  open,
  outcome,
  say,
  seen,
} from './prequalify.fixture.ts';
import { openedWindow, readyInWindow } from '../window.fixture.ts';
import type { FinancingPrequalify } from './index.ts';

const memory = new Memory(new URL(COMPANION), 'sandbox', undefined);
let companion: FakePrequalifications;
let sdk: string;

beforeEach(() => {
  companion = new FakePrequalifications();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

type Leave = (element: FinancingPrequalify) => unknown;
/** Shows an application. @returns the element, and a function that leaves it */
type Present = (
  leave: Leave,
) => Promise<{ readonly element: FinancingPrequalify; readonly leave: () => unknown }>;
type Way = readonly [name: string, present: Present, leave: Leave];

const embedded: Present = async (leave) => {
  const element = await mount();
  await open(element);
  return { element, leave: () => leave(element) };
};

/** A page that never sends `ready`. */
const loading: Present = async (leave) => {
  companion.manners = 'mute';
  const element = await mount();
  button(element).click();
  await until(() => find(element, 'iframe'));
  return { element, leave: () => leave(element) };
};

const popup: Present = async (leave) => {
  vi.spyOn(window, 'open');
  companion.modes = ['popup'];
  const element = await mount({ presentation: 'popup' });
  const ready = readyInWindow();
  button(element).click();
  await ready;
  return { element, leave: () => leave(element) };
};

const script: Present = async (leave) => {
  sdk = `Leaving${Math.random().toString(36).slice(2)}`;
  companion.modes = [];
  companion.sdk = { src: `${inject('hostedOrigin')}/sdk.js?global=${sdk}`, global: sdk };
  const element = await mount();
  button(element).click();
  await applied(sdk);
  await until(() => expect(seen(element).title).toBe('Your application is open'));
  return { element, leave: () => leave(element) };
};

/** The return to another page of the shop, which has a new element. */
const redirect = (reason: string): Present => {
  return async () => {
    const before = await mount();
    await open(before);
    before.remove();
    const { key, id } = memory.recall() ?? {};
    memory.remember({ key: key ?? '', id, session: digest('session-of-prq-1') });
    const fragment = `#financing-session=session-of-prq-1&financing-ended=${reason}`;
    const element = await mount({ companion: '' });
    return {
      element,
      leave: () => {
        history.replaceState(null, '', fragment);
        element.companion = COMPANION;
      },
    };
  };
};

const tellFrame = (message: object) => (element: FinancingPrequalify) => say(element, message);
const tellWindow = (message: object) => () => openedWindow().postMessage({ say: message }, '*');
const press = (selector: string) => (element: FinancingPrequalify) =>
  find(element, selector).click();
const cancel = press('#start ~ [part=second-button]');
const call = (code: string) => async () => (await applied(sdk)).options.callback(null, { code });
const ended = (reason: string) => ({ type: 'ended', reason });
const escape: Leave = (element) => {
  find(element, '[part=close]').focus();
  return userEvent.keyboard('{Escape}');
};
const nothing = () => undefined;

const left: readonly [Way, ...Way[]] = [
  ['Escape, embedded', embedded, escape],
  ['the close button, embedded', embedded, press('[part=close]')],
  ['close(), embedded', embedded, (element) => element.close()],
  ['Cancel in the page, embedded', embedded, tellFrame(ended('cancelled'))],
  ['the close button, while the page loads', loading, press('[part=close]')],
  ['the closed window, popup', popup, () => openedWindow().close()],
  ['Cancel in the shop, popup', popup, cancel],
  ['Cancel in the page, popup', popup, tellWindow(ended('cancelled'))],
  ['CONSUMER_CANCELLED, sdk', script, call('CONSUMER_CANCELLED')],
  ['BACK_TO_STORE, sdk', script, call('BACK_TO_STORE')],
  ['Cancel in the shop, sdk', script, cancel],
  ['Cancel in the page, redirect', redirect('cancelled'), nothing],
];

const ranOut: readonly [Way, ...Way[]] = [
  ['the page, embedded', embedded, tellFrame(ended('expired'))],
  ['the page, popup', popup, tellWindow(ended('expired'))],
  ['the page, redirect', redirect('expired'), nothing],
];

const goOn = {
  action: 'Continue your application',
  text: /continue where you left off/,
  next: 'find',
};
const again = { action: 'Start again', text: /You can start again/, next: 'open' };
const anew = { ...again, action: 'See if you qualify' };
const LEFT = 'You left the application';
const LATE = 'Your application ran out of time';

const states = {
  open: () => undefined,
  'open, without a token': () => companion.becomes('open', { presentation: undefined }),
  unreachable: () => companion.instead('find', ...Array.from({ length: 4 }, () => broken.refused)),
  unknown: () => companion.instead('find', () => problem('not-found')),
  expired: () => companion.becomes('expired'),
} as const;

// The ways differ only in the reason that the page reports. The companion's response is handled the
// same way for each, so only one way to leave and one timeout are combined with all responses.
const [escaped] = left;
const [timedOut] = ranOut;
const ways = [
  ...left.map((way) => [...way, 'open', 'cancelled', LEFT, goOn] as const),
  ...ranOut.map((way) => [...way, 'open', 'expired', LATE, goOn] as const),
  ...[
    [escaped, 'open, without a token', 'cancelled', LEFT, anew] as const,
    [escaped, 'unreachable', 'cancelled', LEFT, goOn] as const,
    [escaped, 'unknown', 'cancelled', LEFT, anew] as const,
    [escaped, 'expired', 'expired', LATE, again] as const,
    [timedOut, 'open, without a token', 'expired', LATE, again] as const,
    [timedOut, 'unreachable', 'expired', LATE, goOn] as const,
    [timedOut, 'unknown', 'expired', LATE, again] as const,
    [timedOut, 'expired', 'expired', LATE, again] as const,
  ].map(([way, ...expected]) => [...way, ...expected] as const),
];

it.each(ways)(
  'an application that ends by %s, with the companion’s $3, is $4',
  async (_, present, act, state, status, title, { action, text, next }) => {
    const { element, leave } = await present(act);
    states[state]();
    const over = outcome(element);
    await leave();
    expect(await whileTimePasses(over)).toMatchObject({ status });
    await element.updateComplete;
    expect(seen(element)).toMatchObject({ title, action });
    expect(seen(element).text).toMatch(text);
    const { length } = companion.sent;
    button(element).click();
    await until(() => expect(companion.sent.length).toBeGreaterThan(length));
    expect(companion.sent[length]?.route).toBe(next);
    element.reset();
  },
);

describe('a return from a redirect', () => {
  it('waits for a companion that learns of the outcome later than the page', async () => {
    const { element, leave } = await redirect('pending')(nothing);
    companion.instead('find', broken.refused, () => Response.json(companion.opened('prq-1')));
    companion.becomes('prequalified');
    const over = outcome(element);
    leave();
    expect(await whileTimePasses(over)).toMatchObject({ status: 'prequalified' });
    expect(companion.count('find')).toBe(3);
  });

  it('that names an unknown reason can be continued', async () => {
    const { element, leave } = await redirect('teleported')(nothing);
    const over = outcome(element);
    leave();
    expect(await whileTimePasses(over)).toMatchObject({ status: 'cancelled' });
    await element.updateComplete;
    expect(seen(element).action).toBe(goOn.action);
  });
});

it('is canceled when the shopper closes it, whatever reason the page reports', async () => {
  companion.manners = 'deaf';
  const element = await mount();
  await open(element);
  const over = outcome(element);
  element.close();
  say(element, ended('failed'));
  expect(await whileTimePasses(over)).toMatchObject({ status: 'cancelled' });
});

it('names the abandoned application while the companion is unreachable', async () => {
  const { element, leave } = await embedded((one) => one.close());
  states.unreachable();
  const over = outcome(element);
  await leave();
  const { applicationId, expiresAt } = companion.application;
  expect(await whileTimePasses(over)).toMatchObject({
    status: 'cancelled',
    applicationId,
    expiresAt,
  });
});
