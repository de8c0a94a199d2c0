import { nextFrame, oneEvent } from '@open-wc/testing';
import { userEvent } from 'vitest/browser';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '../axe.fixture.ts';
import { until, whileTimePasses } from '../clock.fixture.ts';
import { broken, COMPANION, problem } from '../companion.fixture.ts';
import { forgetApplication, recallApplication } from '../companion/application.ts';
import type { FinancingErrorEvent, FinancingStartEvent } from '../index.ts';
import { leadPointerAway } from '../pointer.fixture.ts';
import {
  button,
  FakePrequalifications,
  find,
  frames,
  heard,
  mount,
  open,
  outcome,
  say,
  seen,
} from './prequalify.fixture.ts';
import type { FinancingPrequalify } from './index.ts';

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

  it.each([
    ['declined', 'No offer this time', '', true],
    ['not-found', 'No application was made', 'Start again', true],
    ['expired', 'Your application ran out of time', 'Start again', true],
  ] as const)('that is %s is shown with its own texts', async (status, title, action, others) => {
    const element = await mount();
    expect(await endAs(element, status)).toMatchObject({ status });
    expect(seen(element)).toMatchObject({ title, action });
    expect(find(element, '[part=other-methods]').checkVisibility()).toBe(others);
    expect(sessionStorage).toHaveLength(0);
  });

  it('that is pending can be continued in the same element', async () => {
    const element = await mount();
    expect(await endAs(element, 'pending')).toMatchObject({ status: 'pending' });
    expect(seen(element).action).toBe('Continue your application');
    await open(element);
    companion.becomes('prequalified', { amount });
    expect(await end(element)).toMatchObject({ status: 'prequalified', amount });
    expect(companion.count('open')).toBe(1);
  });

  it('that is pending at the lender only is looked up again', async () => {
    const element = await mount();
    await endAs(element, 'pending', { presentation: undefined });
    expect(seen(element).action).toBe('Check now');
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ status: 'pending' });
    expect(frames(element)).toBe(0);
  });

  it('trusts the companion, not the page', async () => {
    const element = await mount();
    await open(element);
    companion.becomes('declined');
    const ended = outcome(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    expect(await ended).toMatchObject({ status: 'declined', amount: undefined });
  });

  it('waits for a companion that learns of the outcome later than the page', async () => {
    const element = await mount();
    await open(element);
    companion.instead('find', () => Response.json(companion.opened('prq-1')), broken.refused);
    companion.becomes('prequalified', { amount });
    expect(await whileTimePasses(end(element))).toMatchObject({ status: 'prequalified' });
    expect(companion.count('find')).toBe(3);
  });

  it('is started once on a double-click', async () => {
    const element = await mount();
    button(element).click();
    button(element).click();
    element.start();
    await until(() => expect(frames(element)).toBe(1));
    expect(companion.count('open')).toBe(1);
  });

  it('does not start when the page prevents it', async () => {
    const element = await mount();
    element.addEventListener('financing-start', (event: FinancingStartEvent) => {
      expect(event.resuming).toBe(false);
      event.preventDefault();
    });
    button(element).click();
    await nextFrame();
    expect(companion.sent).toEqual([]);
    expect(seen(element).action).toBe('See if you qualify');
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

describe('a shopper who leaves', () => {
  it('by Escape can continue the same application', async () => {
    const element = await mount();
    await open(element);
    find(element, '[part=close]').focus();
    const ended = outcome(element);
    await userEvent.keyboard('{Escape}');
    expect(await ended).toMatchObject({
      status: 'cancelled',
      applicationId: 'application-of-prq-1',
    });
    await element.updateComplete;
    expect(find(element, 'dialog')).toHaveProperty('open', false);
    expect(seen(element)).toMatchObject({ action: 'Continue your application' });
    expect(element.shadowRoot?.activeElement).toBe(button(element));
    await open(element);
    expect(companion.count('open')).toBe(1);
  });

  it('before the companion responded starts again with the same key', async () => {
    companion.instead('open', broken.never);
    const element = await mount();
    button(element).click();
    await until(() => expect(companion.count('open')).toBe(1));
    const ended = outcome(element);
    element.close();
    expect(await ended).toMatchObject({ status: 'cancelled', applicationId: undefined });
    await open(element);
    const [first, again] = companion.sent;
    expect(again?.headers.get('idempotency-key')).toBe(first?.headers.get('idempotency-key'));
  });

  it('through reset() gets the button, and a new application', async () => {
    const element = await mount();
    await open(element);
    element.reset();
    await element.updateComplete;
    expect(seen(element)).toEqual({ title: '', text: '', action: 'See if you qualify' });
    expect(sessionStorage).toHaveLength(0);
    await open(element);
    expect(companion.count('open')).toBe(2);
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

  it('continues an application that was left open', async () => {
    const before = await mount();
    await open(before);
    const element = await reload(before);
    expect(seen(element).action).toBe('Continue your application');
    expect(companion.count('find')).toBe(0);
    await open(element);
    expect(companion.sent.map(({ route }) => route)).toEqual(['open', 'find']);
  });

  it('continues after a reload during the opening request', async () => {
    companion.instead('open', broken.never);
    const before = await mount();
    button(before).click();
    await until(() => expect(companion.count('open')).toBe(1));
    const element = await reload(before);
    await open(element);
    expect(new Set(companion.sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(
      1,
    );
  });

  it('continues after a reload while the outcome was looked up', async () => {
    const before = await mount();
    await open(before);
    companion.instead('find', broken.never);
    companion.becomes('prequalified', { amount });
    say(before, { type: 'ended', reason: 'pending' });
    await until(() => expect(companion.count('find')).toBe(1));
    const element = await reload(before);
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ status: 'prequalified', amount });
  });

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

  it('offers to continue if the result cannot be looked up', async () => {
    const before = await mount();
    await endAs(before, 'prequalified', { amount });
    companion.instead('find', broken.refused);
    const element = await reload(before);
    await until(() => expect(seen(element).action).toBe('Continue your application'));
    expect(seen(element).title).toBe('');
  });

  it('offers a new application after a checkout has used the previous one', async () => {
    const before = await mount();
    await endAs(before, 'prequalified', { amount });
    forgetApplication(shop);
    const element = await reload(before);
    await until(() => expect(seen(element).action).toBe('See if you qualify'));
    expect(sessionStorage).toHaveLength(0);
  });

  it.each(['declined', 'not-found', 'expired'] as const)(
    'starts a new application after one that became %s',
    async (status) => {
      const before = await mount();
      await open(before);
      const element = await reload(before);
      companion.becomes(status);
      await open(element);
      expect(companion.count('open')).toBe(2);
    },
  );

  it('starts a new application if the companion does not know the previous one', async () => {
    const before = await mount();
    await open(before);
    const element = await reload(before);
    companion.instead('find', () => problem('not-found'));
    await open(element);
    expect(companion.count('open')).toBe(2);
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

describe('a failure', () => {
  it.each([
    ['does not answer', broken.refused, 'unreachable', 'unavailable', 'Try again'],
    ['is another server', broken.html, 'answer-invalid', 'unavailable', 'Try again'],
    ['sends half an answer', broken.cut, 'answer-invalid', 'unavailable', 'Try again'],
    [
      'is down',
      () => problem('service-unavailable'),
      'service-unavailable',
      'unavailable',
      'Try again',
    ],
    ['refuses the key', () => problem('public-key-invalid'), 'public-key-invalid', 'failed', ''],
    [
      'is of another environment',
      () => problem('environment-mismatch'),
      'environment-mismatch',
      'failed',
      '',
    ],
  ] as const)('of a companion that %s', async (_, answer, code, status, action) => {
    companion.instead('open', answer);
    const element = await mount();
    const codes = codesOf(element);
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ status, expiresAt: undefined });
    await element.updateComplete;
    expect(codes).toEqual([code]);
    expect(seen(element)).toMatchObject({ action });
    expect(find(element, 'dialog')).toHaveProperty('open', false);
  });

  it('of a response with an unknown status shows nothing inaccurate', async () => {
    companion.instead('open', () =>
      Response.json({ ...companion.opened('prq-1'), status: 'approved' }),
    );
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ status: 'unavailable' });
  });

  it('of a slow companion ends after its timeout', async () => {
    companion.instead('open', broken.never);
    const element = await mount();
    const codes = codesOf(element);
    const ended = outcome(element);
    button(element).click();
    await until(() => expect(companion.count('open')).toBe(1));
    expect(find(element, 'dialog')).toHaveProperty('open', true);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await ended).toMatchObject({ status: 'unavailable' });
    expect(codes).toEqual(['timeout']);
  });

  it('of the network is reported as such, and can be retried', async () => {
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    companion.instead('open', broken.refused);
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    await ended;
    await element.updateComplete;
    expect(seen(element).title).toBe('You seem to be offline');
    online.mockReturnValue(true);
    await open(element);
  });

  it('of the network after the lender’s page keeps the application', async () => {
    const element = await mount();
    await open(element);
    companion.instead('find', ...Array.from({ length: 4 }, () => broken.refused));
    expect(await whileTimePasses(end(element))).toMatchObject({ status: 'unavailable' });
    companion.becomes('prequalified', { amount });
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ status: 'prequalified' });
    expect(companion.count('open')).toBe(1);
  });

  it('of a frame that the browser blocks leads to the next presentation, and then to a retry', async () => {
    companion.modes = ['popup'];
    companion.application = companion.opened('prq-1');
    vi.spyOn(globalThis, 'open').mockReturnValue(null);
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ status: 'unavailable' });
    await element.updateComplete;
    expect(seen(element)).toMatchObject({ action: 'Try again' });
  });

  it.each([
    ['currency', { currency: 'usd' }, 'currency-missing'],
    ['amount', { amount: '89.90' }, 'amount-invalid'],
    ['amount', { amount: 'NaN' }, 'amount-invalid'],
    ['public-key', { publicKey: ' ' }, 'public-key-missing'],
    ['companion', { companion: 'http://shop.example' }, 'companion-missing'],
  ] as const)('of the attribute %s names it, without its value', async (_, over, code) => {
    const element = await mount(over);
    const codes = codesOf(element);
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ status: 'failed' });
    expect(codes).toEqual([code]);
    expect(companion.sent).toEqual([]);
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
