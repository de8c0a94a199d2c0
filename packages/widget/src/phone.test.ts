/* "Continue on your phone": the link to a checkout, and what the page shows while it waits. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until, whileTimePasses } from './clock.fixture.ts';
import { broken, FakeCompanion, LINK, problem, ticket } from './companion.fixture.ts';
import { button, find, frames, heard, mount, open, outcome, seen } from './element.fixture.ts';
import type { FinancingCheckout, FinancingErrorEvent } from './index.ts';

let companion: FakeCompanion;

beforeEach(() => {
  companion = new FakeCompanion();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

const second = (element: FinancingCheckout) => find(element, '#start ~ [part=second-button]');
const address = (element: FinancingCheckout) =>
  element.shadowRoot?.querySelector('[part=address]')?.textContent;

async function mountPhone(over: Partial<FinancingCheckout> = {}): Promise<FinancingCheckout> {
  const element = await mount(over);
  element.phone = true;
  await element.updateComplete;
  return element;
}

/** Presses the secondary button and waits for the link. */
async function wait(element: FinancingCheckout): Promise<void> {
  second(element).click();
  await until(() => expect(address(element)).toBe(LINK.url));
}

/** Changes the next response, and makes the page poll for it. */
function hear(over: object): void {
  companion.checkout = { ...companion.checkout, ...over };
  dispatchEvent(new Event('online'));
}

function opened(): void {
  const { presentation } = companion.checkout;
  const link = { ...LINK, state: 'opened' as const };
  hear({ presentation: { ...presentation, link } });
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

  it('is offered only where the page allows it', async () => {
    expect(second(await mount()).checkVisibility()).toBe(false);
    const element = await mountPhone();
    expect(second(element).textContent).toBe('Continue on your phone');
    expect(second(element).checkVisibility()).toBe(true);
  });

  it('is disabled with the element', async () => {
    const element = await mountPhone();
    element.disabled = true;
    await element.updateComplete;
    second(element).click();
    await element.updateComplete;
    expect(second(element)).toHaveProperty('disabled', true);
    expect(companion.sent).toEqual([]);
  });

  it('is offered again after the shopper left, and not after a decline', async () => {
    const element = await mountPhone();
    await open(element);
    let ended = outcome(element);
    element.close();
    await ended;
    await element.updateComplete;
    expect(second(element).checkVisibility()).toBe(true);
    await wait(element);
    companion.farewell = { status: 'declined' };
    ended = outcome(element);
    hear({ status: 'declined', presentation: undefined });
    expect(await ended).toMatchObject({ outcome: 'declined' });
    await element.updateComplete;
    expect(second(element).checkVisibility()).toBe(false);
  });
});

