/* The service's own promotional widget in place of the message (published contract, section 8). */
import { expect, inject, it, vi } from 'vitest';
import { until, whileTimePasses } from '../clock.fixture.ts';
import { FakePublisher, part } from './programmes.fixture.ts';

interface Asked {
  readonly keys: string[];
  readonly updates: { readonly sku: string; readonly price: number }[][];
}
const asked = () =>
  (Reflect.get(globalThis, 'ChargeAfter') as { asked: Asked } | undefined)?.asked ?? {
    keys: [],
    updates: [],
  };
/** All prices that the service was sent, by SKU. */
const prices = () =>
  Object.fromEntries(
    asked()
      .updates.flat()
      .map(({ sku, price }) => [sku, price]),
  );
const scripts = () => [...document.scripts].filter(({ src }) => src.includes('promotional'));

it('a message logs nothing and keeps its space while the service’s script cannot be used', async () => {
  const error = vi.spyOn(console, 'error');
  const element = await new FakePublisher().mount({
    source: 'service',
    sku: 'D',
    'sdk-url': 'http://cdn.example/sdk.js',
    'public-key': 'pk-test-2',
  });
  await until(() => expect(element.querySelector('.ca-promotional-widget')).not.toBeNull());
  expect(element.getBoundingClientRect().height).toBeGreaterThan(0);
  expect(error).not.toHaveBeenCalled();
});

it('the service’s widget has the page’s attributes, loads once, and gets new prices in one call', async () => {
  const publisher = new FakePublisher();
  const mount = (sku: string, amount: string, currency = 'USD') =>
    publisher.mount({
      source: 'service',
      sku,
      amount,
      currency,
      'sdk-url': `${inject('hostedOrigin')}/sdk.js?global=ChargeAfter&promotional`,
      'public-key': ' pk-test-1 ',
      'widget-type': 'banner-vertical',
      'profile-id': 'profile-1',
      'financing-page-url': 'https://shop.example/financing',
    });
  const [first, second] = await Promise.all([mount('A', '89000'), mount('B', '5')]);
  await mount('C', '1200', 'JPY');
  // The script loads in real time.
  await until(() => expect(asked().keys).toEqual(['pk-test-1']));
  await whileTimePasses(until(() => expect(prices()).toMatchObject({ A: 890, B: 0.05, C: 1200 })));
  expect(asked().keys).toEqual(['pk-test-1']);
  expect(scripts()).toHaveLength(1);
  const widget = first.querySelector<HTMLElement>('.ca-promotional-widget');
  expect(Object.fromEntries(Object.entries(widget?.dataset ?? {}))).toEqual({
    widgetType: 'banner-vertical',
    widgetItemSku: 'A',
    widgetItemPrice: '890.00',
    widgetProfileId: 'profile-1',
    widgetFinancingPageUrl: 'https://shop.example/financing',
  });
  expect(widget?.checkVisibility()).toBe(true);
  asked().updates.length = 0;
  first.amount = 90_000;
  second.amount = 1_000;
  await until(() => expect(prices()).toEqual({ A: 900, B: 10 }));
  expect(asked().updates).toHaveLength(1);
  first.amount = '';
  await first.updateComplete;
  expect(widget?.checkVisibility()).toBe(false);
  expect(publisher.requests).toHaveLength(0);
  expect(part(first, 'text')).toBeNull();
});
