import { nextFrame, oneEvent } from '@open-wc/testing';
import { userEvent } from 'vitest/browser';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { expectAccessible } from '../axe.fixture.ts';
import { until, whileTimePasses } from '../clock.fixture.ts';
import { broken, COMPANION, problem } from '../companion.fixture.ts';
import { forgetApplication, recallApplication } from '../companion/application.ts';
import { digest, Memory } from '../companion/memory.ts';
import type { FinancingErrorEvent } from '../index.ts';
import { patternOf, rowsOf } from '../journey.fixture.ts';
import { leadPointerAway } from '../pointer.fixture.ts';
import { button, find, frames, heard, open, say, seen, isOpen } from '../element.fixture.ts';
import { applied, FakePrequalifications, mount, outcome } from './prequalify.fixture.ts';
import { FinancingPrequalify } from './index.ts';
import { openedWindow, readyInWindow } from '../window.fixture.ts';

let companion: FakePrequalifications;
const shop = { companion: COMPANION, environment: 'sandbox' } as const;
const amount = { value: 250_000, currency: 'USD' };

beforeEach(() => {
  companion = new FakePrequalifications();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

async function end(element: FinancingPrequalify, reason = 'pending') {
  const ended = outcome(element);
  say(element, { type: 'ended', reason });
  return ended;
}

/** Runs an application to its end. */
async function endAs(
  element: FinancingPrequalify,
  ...[status, over]: Parameters<FakePrequalifications['becomes']>
) {
  await open(element);
  companion.becomes(status, over);
  const event = await end(element);
  await element.updateComplete;
  return event;
}

function codesOf(element: FinancingPrequalify): string[] {
  const codes: string[] = [];
  element.addEventListener('financing-error', ({ code }: FinancingErrorEvent) => codes.push(code));
  return codes;
}

const memory = new Memory(new URL(COMPANION), 'sandbox', undefined);
let sdk: string;

type Step = (element: FinancingPrequalify, argument: string) => unknown;

/** Shows the lender's page in each presentation. A return from a redirect is in a new element. */
const shows: Readonly<Record<string, Step>> = {
  embedded: open,
  popup: async (element) => {
    companion.modes = ['popup'];
    element.presentation = 'popup';
    const ready = readyInWindow();
    button(element).click();
    await ready;
  },
  sdk: async (element) => {
    sdk = `Apply${Math.random().toString(36).slice(2)}`;
    companion.modes = [];
    companion.sdk = { src: `${inject('hostedOrigin')}/sdk.js?global=${sdk}`, global: sdk };
    button(element).click();
    await applied(sdk);
    await until(() => expect(seen(element).title).toBe('Your application is open'));
  },
  redirect: async (element) => {
    await open(element);
    element.remove();
    const { key, id } = memory.recall() ?? {};
    memory.remember({ key: key ?? '', id, session: digest('session-of-prq-1') });
    return mount({ companion: '' });
  },
};

/** How the lender's page ends in each presentation. */
const ends: Readonly<Record<string, Step>> = {
  embedded: (element, reason) => say(element, { type: 'ended', reason }),
  popup: (_, reason) => openedWindow().postMessage({ say: { type: 'ended', reason } }, '*'),
  sdk: async (_, code) => (await applied(sdk)).options.callback(null, { code }),
  redirect: (element, reason) => {
    const fragment = `#financing-session=session-of-prq-1&financing-ended=${reason}`;
    history.replaceState(null, '', fragment);
    element.companion = COMPANION;
  },
};

const steps: Readonly<Record<string, Step>> = {
  press: (element) => button(element).click(),
  twice: (element) => {
    button(element).click();
    button(element).click();
    element.start();
  },
  escape: async (element) => {
    find(element, '[part=close]').focus();
    await userEvent.keyboard('{Escape}');
  },
  x: (element) => find(element, '[part=close]').click(),
  second: (element) => find(element, '#start ~ [part=second-button]').click(),
  window: () => openedWindow().close(),
  close: (element) => element.close(),
  reset: (element) => element.reset(),
  prevent: (element) =>
    element.addEventListener('financing-start', (event) => event.preventDefault()),
  set: (element, spec) => {
    const [, name = '', value = ''] = /^(\w+):(.*)$/.exec(spec) ?? [];
    Object.assign(element, { [name]: value });
  },
  reload: (element) => {
    element.remove();
    return mount();
  },
  confirm: (element) => say(element, { type: 'confirmed', confirmationToken: 'token-1' }),
  becomes: (_, spec) => {
    const [status = '', has] = spec.split('@');
    companion.becomes(
      status as 'pending',
      has === 'bare' ? { presentation: undefined } : { amount },
    );
  },
  // The next answers to a route; `late` is one from before the lender's page ended.
  fails: (_, spec) => {
    const [route, code = '', times = 1] = spec.split(':');
    const odd = { unknown: { status: 'approved' }, late: {} }[code];
    const answer =
      Object.entries(broken).find(([name]) => name === code)?.[1] ??
      (() =>
        odd
          ? Response.json({ ...companion.opened('prq-1'), ...odd })
          : problem(code as 'not-found'));
    companion.instead(route as 'open', ...Array.from({ length: Number(times) }, () => answer));
  },
  manners: (_, manners) => (companion.manners = manners),
  blocked: () => {
    companion.modes = ['popup'];
    companion.application = companion.opened('prq-1');
    vi.spyOn(globalThis, 'open').mockReturnValue(null);
  },
  online: (_, is) => vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(is !== 'false'),
  tick: (_, ms) => vi.advanceTimersByTimeAsync(Number(ms)),
  framed: (element) => until(() => expect(frames(element)).toBe(1)),
  until: (_, route) => until(() => expect(companion.count(route as 'open')).toBe(1)),
};

// presentations | steps | what the page receives | title | button | requests (`open=` repeats a key) | codes
const journeys = rowsOf(`
embedded | open becomes=declined say=pending | declined | No offer this time | | open find
embedded | open becomes=not-found say=pending | not-found | No application was made | Start again | open find
embedded | open becomes=pending say=pending | pending | Your application is being reviewed | Continue your application | open find
embedded | open becomes=pending say=pending sees=pending open becomes=prequalified say=pending | pending prequalified
  | You are prequalified | | open find find find
embedded | open becomes=pending@bare say=pending sees=pending press | pending pending | Your application is being reviewed
  | Check now | open find find
embedded | open becomes=declined confirm | declined | No offer this time | | open find
embedded | open fails=find:late fails=find:refused becomes=prequalified say=pending later | prequalified
  | You are prequalified | | open find find find
embedded | open fails=find:refused:4 becomes=prequalified say=pending later sees=unavailable press
  | unavailable prequalified | You are prequalified | | open find find find find find
embedded | open escape sees=cancelled open | cancelled | | | open find find
embedded | fails=open:never press until=open close sees=cancelled open | cancelled | | | open open=
embedded | open reset open | | | | open open
embedded | twice | | | | open
embedded | prevent press | | | See if you qualify |
embedded | open reload | | | Continue your application | open
embedded | open reload open | | | | open find
embedded | fails=open:never press until=open reload open | | | | open open=
embedded | open fails=find:never becomes=prequalified say=pending until=find reload press | prequalified
  | You are prequalified | | open find find
embedded | open becomes=prequalified say=pending sees=prequalified fails=find:refused reload | prequalified
  | | Continue your application | open find find
embedded | open reload becomes=declined open | | | | open find open
embedded | open reload becomes=not-found open | | | | open find open
embedded | open reload becomes=expired open | | | | open find open
embedded | open reload fails=find:not-found open | | | | open find open
embedded | fails=open:refused press | unavailable | The lender cannot be reached right now | Try again | open | unreachable
embedded | fails=open:html press | unavailable | The lender cannot be reached right now | Try again | open | answer-invalid
embedded | fails=open:cut press | unavailable | The lender cannot be reached right now | Try again | open | answer-invalid
embedded | fails=open:unknown press | unavailable | The lender cannot be reached right now | Try again | open | answer-invalid
embedded | fails=open:service-unavailable press | unavailable | The lender cannot be reached right now | Try again | open
  | service-unavailable
embedded | fails=open:public-key-invalid press | failed | This is not available right now | | open | public-key-invalid
embedded | fails=open:environment-mismatch press | failed | This is not available right now | | open | environment-mismatch
embedded | fails=open:never press until=open tick=30000 | unavailable | The lender cannot be reached right now | Try again
  | open | timeout
embedded | online=false fails=open:refused press | unavailable | You seem to be offline | Try again | open | unreachable
embedded | online=false fails=open:refused press sees=unavailable online open | unavailable | | | open open= | unreachable
embedded | blocked press | unavailable | The lender cannot be reached right now | Try again | open
embedded | set=currency:usd press | failed | This is not available right now | | | currency-missing
embedded | set=amount:89.90 press | failed | This is not available right now | | | amount-invalid
embedded | set=amount:NaN press | failed | This is not available right now | | | amount-invalid
embedded | set=publicKey: press | failed | This is not available right now | | | public-key-missing
embedded | set=companion:http://shop.example press | failed | This is not available right now | | | companion-missing
embedded | open escape | cancelled | You left the application | Continue your application | open find
embedded | open x | cancelled | You left the application | Continue your application | open find
embedded popup sdk | open close later | cancelled | You left the application | Continue your application | open find
embedded | manners=mute press framed x | cancelled | You left the application | Continue your application | open find
embedded | manners=deaf open close say=failed later | cancelled | You left the application | Continue your application | open find
popup | open window later | cancelled | You left the application | Continue your application | open find
popup sdk | open second later | cancelled | You left the application | Continue your application | open find
sdk | open say=CONSUMER_CANCELLED | cancelled | You left the application | Continue your application | open find
sdk | open say=BACK_TO_STORE | cancelled | You left the application | Continue your application | open find
embedded popup redirect | open say=cancelled | cancelled | You left the application | Continue your application | open find
embedded popup redirect | open say=expired later | expired | Your application ran out of time | Continue your application | open find+
embedded | open becomes=open@bare escape | cancelled | You left the application | See if you qualify | open find
embedded | open fails=find:refused:4 escape later | cancelled | You left the application | Continue your application
  | open find find find find
embedded | open fails=find:not-found escape | cancelled | You left the application | See if you qualify | open find
embedded | open becomes=expired escape | expired | Your application ran out of time | Start again | open find
embedded | open becomes=open@bare say=expired later | expired | Your application ran out of time | Start again | open find+
embedded | open fails=find:refused:4 say=expired later | expired | Your application ran out of time
  | Continue your application | open find find find find
embedded | open fails=find:not-found say=expired | expired | Your application ran out of time | Start again | open find
embedded | open becomes=expired say=expired | expired | Your application ran out of time | Start again | open find
redirect | open fails=find:refused fails=find:late becomes=prequalified say=pending later | prequalified
  | You are prequalified | | open find find find
redirect | open say=teleported later | cancelled | You left the application | Continue your application | open find+
`).flatMap(([presentations = '', ...row]) => presentations.split(' ').map((one) => [one, ...row]));

it.each(journeys)(
  '%s | %s | %s | %s',
  async (presentation = '', acts = '', statuses, title, action, requests = '', codes = '') => {
    const received: string[] = [];
    const reported: string[] = [];
    document.addEventListener('financing-prequalify-outcome', ({ status }) =>
      received.push(status),
    );
    document.addEventListener('financing-error', ({ code }) => reported.push(code));
    vi.spyOn(window, 'open');
    let element = await mount();
    for (const act of acts.split(' ')) {
      const [name = '', argument = ''] = act.split('=');
      const step = { ...steps, open: shows[presentation], say: ends[presentation] }[name];
      if (name === 'sees') await until(() => expect(received.at(-1)).toBe(argument));
      else if (name === 'later') {
        await whileTimePasses(until(() => expect(received).not.toEqual([])));
      } else {
        if (!step) throw new Error(`There is no step "${name}".`);
        const next: unknown = await step(element, argument);
        if (next instanceof FinancingPrequalify) element = next;
      }
      await element.updateComplete;
    }
    await until(() => expect(received.join(' ')).toBe(statuses));
    const isShown = title === '' && action === '';
    if (isShown) await until(() => expect(heard(element)).toBe('Your application is ready.'));
    else await until(() => expect(seen(element)).toMatchObject({ title, action }));
    const { text } = seen(element);
    if (title) expect(heard(element)).toBe(`${title}. ${text}`);
    expect(isOpen(element)).toBe(isShown);
    const isWaiting = !title || /prequalified|reviewed/.test(title);
    expect(find(element, '[part=other-methods]').checkVisibility()).toBe(!isWaiting);
    let key: string | null | undefined;
    const sent = companion.sent.map(({ route, headers }) => {
      const before = key;
      key = headers.get('idempotency-key') ?? key;
      return route === 'open' && key === before ? 'open=' : route;
    });
    expect(sent.join(' ')).toMatch(patternOf(requests));
    expect(reported.join(' ')).toBe(codes);
    const canContinue = action === 'Continue your application';
    const isOver = /declined|not-found|expired/.test(received.at(-1) ?? '') && !canContinue;
    if (isOver) expect(sessionStorage).toHaveLength(0);
    if (title && acts.includes('escape')) {
      expect(element.shadowRoot?.activeElement).toBe(button(element));
    }
    if (!title || !/cancelled|expired/.test(received.at(-1) ?? '')) return;
    // What the button does next, and what the text says of it.
    expect(text).toContain(canContinue ? 'continue where you left off' : 'You can start again');
    const next = canContinue ? 'find' : 'open';
    // A response after the end of the test would be remembered by the next one.
    companion.instead(next, broken.never);
    button(element).click();
    await until(() => expect(companion.sent.length).toBeGreaterThan(sent.length));
    expect(companion.sent[sent.length]?.route).toBe(next);
    element.reset();
  },
);

it('names the abandoned application while the companion is unreachable', async () => {
  const element = await mount();
  await open(element);
  companion.instead('find', ...Array.from({ length: 4 }, () => broken.refused));
  const over = outcome(element);
  element.close();
  const { applicationId, expiresAt } = companion.application;
  expect(await whileTimePasses(over)).toMatchObject({ applicationId, expiresAt });
});

describe('an application', () => {
  it('sends no request before the shopper acts', async () => {
    const before = performance.getEntriesByType('resource').length;
    const element = await mount();
    await nextFrame();
    expect(companion.sent).toEqual([]);
    expect(performance.getEntriesByType('resource').slice(before)).toEqual([]);
    expect(seen(element).action).toBe('See if you qualify');
  });

  it('is opened with the page’s settings, and prequalified as the companion reports', async () => {
    const element = await mount({ amount: '89000', locale: 'en-US' });
    const event = await endAs(element, 'prequalified', { amount });
    expect(companion.sent[0]?.body).toEqual({
      environment: 'sandbox',
      currency: 'USD',
      amount: 89_000,
      locale: 'en-US',
    });
    expect(companion.sent[0]?.headers.get('authorization')).toBe('Bearer pk-test-1');
    expect(event).toMatchObject({
      status: 'prequalified',
      amount,
      applicationId: 'application-of-prq-1',
      expiresAt: companion.application.expiresAt,
    });
    expect(seen(element)).toMatchObject({ title: 'You are prequalified', action: '' });
    expect(seen(element).text).toContain('up to $2,500.00');
    expect(heard(element)).toContain('You are prequalified');
    expect(find(element, '[part=other-methods]').checkVisibility()).toBe(false);
  });

  it('sends the Idempotency-Key first, and then the same key as the secret', async () => {
    const element = await mount();
    await endAs(element, 'pending');
    const [opening, reading] = companion.sent;
    const key = opening?.headers.get('idempotency-key');
    expect(key?.length).toBeGreaterThan(32);
    expect(reading?.headers.get('financing-checkout-secret')).toBe(key);
    expect(reading?.headers.get('idempotency-key')).toBeNull();
  });

  it('is prequalified without an amount if the lender states none', async () => {
    const element = await mount();
    await endAs(element, 'prequalified');
    expect(seen(element).text).toMatch(/^A lender offers you financing\./);
  });

  it('is disabled with the element, or with a fieldset around it', async () => {
    const element = await mount();
    element.disabled = true;
    element.start();
    element.disabled = false;
    const fieldset = document.createElement('fieldset');
    fieldset.disabled = true;
    document.body.append(fieldset);
    fieldset.append(element);
    await element.updateComplete;
    expect(button(element)).toHaveProperty('disabled', true);
    element.start();
    expect(companion.sent).toEqual([]);
    fieldset.remove();
  });
});

it('opens no window after a reset that comes together with the companion’s response', async () => {
  companion.modes = ['popup'];
  const opening = vi.spyOn(window, 'open');
  const element = await mount({ presentation: 'popup' });
  companion.instead('open', () => {
    const response = Response.json(companion.opened('prq-1'), { status: 201 });
    const text = response.text.bind(response);
    vi.spyOn(response, 'text').mockImplementation(async () => {
      const said = await text();
      queueMicrotask(() => element.reset());
      return said;
    });
    return response;
  });
  button(element).click();
  await until(() => expect(opening.mock.results[0]?.value).toHaveProperty('closed', true));
  await nextFrame();
  expect(opening).toHaveBeenCalledOnce();
});

describe('another page of the shop', () => {
  async function reload(element: FinancingPrequalify): Promise<FinancingPrequalify> {
    element.remove();
    return mount();
  }

  it('shows that the shopper is prequalified again', async () => {
    const before = await mount();
    expect(await endAs(before, 'prequalified', { amount })).toMatchObject({ restored: false });
    const { text } = seen(before);
    before.remove();
    const restored = oneEvent(document, 'financing-prequalify-outcome');
    const element = await mount();
    expect(await restored).toMatchObject({ status: 'prequalified', amount, restored: true });
    await until(() => expect(seen(element)).toMatchObject({ title: 'You are prequalified', text }));
    expect(companion.count('open')).toBe(1);
    expect(frames(element)).toBe(0);
  });

  it('stores no amount and no lender with the result', async () => {
    await endAs(await mount({ amount: '89000' }), 'prequalified', { amount });
    const stored = Object.values(sessionStorage).map((text) => JSON.parse(String(text)) as object);
    expect(stored.map((one) => Object.keys(one).sort())).toContainEqual(['id', 'key', 'outcome']);
    expect(JSON.stringify(sessionStorage)).not.toMatch(/89000|250000|USD/);
  });

  it('offers a new application after a checkout has used the previous one', async () => {
    const before = await mount();
    await endAs(before, 'prequalified', { amount });
    forgetApplication(shop);
    const element = await reload(before);
    await until(() => expect(seen(element).action).toBe('See if you qualify'));
    expect(sessionStorage).toHaveLength(0);
  });

  it('stores the ID and the key only', async () => {
    const element = await mount({ amount: '89000' });
    await open(element);
    const stored = Object.values(sessionStorage).map((text) => JSON.parse(String(text)) as object);
    expect(stored).toHaveLength(1);
    expect(Object.keys(stored[0] ?? {}).sort()).toEqual(['id', 'key']);
    expect(JSON.stringify([sessionStorage, localStorage])).not.toMatch(/session-of|pk-test|89000/);
  });
});

describe('the application for a checkout', () => {
  it.each(['prequalified', 'pending'] as const)('is remembered when %s', async (status) => {
    await endAs(await mount(), status);
    expect(recallApplication(shop)).toBe('application-of-prq-1');
    const uat = { ...shop, environment: 'uat' } as const;
    expect(recallApplication(uat)).toBeUndefined();
  });

  it('is remembered until it expires after an hour', async () => {
    await endAs(await mount(), 'prequalified');
    vi.setSystemTime(Date.now() + 3_600_001);
    expect(recallApplication(shop)).toBeUndefined();
  });

  it('is forgotten when it is declined after all', async () => {
    const element = await mount();
    await endAs(element, 'pending');
    await endAs(element, 'declined');
    expect(recallApplication(shop)).toBeUndefined();
  });
});

describe('each outcome', () => {
  it.each(['prequalified', 'pending', 'declined', 'not-found', 'expired'] as const)(
    '%s is accessible, light and dark, and in Arabic',
    async (status) => {
      const element = await mount();
      await leadPointerAway();
      await endAs(element, status, { amount });
      await expectAccessible(element);
      element.style.colorScheme = 'dark';
      element.style.backgroundColor = '#121212';
      element.locale = 'ar';
      await until(() => expect(find(element, '[lang]')).toMatchObject({ lang: 'ar', dir: 'rtl' }));
      expect(seen(element).title).toMatch(/\p{Script=Arabic}/u);
      // A button in a color transition does not have its final contrast yet.
      const fading = element.shadowRoot?.getAnimations() ?? [];
      await Promise.allSettled(fading.map(({ finished }) => finished));
      await expectAccessible(element);
    },
  );
});

describe('a scenario', () => {
  it.each([
    ['prequalified', 'You are prequalified'],
    ['pending', 'Your application is being reviewed'],
    ['declined', 'No offer this time'],
    ['not-found', 'No application was made'],
    ['expired', 'Your application ran out of time'],
  ] as const)('%s ends with its outcome, without a request', async (scenario, title) => {
    const element = await mount({ scenario, companion: '', publicKey: '', currency: '' });
    await open(element);
    const ended = outcome(element);
    (find(element, 'iframe') as HTMLIFrameElement).contentDocument
      ?.getElementById('finish')
      ?.click();
    expect(await ended).toMatchObject({ status: scenario });
    await element.updateComplete;
    expect(seen(element).title).toBe(title);
    expect(companion.sent).toEqual([]);
  });

  it('can leave the companion unreachable', async () => {
    const element = await mount({ scenario: 'unavailable', companion: '' });
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ status: 'unavailable' });
    expect(companion.sent).toEqual([]);
  });

  it('is refused in production, and where its name is unknown', async () => {
    const element = await mount({ scenario: 'prequalified', environment: 'production' });
    const codes = codesOf(element);
    let ended = outcome(element);
    button(element).click();
    await ended;
    element.environment = 'sandbox';
    element.setAttribute('scenario', 'approved');
    ended = outcome(element);
    element.start();
    await ended;
    expect(codes).toEqual(['scenario-in-production', 'scenario-unknown']);
  });
});