describe('a checkout on a phone', () => {
  it('shows the link and its QR code, follows the phone, and ends approved', async () => {
    const element = await mountPhone();
    await wait(element);
    expect(companion.sent[0]?.body).toMatchObject({ via: 'link' });
    expect(seen(element)).toMatchObject({ title: 'Continue on your phone', action: '' });
    expect(find(element, 'img').getAttribute('src')).toMatch(/^data:image\/png;base64,iVBOR/);
    expect(find(element, '[part=link]')).toMatchObject({
      href: LINK.url,
      rel: 'noopener noreferrer',
    });
    expect(heard(element)).toContain('Scan the code with your phone');
    expect(find(element, '[part=other-methods]').checkVisibility()).toBe(false);
    expect(find(element, 'dialog')).toHaveProperty('open', false);
    opened();
    await until(() => expect(seen(element).title).toBe('Your application is open'));
    expect(seen(element).text).toMatch(/^Continue there.* Scan the code with your phone/);
    expect(find(element, 'img').checkVisibility()).toBe(true);
    expect(address(element)).toBe(LINK.url);
    const ended = outcome(element);
    hear({ status: 'approved', presentation: undefined });
    expect(await ended).toMatchObject({ outcome: 'approved', checkoutId: 'checkout-1' });
    await until(() => expect(seen(element).title).toBe('Your financing is approved'));
  });

  it('says that a phone cannot open an address of this machine', async () => {
    companion.link = { ...LINK, url: 'http://localhost:4444/link/1' };
    const element = await mountPhone();
    second(element).click();
    await until(() => expect(address(element)).toBe('http://localhost:4444/link/1'));
    expect(heard(element)).toContain('A phone cannot open this address');
    expect(heard(element)).not.toContain('Scan the code');
  });

  it('reports a charge in progress', async () => {
    const element = await mountPhone();
    await wait(element);
    hear({ status: 'confirming', presentation: undefined });
    await until(() => expect(seen(element).title).toBe('Confirming with your lender'));
  });

  it('ends canceled when the shopper cancels, and says that the link can still be used', async () => {
    const element = await mountPhone();
    await wait(element);
    const ended = outcome(element);
    expect(second(element).textContent).toBe('Cancel');
    second(element).click();
    expect(await ended).toMatchObject({
      outcome: 'cancelled',
      checkoutId: 'checkout-1',
      retrySafe: undefined,
      linkExpiresAt: LINK.expiresAt,
    });
    await element.updateComplete;
    expect(companion.count('cancellation')).toBe(1);
    // The service cannot revoke a link.
    expect(companion.checkout.status).toBe('open');
    expect(seen(element)).toMatchObject({
      title: 'You left the application',
      text: expect.stringContaining('works for 24 hours: please do not use it') as string,
      action: 'Pay over time',
    });
    expect(sessionStorage).toHaveLength(0);
  });

  it('shows the same link again after the shopper canceled', async () => {
    const element = await mountPhone();
    await wait(element);
    const ended = outcome(element);
    element.close();
    await ended;
    await element.updateComplete;
    await wait(element);
    expect(companion.checkout.id).toBe('checkout-1');
    const approved = outcome(element);
    hear({ status: 'approved', presentation: undefined });
    expect(await approved).toMatchObject({ outcome: 'approved', checkoutId: 'checkout-1' });
  });

  it('says that the link can still be used when the cancellation does not arrive', async () => {
    companion.instead('cancellation', broken.refused, broken.refused);
    const element = await mountPhone();
    await wait(element);
    const ended = outcome(element);
    element.close();
    expect(await whileTimePasses(ended)).toMatchObject({
      outcome: 'cancelled',
      retrySafe: undefined,
      linkExpiresAt: LINK.expiresAt,
    });
  });

  it('mentions no link after leaving a checkout on this device', async () => {
    const element = await mountPhone();
    await open(element);
    const ended = outcome(element);
    element.close();
    expect(await ended).toMatchObject({ outcome: 'cancelled', linkExpiresAt: undefined });
  });

  it('keeps an approval that arrived before the cancellation', async () => {
    companion.farewell = { status: 'approved' };
    const element = await mountPhone();
    await wait(element);
    const ended = outcome(element);
    element.close();
    expect(await ended).toMatchObject({ outcome: 'approved' });
  });

  it('ends expired when the service no longer accepts the link', async () => {
    const element = await mountPhone();
    await wait(element);
    companion.farewell = { status: 'cancelled' };
    const ended = outcome(element);
    hear({ presentation: { sessionToken: 's', link: { ...LINK, state: 'expired' } } });
    expect(await ended).toMatchObject({ outcome: 'expired', linkExpiresAt: undefined });
    await until(() => expect(seen(element).action).toBe('Start again'));
  });

  it('waits silently while the companion cannot be reached', async () => {
    const element = await mountPhone();
    await wait(element);
    companion.instead('find', broken.refused, broken.html, broken.cut);
    opened();
    await until(() => expect(companion.count('find')).toBe(1));
    dispatchEvent(new Event('online'));
    await until(() => expect(companion.count('find')).toBe(2));
    dispatchEvent(new Event('online'));
    await until(() => expect(companion.count('find')).toBe(3));
    dispatchEvent(new Event('online'));
    await until(() => expect(seen(element).title).toBe('Your application is open'));
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

  it('shows no URL that could run a script', async () => {
    const codes: string[] = [];
    const element = await mountPhone();
    element.addEventListener('financing-error', ({ code }: FinancingErrorEvent) =>
      codes.push(code),
    );
    companion.instead('prime', () => {
      const checkout = companion.opened('checkout-1', 'link');
      const link = { ...LINK, url: 'javascript:alert(1)' };
      return Response.json({ ...checkout, presentation: { sessionToken: 's', link } });
    });
    const ended = outcome(element);
    second(element).click();
    expect(await ended).toMatchObject({ outcome: 'unavailable', retrySafe: true });
    expect(codes).toEqual(['link-unusable']);
    expect(address(element)).toBeUndefined();
  });

  it('shows a refusal of the companion as the outcome', async () => {
    companion.instead('prime', () => problem('public-key-invalid'));
    const element = await mountPhone();
    const ended = outcome(element);
    second(element).click();
    expect(await ended).toMatchObject({ outcome: 'failed' });
  });

  it('cancels the checkout that was begun on this device first', async () => {
    const element = await mountPhone();
    await open(element);
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    await until(() => expect(frames(element)).toBe(0));
    await wait(element);
    expect(companion.sent.map(({ route }) => route)).toEqual([
      'prime',
      'find',
      'cancellation',
      'prime',
    ]);
  });

  it('is in the language of the page', async () => {
    const element = await mountPhone();
    element.locale = 'de';
    await until(() => expect(second(element).textContent).toBe('Auf dem Handy fortsetzen'));
    await wait(element);
    expect(seen(element).text).toContain('Scannen Sie den Code');
  });
});

describe('after a reload', () => {
  /** Simulates a reload: a new element with the same storage and a newly signed ticket. */
  async function reload(element: FinancingCheckout, order = ticket()): Promise<FinancingCheckout> {
    element.remove();
    companion.sent.length = 0;
    return mountPhone({ order });
  }

  it('the same link is shown again without an action', async () => {
    const before = await mountPhone();
    await wait(before);
    const element = await reload(before);
    await until(() => expect(address(element)).toBe(LINK.url));
    expect(companion.sent.map(({ route }) => route)).not.toContain('prime');
    opened();
    await until(() => expect(seen(element).title).toBe('Your application is open'));
    expect(find(element, 'img').checkVisibility()).toBe(true);
  });

  it('the code of an opened link is shown again on a press after Cancel', async () => {
    const before = await mountPhone();
    await wait(before);
    opened();
    await until(() => expect(seen(before).title).toBe('Your application is open'));
    const ended = outcome(before);
    before.close();
    await ended;
    const element = await reload(before);
    await wait(element);
    expect(find(element, 'img').checkVisibility()).toBe(true);
    expect(companion.checkout.id).toBe('checkout-1');
  });

  it('an approval that arrived in between is shown', async () => {
    const before = await mountPhone();
    await wait(before);
    companion.checkout = companion.ended({ status: 'approved' });
    const element = await reload(before);
    await until(() => expect(seen(element).title).toBe('Your financing is approved'));
    expect(companion.count('prime')).toBe(0);
  });

  it('a checkout that no longer exists leaves the button', async () => {
    const before = await mountPhone();
    await wait(before);
    before.remove();
    companion.instead('find', () => problem('checkout-not-found'));
    const element = await mountPhone();
    await until(() => expect(companion.count('find')).toBe(1));
    await until(() => expect(seen(element).action).toBe('Pay over time'));
    expect(sessionStorage).toHaveLength(0);
  });

  it('a link for another cart is not shown; pressing the button cancels its checkout', async () => {
    const before = await mountPhone();
    await wait(before);
    const element = await reload(before, ticket('A-1001', 154_800));
    await until(() => expect(companion.count('find')).toBe(1));
    await until(() => expect(seen(element).action).toBe('Continue your application'));
    expect(address(element)).toBeUndefined();
    await open(element);
    expect(companion.sent.map(({ route }) => route)).toEqual([
      'find',
      'find',
      'cancellation',
      'prime',
    ]);
  });

  it('stores the ID, the key and the existence of a link', async () => {
    await wait(await mountPhone());
    const stored = Object.values(sessionStorage).map((text) => JSON.parse(String(text)) as object);
    expect(stored).toHaveLength(1);
    expect(Object.keys(stored[0] ?? {}).sort()).toEqual(['id', 'key', 'link']);
    expect(JSON.stringify(stored)).not.toContain('link.example');
  });
});

describe('the last resort', () => {
  beforeEach(() => {
    companion.modes = ['popup'];
    vi.spyOn(globalThis, 'open').mockReturnValue(null);
  });

  it('is the phone when every presentation is blocked', async () => {
    const element = await mountPhone();
    button(element).click();
    await until(() => expect(address(element)).toBe(LINK.url));
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime', 'prime', 'cancellation']);
    expect(companion.sent[1]?.body).toMatchObject({ via: 'link' });
  });

  it('needs no attribute, which only adds the second button', async () => {
    const element = await mount();
    button(element).click();
    await until(() => expect(address(element)).toBe(LINK.url));
    const ended = outcome(element);
    element.close();
    expect(await ended).toMatchObject({ outcome: 'cancelled', linkExpiresAt: LINK.expiresAt });
    await element.updateComplete;
    expect(second(element).checkVisibility()).toBe(false);
    // Every presentation is still blocked, so the same link is shown again.
    button(element).click();
    await until(() => expect(address(element)).toBe(LINK.url));
  });

  it('ends unavailable when the companion cannot create a link either', async () => {
    companion.link = undefined;
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({ outcome: 'unavailable', retrySafe: true });
    expect(companion.count('prime')).toBe(2);
  });

  it('ends unavailable when the companion refuses it', async () => {
    companion.instead(
      'prime',
      () => Response.json(companion.opened('checkout-1')),
      () => problem('invalid-request'),
    );
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    expect(await ended).toMatchObject({
      outcome: 'unavailable',
      retrySafe: true,
      checkoutId: 'checkout-1',
    });
    // The shopper can still continue the checkout on this device.
    expect(companion.count('cancellation')).toBe(0);
  });

  it.each([
    ['checkout-not-open', 'unavailable', false],
    ['order-changed', 'failed', undefined],
    ['outcome-unknown', 'failed', undefined],
  ] as const)(
    'does not invite the shopper to retry while a charge may still follow: %s',
    async (code, status, retrySafe) => {
      companion.instead(
        'prime',
        () => Response.json(companion.opened('checkout-1')),
        () => problem(code, { retrySafe: false }),
      );
      const element = await mount();
      const ended = outcome(element);
      button(element).click();
      expect(await ended).toMatchObject({ outcome: status, retrySafe });
    },
  );

  it('is canceled on this device when the shopper leaves while the link is being created', async () => {
    companion.instead('prime', () => Response.json(companion.opened('checkout-1')), broken.never);
    const element = await mount();
    const ended = outcome(element);
    button(element).click();
    await until(() => expect(companion.count('prime')).toBe(2));
    element.close();
    expect(await ended).toMatchObject({
      outcome: 'cancelled',
      checkoutId: 'checkout-1',
      linkExpiresAt: undefined,
    });
    expect(companion.count('cancellation')).toBe(1);
  });
});
