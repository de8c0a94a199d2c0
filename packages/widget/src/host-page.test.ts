/*
 * The element in different surroundings: a form, a framework that mounts twice, a soft keyboard, a page
 * that hides it, another document.
 */
import { StrictMode, createElement, useEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { fixture, html, oneEvent } from '@open-wc/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import { until } from './clock.fixture.ts';
import { COMPANION, FakeCompanion, ticket } from './companion.fixture.ts';
import {
  button,
  dialog,
  find,
  isOpen,
  mount,
  open,
  outcome,
  say,
  shown,
} from './element.fixture.ts';
import type { FinancingCheckout, FinancingOutcomeEvent } from './index.ts';

let companion: FakeCompanion;

beforeEach(() => {
  companion = new FakeCompanion();
});

describe('a form of the page around the element', () => {
  it('is not submitted by the element’s buttons, and Enter in its fields starts no checkout', async () => {
    const form = await fixture<HTMLFormElement>(
      html`<form>
        <input aria-label="Voucher" />
        <financing-checkout
          public-key="pk-test-1"
          environment="sandbox"
          companion=${COMPANION}
          order=${ticket()}
        ></financing-checkout>
        <button>Send the form</button>
      </form>`,
    );
    const sent = vi.fn((event: Event) => event.preventDefault());
    form.addEventListener('submit', sent);
    const element = form.querySelector('financing-checkout');
    if (!element) throw new Error('There is no element.');
    // The default button of the form belongs to the page.
    form.querySelector('input')?.focus();
    await userEvent.keyboard('voucher{Enter}');
    expect(sent).toHaveBeenCalledOnce();
    expect(companion.sent).toEqual([]);
    // Enter on the element's button starts a checkout and submits nothing.
    button(element).focus();
    await userEvent.keyboard('{Enter}');
    await until(() => expect(companion.count('prime')).toBe(1));
    expect(sent).toHaveBeenCalledOnce();
    find(element, '[part=close]').click();
    await outcome(element);
    expect(sent).toHaveBeenCalledOnce();
  });
});

describe('React in strict mode', () => {
  it('mounts twice, sends no request, receives each event once and leaves nothing behind', async () => {
    const heard: string[] = [];
    const mounted = vi.fn();
    let current: FinancingCheckout | null = null;
    function Checkout() {
      const reference = useRef<FinancingCheckout>(null);
      useEffect(() => {
        mounted();
        current = reference.current;
      }, []);
      return createElement('financing-checkout', {
        ref: reference,
        publicKey: 'pk-test-1',
        environment: 'sandbox',
        companion: COMPANION,
        order: ticket(),
        texts: { label: 'Pay in rates' },
        'onfinancing-outcome': ({ outcome: ended }: FinancingOutcomeEvent) => heard.push(ended),
      });
    }
    const place = await fixture<HTMLElement>(html`<div></div>`);
    const root = createRoot(place);
    root.render(createElement(StrictMode, null, createElement(Checkout)));
    await until(() => expect(mounted).toHaveBeenCalledTimes(2));
    expect(place.querySelectorAll('financing-checkout')).toHaveLength(1);
    expect(companion.sent).toEqual([]);
    const element = place.querySelector('financing-checkout');
    if (!element) throw new Error('There is no element.');
    expect(current).toBe(element);
    // A property that is not a string arrives unchanged.
    expect(element.texts).toEqual({ label: 'Pay in rates' });
    await open(element);
    expect(companion.count('prime')).toBe(1);
    const ended = outcome(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    await ended;
    expect(heard).toEqual(['approved']);
    root.unmount();
    await until(() => expect(place.childElementCount).toBe(0));
    expect(element.isConnected).toBe(false);
  });
});

describe('a soft keyboard', () => {
  const { visualViewport: viewport } = globalThis;

  /** Sets the visual viewport as a browser does for a soft keyboard or a zoomed page. */
  function show(height: number, offsetTop = 0, scale = 1): void {
    if (!viewport) throw new Error('There is no visual viewport.');
    vi.spyOn(viewport, 'height', 'get').mockReturnValue(height);
    vi.spyOn(viewport, 'offsetTop', 'get').mockReturnValue(offsetTop);
    vi.spyOn(viewport, 'scale', 'get').mockReturnValue(scale);
    viewport.dispatchEvent(new Event('resize'));
  }
  const placed = (element: FinancingCheckout) => {
    const { blockSize, marginBlockStart } = getComputedStyle(dialog(element));
    return { height: parseFloat(blockSize), top: parseFloat(marginBlockStart) };
  };
  /** Opens the dialog. The first soft keyboard loads the code that keeps the dialog visible. */
  async function openAt(): Promise<FinancingCheckout> {
    const element = await mount();
    await open(element);
    show(300);
    await until(() => expect(placed(element).height).toBe(300));
    show(innerHeight);
    return element;
  }

  it('leaves the whole dialog visible, even after the keyboard closes', async () => {
    const element = await openAt();
    const before = placed(element);
    show(400, 60);
    expect(placed(element)).toEqual({ height: 400, top: 60 });
    // The page scrolls under the keyboard.
    vi.spyOn(viewport ?? globalThis, 'offsetTop' as never, 'get').mockReturnValue(90 as never);
    viewport?.dispatchEvent(new Event('scroll'));
    expect(placed(element)).toEqual({ height: 400, top: 90 });
    show(innerHeight);
    expect(placed(element)).toEqual(before);
  });

  it('is not confused with a browser bar or a zoomed page', async () => {
    const element = await openAt();
    const before = placed(element);
    show(innerHeight - 100);
    expect(placed(element)).toEqual(before);
    show(innerHeight / 3, 50, 3);
    expect(placed(element)).toEqual(before);
  });

  it('leaves no style sheet behind after the dialog', async () => {
    const element = await openAt();
    const sheets = element.shadowRoot?.adoptedStyleSheets.length ?? 0;
    show(400);
    const ended = outcome(element);
    say(element, { type: 'ended', reason: 'cancelled' });
    await ended;
    expect(element.shadowRoot?.adoptedStyleSheets).toHaveLength(sheets - 1);
    show(300);
    expect(element.shadowRoot?.adoptedStyleSheets).toHaveLength(sheets - 1);
  });
});

describe('a hidden element', () => {
  const reachable = () => {
    const beside = document.createElement('button');
    document.body.append(beside);
    beside.focus();
    const reached = document.activeElement === beside;
    beside.remove();
    return reached;
  };

  it.each([
    ['by its attribute', (element: FinancingCheckout) => (element.hidden = true)],
    [
      'by what is around it',
      ({ parentElement }: FinancingCheckout) => {
        if (parentElement) parentElement.hidden = true;
      },
    ],
  ])('%s leaves the page usable, and shows its dialog when it becomes visible', async (_, hide) => {
    const element = await mount();
    hide(element);
    element.start();
    await until(() => expect(companion.count('prime')).toBe(1));
    await element.updateComplete;
    expect(isOpen(element)).toBe(false);
    expect(reachable()).toBe(true);
    element.hidden = false;
    if (element.parentElement) element.parentElement.hidden = false;
    await until(() => expect(dialog(element).matches(':modal')).toBe(true));
    expect(reachable()).toBe(false);
  });

  it('hides its open dialog, and shows it again unchanged', async () => {
    const element = await mount();
    const frame = await open(element);
    const { contentWindow } = frame;
    element.hidden = true;
    await until(() => expect(isOpen(element)).toBe(false));
    expect(reachable()).toBe(true);
    element.hidden = false;
    await until(() => expect(isOpen(element)).toBe(true));
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime']);
    expect(frame.contentWindow).toBe(contentWindow);
    const ended = outcome(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    expect(await ended).toMatchObject({ outcome: 'approved' });
  });

  it('shows its dialog again after less than a frame, without leaving', async () => {
    const element = await mount();
    await open(element);
    element.hidden = true;
    element.requestUpdate();
    await element.updateComplete;
    expect(isOpen(element)).toBe(false);
    element.hidden = false;
    await until(() => expect(isOpen(element)).toBe(true));
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime']);
  });

  it('shows its dialog again when it is hidden and shown between two events, without leaving', async () => {
    const element = await mount();
    await open(element);
    for (const hidden of [true, false]) {
      element.hidden = hidden;
      element.requestUpdate();
      await element.updateComplete;
      expect(isOpen(element)).toBe(!hidden);
    }
    await oneEvent(dialog(element), 'close');
    await element.updateComplete;
    expect(isOpen(element)).toBe(true);
    expect(companion.sent.map(({ route }) => route)).toEqual(['prime']);
  });

  it('still shows its dialog when only its visibility is hidden', async () => {
    const element = await mount();
    element.style.visibility = 'hidden';
    element.style.pointerEvents = 'none';
    element.start();
    await until(() => expect(isOpen(element)).toBe(true));
    const { visibility, pointerEvents } = getComputedStyle(dialog(element));
    expect({ visibility, pointerEvents }).toEqual({ visibility: 'visible', pointerEvents: 'auto' });
  });
});

describe('the page behind the dialog', () => {
  const held = () => {
    const { overflow, scrollbarGutter } = getComputedStyle(document.documentElement);
    return [overflow, scrollbarGutter];
  };
  async function openAndLeave(): Promise<string[]> {
    const element = document.querySelector('financing-checkout') ?? (await mount());
    await open(element);
    const behind = held();
    const ended = outcome(element);
    say(element, { type: 'ended', reason: 'cancelled' });
    await ended;
    await element.updateComplete;
    return behind;
  }

  it('does not scroll whenever the dialog is open, and scrolls afterward', async () => {
    const before = held();
    const tall = await fixture<HTMLElement>(html`<div></div>`);
    tall.style.blockSize = '300vh';
    for (let times = 0; times < 2; times++) {
      expect(await openAndLeave()).toEqual(['hidden', 'stable']);
      expect(held()).toEqual(before);
    }
  });

  it('is unchanged when it does not scroll: it needs no space for a scrollbar', async () => {
    const before = held();
    expect(await openAndLeave()).toEqual(before);
  });
});

describe('another document of the same origin', () => {
  const elsewhere = async () => {
    const frame = document.createElement('iframe');
    frame.srcdoc = '<!doctype html><body style="block-size: 5000px">';
    const place = await fixture(html`<div></div>`);
    const loaded = oneEvent(frame, 'load');
    place.append(frame);
    await loaded;
    if (!frame.contentDocument) throw new Error('It has no document.');
    return frame.contentDocument;
  };
  const looks = (element: FinancingCheckout) => {
    const style = element.ownerDocument.defaultView?.getComputedStyle(button(element));
    return [style?.display, style?.backgroundColor, style?.borderTopLeftRadius];
  };

  it('shows the element with the same styles after a move there and back', async () => {
    const element = await mount();
    const before = looks(element);
    const [place, other] = [element.parentElement, await elsewhere()];
    other.body.append(element);
    expect(looks(element)).toEqual(before);
    place?.append(element);
    expect(looks(element)).toEqual(before);
  });

  it('can be the element’s first document, and shows its checkout', async () => {
    const other = await elsewhere();
    const element = document.createElement('financing-checkout');
    const { order, companion: url } = await mount();
    Object.assign(element, {
      publicKey: 'pk-test-1',
      environment: 'sandbox',
      order,
      companion: url,
    });
    other.body.append(element);
    await element.updateComplete;
    button(element).click();
    await shown(element);
    expect(other.adoptedStyleSheets).toHaveLength(1);
    expect(document.adoptedStyleSheets).toHaveLength(0);
    const ended = outcome(element);
    say(element, { type: 'confirmed', confirmationToken: 'token-1' });
    expect(await ended).toMatchObject({ outcome: 'approved' });
    expect(other.adoptedStyleSheets).toHaveLength(0);
  });
});
