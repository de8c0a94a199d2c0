/* An element in a modal dialog of the shop, while the service's modal is open outside the top layer. */
import { fixture, html } from '@open-wc/testing';
import { describe, expect, it } from 'vitest';
import { userEvent } from 'vitest/browser';
import { until } from './clock.fixture.ts';
import { COMPANION, ticket } from './companion.fixture.ts';
import { find, outcome } from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';
import { codesOf, companion, presented, scripted, useScriptedSdk } from './sdk.fixture.ts';
import type { Presented } from './sdk.fixture.ts';

useScriptedSdk();

interface Shop {
  readonly dialog: HTMLDialogElement;
  readonly element: FinancingCheckout;
  readonly opener: HTMLButtonElement;
  /** Dialog events that the shop receives. */
  readonly heard: string[];
}

async function openShop(attributes: Record<string, string> = {}): Promise<Shop> {
  const place = await fixture<HTMLElement>(
    html`<div>
      <button id="opener">Your cart</button>
      <dialog id="cart">
        <button>Continue shopping</button>
        <financing-checkout
          public-key="pk-test-1"
          environment="sandbox"
          companion=${COMPANION}
          order=${ticket()}
          presentation="sdk"
        ></financing-checkout>
      </dialog>
    </div>`,
  );
  const dialog = place.querySelector('dialog');
  const element = place.querySelector('financing-checkout');
  const opener = place.querySelector<HTMLButtonElement>('#opener');
  if (!dialog || !element || !opener) throw new Error('The shop is incomplete.');
  dialog.querySelector('button')?.setAttribute('autofocus', '');
  for (const [name, value] of Object.entries(attributes)) dialog.setAttribute(name, value);
  const heard: string[] = [];
  for (const type of ['beforetoggle', 'cancel', 'close', 'toggle']) {
    dialog.addEventListener(type, () => heard.push(type));
  }
  opener.focus();
  dialog.showModal();
  // Waits for the event of the shop's own call.
  await dialogEvents();
  heard.length = 0;
  return { dialog, element, opener, heard };
}

/**
 * Presents the checkout, and shows what the service may show: an element above everything else in
 * the page.
 */
async function serviceOf(element: FinancingCheckout): Promise<[HTMLElement, Presented['options']]> {
  find(element, '#start').focus();
  await userEvent.keyboard('{Enter}');
  const { options } = await presented(1);
  const modal = document.createElement('div');
  modal.id = 'service';
  modal.style.cssText = 'position:fixed;inset:0;z-index:2147483647;background:white';
  const close = document.createElement('button');
  close.textContent = 'Leave the lender';
  const leave = () => {
    removeEventListener('keydown', escape);
    modal.remove();
    options.callback(null, {}, { code: 'CONSUMER_CANCELLED' });
  };
  const escape = ({ key }: KeyboardEvent) => key === 'Escape' && leave();
  addEventListener('keydown', escape);
  close.onclick = leave;
  modal.append(close);
  document.body.append(modal);
  close.focus();
  return [close, options];
}

const focusIn = (element: Element) =>
  document.activeElement === element && element.shadowRoot?.activeElement;

/** Waits until the events of earlier changes of dialogs have fired: a browser queues them in sequence. */
async function dialogEvents(): Promise<void> {
  const later = document.createElement('details');
  const fired = new Promise((done) => later.addEventListener('toggle', done));
  later.open = true;
  await fired;
}

