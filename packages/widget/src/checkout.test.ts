import { nextFrame } from '@open-wc/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from './clock.fixture.ts';
import { broken, FakeCompanion, problem, ticket } from './companion.fixture.ts';
import {
  button,
  find,
  frames,
  heard,
  isOpen,
  mount,
  open,
  outcome,
  say,
  seen,
} from './element.fixture.ts';

let companion: FakeCompanion;
let told: string[];

beforeEach(() => {
  companion = new FakeCompanion();
  told = [];
  vi.spyOn(console, 'error').mockImplementation((text: string) => void told.push(text));
});

describe('a checkout', () => {
  it('sends no request before the shopper acts', async () => {
    const requested = vi.spyOn(globalThis, 'fetch');
    const before = performance.getEntriesByType('resource').length;
    const element = await mount();
    await nextFrame();
    expect(requested).not.toHaveBeenCalled();
    expect(performance.getEntriesByType('resource').slice(before)).toEqual([]);
    expect(frames(element)).toBe(0);
  });

  it('asks to wait until the dialog has loaded, and opens it before the companion responds', async () => {
    companion.instead('prime', broken.never);
    const element = await mount();
    button(element).click();
    await element.updateComplete;
    expect(isOpen(element)).toBe(false);
    expect(seen(element)).toEqual({ title: '', text: '', action: 'One moment…' });
    expect(button(element).ariaDisabled).toBe('true');
    expect(heard(element)).toBe('Opening your application…');
    await until(() => expect(isOpen(element)).toBe(true));
    expect(find(element, '.skeleton').checkVisibility()).toBe(true);
    expect(heard(element)).toBe('Opening your application…');
    expect(button(element).ariaDisabled).toBe('false');
  });

  it('opens the dialog within a later click', async () => {
    const element = await mount();
    await open(element);
    const left = outcome(element);
    element.close();
    await left;
    companion.instead('find', broken.never);
    button(element).click();
    expect(isOpen(element)).toBe(true);
    await element.updateComplete;
    expect(find(element, '.skeleton').checkVisibility()).toBe(true);
  });
});

describe('a confirmation', () => {
  it('polls with exponential backoff, and immediately when the network comes back', async () => {
    companion.verdict = { status: 'unavailable', retrySafe: false };
    const element = await mount();
    await open(element);
    const said = vi.fn();
    element.addEventListener('financing-outcome', said);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    await until(() => expect(companion.count('confirmation')).toBe(1));
    await vi.advanceTimersByTimeAsync(60_000);
    const first = companion.count('find');
    expect(first).toBeGreaterThanOrEqual(5);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(first).toBeLessThanOrEqual(8);
    expect(companion.count('find') - first).toBeLessThanOrEqual(2);
    const before = companion.count('find');
    dispatchEvent(new Event('online'));
    await vi.advanceTimersByTimeAsync(0);
    expect(companion.count('find')).toBe(before + 1);
    // An unchanged result fires one event.
    expect(said).toHaveBeenCalledOnce();
  });
});

describe('a page with an invalid setup', () => {
  it('accepts whitespace around a key and a ticket, as templates produce it', async () => {
    const element = await mount({ publicKey: ' pk-test-1\n', order: `\n  ${ticket()}\n` });
    await open(element);
    const [prime] = companion.sent;
    expect(told).toEqual([]);
    expect(prime?.headers.get('authorization')).toBe('Bearer pk-test-1');
  });

  it.each(['Sandbox', 'sandbox '])(
    'explains the correct spelling of environment: "%s"',
    async (environment) => {
      const element = await mount({ environment });
      const ended = outcome(element);
      button(element).click();
      await ended;
      expect(told[0]).toContain('Set environment to uat, sandbox or production.');
    },
  );

  it('reports the path and the reason of a ticket error, in the console and the event', async () => {
    const detail = 'The ticket is signed. order.items.0.sku must not be empty.';
    companion.instead('prime', () => problem('order-ticket-invalid', { detail }));
    const element = await mount();
    const heard = new Promise<string>((resolve) => {
      element.addEventListener('financing-error', ({ message }) => resolve(message));
    });
    button(element).click();
    expect(await heard).toContain(detail);
    expect(told[0]).toContain(detail);
  });
});
