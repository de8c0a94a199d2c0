/* "Continue on your phone": the link to a checkout, and what the page shows while it waits. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from './clock.fixture.ts';
import { FakeCompanion, LINK } from './companion.fixture.ts';
import { find, heard, mount, seen } from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';

let companion: FakeCompanion;

beforeEach(() => {
  companion = new FakeCompanion();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

const second = (element: FinancingCheckout) => find(element, '#start ~ [part=second-button]');
const address = (element: FinancingCheckout) =>
  element.shadowRoot?.querySelector('[part=address]')?.textContent;

async function mountPhone(): Promise<FinancingCheckout> {
  const element = await mount();
  element.phone = true;
  await element.updateComplete;
  return element;
}

/** Presses the secondary button and waits for the link. */
async function wait(element: FinancingCheckout): Promise<void> {
  second(element).click();
  await until(() => expect(address(element)).toBe(LINK.url));
}

describe('the second button', () => {
  it('has no text when there is nothing to press', async () => {
    const element = await mount();
    expect(second(element).textContent).toBe('');
    element.phone = true;
    await element.updateComplete;
    expect(second(element).textContent).toBe('Continue on your phone');
    element.phone = false;
    await element.updateComplete;
    expect(second(element).textContent).toBe('');
  });
});

describe('a checkout on a phone', () => {
  it('shows the link and its QR code, also after the link was opened', async () => {
    const element = await mountPhone();
    await wait(element);
    const link = { href: LINK.url, rel: 'noopener noreferrer' };
    expect(find(element, '[part=link]')).toMatchObject(link);
    expect(find(element, 'img').getAttribute('src')).toMatch(/^data:image\/png;base64,iVBOR/);
    const presentation = { sessionToken: 's', link: { ...LINK, state: 'opened' as const } };
    companion.checkout = { ...companion.checkout, presentation };
    dispatchEvent(new Event('online'));
    await until(() => expect(seen(element).title).toBe('Your application is open'));
    expect(find(element, 'img').checkVisibility()).toBe(true);
    expect(address(element)).toBe(LINK.url);
  });

  it('copies the link and confirms that it was copied', async () => {
    const element = await mountPhone();
    await wait(element);
    const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    const copy = find(element, 'section [part=second-button]');
    expect(copy.textContent).toBe('Copy the address');
    copy.click();
    await until(() => expect(copy.textContent).toBe('Address copied'));
    expect(copied).toHaveBeenCalledWith(LINK.url);
    expect(heard(element)).toContain('Address copied');
  });

  it('keeps showing the link when the page may not copy it', async () => {
    const element = await mountPhone();
    await wait(element);
    const denied = vi
      .spyOn(navigator.clipboard, 'writeText')
      .mockRejectedValue(new Error('denied'));
    const copy = find(element, 'section [part=second-button]');
    copy.click();
    await until(() => expect(denied).toHaveBeenCalled());
    await element.updateComplete;
    expect(copy.textContent).toBe('Copy the address');
    expect(address(element)).toBe(LINK.url);
  });

  it('shows only the link when there is no QR code', async () => {
    companion.link = { qrCode: undefined };
    const element = await mountPhone();
    await wait(element);
    expect(element.shadowRoot?.querySelector('img')).toBeNull();
  });

  it('hides a QR code that is not an image', async () => {
    companion.link = { qrCode: 'bm90IGFuIGltYWdl' };
    const element = await mountPhone();
    await wait(element);
    await until(() => expect(find(element, 'img').checkVisibility()).toBe(false));
    expect(find(element, '[part=address]').checkVisibility()).toBe(true);
  });

  it('is in the language of the page', async () => {
    const element = await mountPhone();
    element.locale = 'de';
    await until(() => expect(second(element).textContent).toBe('Auf dem Handy fortsetzen'));
    await wait(element);
    expect(seen(element).text).toContain('Scannen Sie den Code');
  });
});
