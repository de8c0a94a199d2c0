/* The evidence of what a shopper saw, from the message to the checkout that follows. */
import { primeRequestSchema, shownMessageSchema } from '@financing-checkout/contract/storefront';
import { beforeEach, describe, expect, it } from 'vitest';
import { until } from '../clock.fixture.ts';
import { FakeCompanion } from '../companion.fixture.ts';
import { button, mount, shown as isShown } from '../element.fixture.ts';
import { FinancingStepEvent, observeFunnel } from '../funnel.ts';
import type { FinancingMessageShownEvent } from './index.ts';
import { FakePublisher, part, programme } from './programmes.fixture.ts';

const KEY = 'financing-message:shown';
const seen: FinancingMessageShownEvent[] = [];
const record = (event: FinancingMessageShownEvent) => void seen.push(event);
const remembered = () => shownMessageSchema.parse(JSON.parse(sessionStorage.getItem(KEY) ?? ''));

/**
 * Adds a message at the top of the page and waits for its report. By then, the observer of any
 * earlier message that had something to report has been called.
 */
async function reportVisible(amount: number): Promise<void> {
  const element = await new FakePublisher(programme()).mount({ amount: String(amount) });
  if (element.parentElement) document.body.prepend(element.parentElement);
  await until(() => expect(seen.at(-1)?.amount).toBe(amount));
}

beforeEach(() => {
  seen.length = 0;
  document.body.addEventListener('financing-message-shown', record);
});

describe('a message', () => {
  it('that was visible is reported once for each text and amount, and the last one is stored', async () => {
    const element = await new FakePublisher(programme()).mount();
    await until(() => expect(seen).toHaveLength(1));
    expect(seen[0]).toMatchObject({
      programmeId: 'programme-1',
      textId: 'text-1',
      sha256: 'a'.repeat(64),
      amount: 89_000,
      currency: 'USD',
      bubbles: true,
      composed: true,
    });
    element.amount = 120_000;
    await until(() => expect(seen).toHaveLength(2));
    expect(remembered()).toMatchObject({ amount: 120_000, shownAt: seen[1]?.shownAt });
    element.amount = 89_000;
    await until(() => expect(remembered().amount).toBe(89_000));
    element.category = 'chairs';
    await element.updateComplete;
    expect(seen).toHaveLength(2);
  });

  it('below the visible part of the page is not reported until it is scrolled into view', async () => {
    const element = await new FakePublisher(programme()).mount();
    const place = element.parentElement;
    if (!place) throw new Error('It has no place.');
    await until(() => expect(seen).toHaveLength(1));
    seen.length = 0;
    const spacer = document.createElement('div');
    spacer.style.blockSize = '5000px';
    place.before(spacer);
    scrollTo(0, 0);
    await reportVisible(120_000);
    element.amount = 150_000;
    await element.updateComplete;
    await reportVisible(180_000);
    expect(seen.map(({ amount }) => amount)).toEqual([120_000, 180_000]);
    element.scrollIntoView();
    await until(() => expect(seen.at(-1)?.amount).toBe(150_000));
    spacer.remove();
  });

  it('that shows nothing is not reported', async () => {
    const element = await new FakePublisher(programme()).mount({ amount: '100' });
    await reportVisible(120_000);
    expect(part(element, 'text')).toBeNull();
    expect(seen.map(({ amount }) => amount)).toEqual([120_000]);
    expect(remembered().amount).toBe(120_000);
  });
});

describe('the checkout that follows', () => {
  const shown = {
    programmeId: 'programme-1',
    textId: 'text-1',
    sha256: 'a'.repeat(64),
    amount: 89_000,
    currency: 'USD',
    shownAt: '2026-11-20T12:00:00.000Z',
  };
  const prime = async () => {
    const companion = new FakeCompanion();
    const element = await mount();
    button(element).click();
    await isShown(element);
    return primeRequestSchema.parse(companion.sent[0]?.body).shown;
  };

  it('carries the message to the companion', async () => {
    sessionStorage.setItem(KEY, JSON.stringify(shown));
    expect(await prime()).toEqual(shown);
  });

  it.each<[string, unknown]>([
    ['in another currency', { ...shown, currency: 'EUR' }],
    ['with a hash that is none', { ...shown, sha256: 'A'.repeat(64) }],
    ['with an amount that is none', { ...shown, amount: -1 }],
    ['with an amount as text', { ...shown, amount: '89000' }],
    ['with something more', { ...shown, email: 'a@shop.example' }],
    ['without its moment', { ...shown, shownAt: undefined }],
    ['that is a list', [shown]],
    ['that is nothing', null],
  ])('carries no message %s', async (_, value) => {
    sessionStorage.setItem(KEY, JSON.stringify(value));
    expect(await prime()).toBeUndefined();
  });
});

describe('observeFunnel', () => {
  it('reports each step from the message to the outcome once, until it ends', async () => {
    const steps: object[] = [];
    const end = observeFunnel();
    const listen = (event: Event) => {
      if (!(event instanceof FinancingStepEvent)) return;
      const { amount, checkoutId, currency, outcome, step } = event;
      steps.push(
        JSON.parse(JSON.stringify({ step, amount, currency, checkoutId, outcome })) as object,
      );
    };
    document.addEventListener('financing-step', listen);
    const publisher = new FakePublisher(programme());
    const message = await publisher.mount();
    await until(() => expect(steps).toHaveLength(1));
    await message.open();
    message.close();
    new FakeCompanion();
    const element = await mount();
    element.dispatchEvent(
      new CustomEvent('financing-application', { bubbles: true, composed: true }),
    );
    const refuse = (event: Event) => event.preventDefault();
    element.addEventListener('financing-start', refuse);
    element.start();
    element.removeEventListener('financing-start', refuse);
    button(element).click();
    const frame = await isShown(element);
    const over = new Promise((resolve) => {
      element.addEventListener('financing-outcome', resolve, { once: true });
    });
    frame.contentWindow?.postMessage(
      { say: { type: 'confirmed', confirmationToken: 'token-1' } },
      '*',
    );
    await over;
    const order = { amount: 129_900, currency: 'USD' };
    expect(steps).toEqual([
      { step: 'message-shown', amount: 89_000, currency: 'USD' },
      { step: 'dialog-opened', amount: 89_000, currency: 'USD' },
      { step: 'application-created', ...order },
      { step: 'started', ...order },
      { step: 'confirmed', ...order, checkoutId: 'checkout-1' },
      { step: 'outcome', ...order, checkoutId: 'checkout-1', outcome: 'approved' },
    ]);
    end();
    message.amount = 95_000;
    await until(() => expect(seen.at(-1)?.amount).toBe(95_000));
    expect(steps).toHaveLength(6);
    document.removeEventListener('financing-step', listen);
  });

  it('reports the offers of one list once, and again for the next application', async () => {
    const steps: string[] = [];
    const place = document.createElement('div');
    const end = observeFunnel(place);
    place.addEventListener('financing-step', ({ step }) => steps.push(step));
    const element = document.createElement('b');
    place.append(element);
    const say = (type: string, data = {}) =>
      element.dispatchEvent(
        Object.assign(new Event(type, { bubbles: true, composed: true }), data),
      );
    const apply = async () => {
      say('financing-start');
      await Promise.resolve();
      say('financing-application', { applicationId: 'x' });
      for (const status of ['PENDING', 'DECLINE', 'PRE_APPROVED', 'APPROVED']) {
        say('financing-application', { status });
      }
    };
    await apply();
    await apply();
    const each = ['started', 'application-created', 'offers-shown'];
    expect(steps).toEqual([...each, ...each]);
    end();
  });
});