describe('the service’s modal', () => {
  it.each([{}, { closedby: 'any' }, { closedby: 'closerequest' }] as Record<string, string>[])(
    'can be clicked in front of a shop dialog with %j, which stays open',
    async (attributes) => {
      const { dialog, element, heard, opener } = await openShop(attributes);
      const markup = dialog.cloneNode(false);
      const [close] = await serviceOf(element);
      expect(document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.id).toBe('service');
      expect(document.activeElement).toBe(close);
      expect([dialog.open, dialog.matches(':modal')]).toEqual([true, false]);
      // The dialog stays in the center, like a modal dialog.
      const { bottom, left, right, top } = dialog.getBoundingClientRect();
      expect((left + right) / 2).toBeCloseTo(innerWidth / 2, 0);
      expect((top + bottom) / 2).toBeCloseTo(innerHeight / 2, 0);
      const ended = outcome(element);
      await userEvent.click(close, { position: { x: 5, y: 5 } });
      expect(await ended).toMatchObject({ outcome: 'cancelled' });
      await until(() => expect(dialog.matches(':modal')).toBe(true));
      await until(() => expect(focusIn(element)).toBe(find(element, '#start')));
      await dialogEvents();
      expect(heard).toEqual([]);
      expect(dialog.cloneNode(false).isEqualNode(markup)).toBe(true);
      dialog.close();
      await until(() => expect(heard).toContain('close'));
      expect(document.activeElement).toBe(opener);
    },
  );

  it.each(['', 'any', 'closerequest'])(
    'is closed by Escape, and the shop’s dialog (closedby="%s") by the next one',
    async (closedby) => {
      const { dialog, element, heard } = await openShop(closedby ? { closedby } : {});
      await serviceOf(element);
      const ended = outcome(element);
      await userEvent.keyboard('{Escape}');
      await ended;
      await until(() => expect(dialog.matches(':modal')).toBe(true));
      expect(document.querySelector('#service')).toBeNull();
      await until(() => expect(focusIn(element)).toBeTruthy());
      await dialogEvents();
      expect([dialog.open, heard]).toEqual([true, []]);
      await userEvent.keyboard('{Escape}');
      await until(() => expect(dialog.open).toBe(false));
      await until(() => expect(heard).toContain('close'));
    },
  );

  it('does not reopen a dialog that the shop has closed', async () => {
    const { dialog, element, heard } = await openShop();
    const [close] = await serviceOf(element);
    dialog.close();
    await until(() => expect(heard).toContain('close'));
    const ended = outcome(element);
    close.click();
    await ended;
    // `closedby` is the last thing to be restored after the service's modal has closed.
    await until(() => expect(dialog.hasAttribute('closedby')).toBe(false));
    expect(dialog.open).toBe(false);
  });

  it('is used in two dialogs of the shop, which keep their order', async () => {
    const { dialog, element, opener } = await openShop();
    const outer = document.createElement('dialog');
    const inner = document.createElement('button');
    dialog.before(outer);
    dialog.close();
    outer.append(inner, dialog);
    opener.focus();
    outer.showModal();
    inner.focus();
    dialog.showModal();
    const [close] = await serviceOf(element);
    expect(document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.id).toBe('service');
    const ended = outcome(element);
    await userEvent.click(close);
    await ended;
    await until(() => expect(dialog.matches(':modal')).toBe(true));
    expect(outer.matches(':modal')).toBe(true);
    expect(document.elementFromPoint(1, 1)).toBe(dialog);
    dialog.close();
    expect(document.activeElement).toBe(inner);
    outer.close();
    expect(document.activeElement).toBe(opener);
  });

  it('gives the dialog back when the element closes it', async () => {
    const { dialog, element } = await openShop();
    await serviceOf(element);
    const ended = outcome(element);
    element.close();
    await ended;
    expect(scripted().asked.disposed).toBe(1);
    await until(() => expect(dialog.matches(':modal')).toBe(true));
  });

  it('gives the dialog back when it cannot be shown', async () => {
    const { dialog, element } = await openShop();
    const codes = codesOf(element);
    companion.link = undefined;
    Reflect.set(globalThis, companion.sdk?.global ?? '', {
      init: () => undefined,
      payments: { present: () => Promise.reject(new Error('secret')) },
    });
    const ended = outcome(element);
    find(element, '#start').click();
    await ended;
    await until(() => expect(dialog.matches(':modal')).toBe(true));
    expect(codes[0]).toBe('sdk-unusable');
  });
});

it('returns the focus to the element even in a page without a dialog', async () => {
  const element = await fixture<FinancingCheckout>(
    html`<financing-checkout
      public-key="pk-test-1"
      environment="sandbox"
      companion=${COMPANION}
      order=${ticket()}
      presentation="sdk"
    ></financing-checkout>`,
  );
  const [close] = await serviceOf(element);
  const ended = outcome(element);
  await userEvent.click(close);
  await ended;
  await until(() => expect(focusIn(element)).toBe(find(element, '#start')));
});
