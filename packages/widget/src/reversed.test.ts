/* The financing of an order was reversed: the shopper who returns sees a notice. */
import type { Reversal } from '@financing-checkout/contract/storefront';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from './clock.fixture.ts';
import { FakeCompanion, ticket } from './companion.fixture.ts';
import { button, find, heard, mount, open, outcome, say, seen } from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';

let companion: FakeCompanion;

beforeEach(() => {
  companion = new FakeCompanion();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

async function approve(): Promise<void> {
  const element = await mount();
  await open(element);
  const ended = outcome(element);
  say(element, { type: 'confirmed', confirmationToken: 'token-1' });
  expect(await ended).toMatchObject({ outcome: 'approved' });
  element.remove();
}

/**
 * @param presses whether the shopper has to press the button because no tab on this device has paid
 *   the order
 */
async function comeBack(presses = false): Promise<FinancingCheckout> {
  const element = await mount({ order: ticket() });
  const ended = outcome(element);
  if (presses) button(element).click();
  const { outcome: how, reversal } = await ended;
  expect(reversal).toEqual(companion.checkout.reversal);
  expect(how).toBe(reversal?.kind === 'reduced' ? 'approved' : 'failed');
  await element.updateComplete;
  return element;
}

const usd = (value: number) => ({ value, currency: 'USD' });
const cases: [reversal: Reversal, title: string, text: string, isOwed: boolean][] = [
  [
    { kind: 'voided' },
    'Your financing was cancelled',
    'This order is not financed any more.',
    false,
  ],
  [
    { kind: 'refunded', amount: usd(129_900) },
    'Your financing was refunded',
    '$1,299.00 went back to the lender.',
    false,
  ],
  [{ kind: 'refunded' }, 'Your financing was refunded', '', false],
  [
    { kind: 'reduced', amount: usd(30_000) },
    'A part of your financing was refunded',
    '$300.00 of $1,299.00 went back to the lender.',
    true,
  ],
];

describe.each(cases)('an order with %o', (reversal, title, text, isOwed) => {
  function expectNotice(element: FinancingCheckout): void {
    expect(seen(element)).toEqual({ title, text, action: '' });
    expect(heard(element)).toBe(`${title}. ${text}`.trim());
    expect(find(element, '[part=other-methods]').checkVisibility()).toBe(!isOwed);
  }

  it('is announced in the tab that remembers it', async () => {
    await approve();
    companion.checkout = companion.ended({ status: 'approved', reversal });
    expectNotice(await comeBack());
    expect(companion.count('find')).toBe(1);
  });

  it('is announced on another device, and again after a reload there', async () => {
    companion.checkout = companion.ended({ status: 'approved', reversal });
    const decided = () => Response.json(companion.checkout);
    companion.instead('prime', decided, decided, decided);
    const element = await comeBack(true);
    expectNotice(element);
    element.remove();
    expectNotice(await comeBack(true));
  });
});

it('does not show an unknown reversal as an approval', async () => {
  await approve();
  const answer = { ...companion.ended({ status: 'approved' }), reversal: { kind: 'reversed' } };
  companion.instead('find', () => Response.json(answer));
  const element = await mount({ order: ticket() });
  await until(() => expect(companion.count('find')).toBe(1));
  await element.updateComplete;
  expect(seen(element).title).not.toBe('Your financing is approved');
});
