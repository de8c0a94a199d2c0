/*
 * The parts of WCAG 2.2 that axe cannot check: announcements (4.1.3), focus order (2.4.3), names
 * and roles (4.1.2), and the language of the texts (3.1.2).
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { until } from './clock.fixture.ts';
import { FakeCompanion } from './companion.fixture.ts';
import {
  button,
  dialog,
  find,
  heard,
  mount,
  open,
  outcome,
  say,
  shown,
} from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';

let companion: FakeCompanion;

beforeEach(() => {
  companion = new FakeCompanion();
});

const confirmed = { type: 'confirmed', confirmationToken: 'token-1' };

/**
 * Records what a screen reader announces: each change within a live region. A region that is added
 * with its text is not announced.
 */
function listen(element: FinancingCheckout): { said: string[]; together: () => boolean } {
  const root = element.shadowRoot;
  if (!root) throw new Error('The element is not rendered.');
  const said: string[] = [];
  let both = false;
  const regionOf = (node: Node) =>
    (node instanceof Element ? node : node.parentElement)?.closest('[role=status]') ?? [];
  new MutationObserver((records) => {
    for (const region of new Set(records.flatMap(({ target }) => regionOf(target)))) {
      const words = region.textContent.trim();
      if (words) said.push(words);
    }
    const regions = [...root.querySelectorAll('[role=status]')];
    both ||= regions.length > 1 && regions.every(({ textContent }) => textContent.trim());
  }).observe(root, { childList: true, characterData: true, subtree: true });
  return { said, together: () => both };
}

async function finish(element: FinancingCheckout, message: object): Promise<void> {
  const ended = outcome(element);
  say(element, message);
  await ended;
  await element.updateComplete;
}

const focused = (element: FinancingCheckout) => element.shadowRoot?.activeElement;

describe('announcements', () => {
  it('announce each step once, in one region at a time', async () => {
    const element = await mount();
    const { said, together } = listen(element);
    await open(element);
    await finish(element, confirmed);
    await until(() =>
      expect(said).toEqual([
        'Opening your application…',
        'Your application is ready.',
        'Confirming with your lender. This takes a few seconds. Please stay on this page.',
        'Your financing is approved. $1,299.00 is financed. There is nothing more to do here.',
      ]),
    );
    expect(together()).toBe(false);
  });

  it('are in the language of the page, including amounts', async () => {
    const element = await mount();
    element.locale = 'de-DE';
    await until(() => expect(button(element).textContent).toContain('In Raten zahlen'));
    const { said } = listen(element);
    button(element).click();
    await until(() => expect(said.at(-1)).toBe('Ihr Antrag ist bereit.'));
    await finish(element, confirmed);
    await until(() =>
      expect(said.slice(-1)).toEqual([
        'Ihre Finanzierung ist bewilligt. Der Betrag von 1.299,00\u00a0$ ist finanziert. Sie müssen hier nichts weiter tun.',
      ]),
    );
  });

  it('are empty before the shopper acts', async () => {
    const element = await mount();
    const { said } = listen(element);
    element.disabled = true;
    await element.updateComplete;
    element.disabled = false;
    element.locale = 'fr';
    await until(() => expect(button(element).textContent).toContain('Payer'));
    expect(said).toEqual([]);
  });
});

describe('the focus', () => {
  it('moves to the title of the dialog, then into the lender’s page', async () => {
    const element = await mount();
    const held = new Set<EventTarget | null>();
    element.shadowRoot?.addEventListener('focusin', ({ target }) => held.add(target));
    button(element).click();
    await until(() => expect(focused(element)?.tagName).toBe('IFRAME'));
    expect(held).toContain(find(element, 'h2'));
  });

  it('stays where the shopper moved it within the dialog', async () => {
    const element = await mount();
    button(element).click();
    await until(() => find(element, '[part=close]').focus());
    await shown(element);
    expect(focused(element)).toBe(find(element, '[part=close]'));
  });

  it('moves to the notice when the button was disabled during the checkout', async () => {
    const element = await mount();
    await open(element);
    element.disabled = true;
    const ended = outcome(element);
    element.close();
    expect(await ended).toMatchObject({ outcome: 'cancelled' });
    await element.updateComplete;
    expect(focused(element)).toBe(find(element, 'h3'));
  });

  it('stays where the shopper moved it within the page', async () => {
    const answer = Promise.withResolvers<Response>();
    companion.instead('confirmation', () => answer.promise);
    const element = await mount();
    await open(element);
    say(element, confirmed);
    await until(() => expect(focused(element)).toBe(find(element, 'h3')));
    const elsewhere = document.createElement('button');
    element.after(elsewhere);
    elsewhere.focus();
    const ended = outcome(element);
    answer.resolve(Response.json(companion.ended({ status: 'approved' })));
    await ended;
    await element.updateComplete;
    expect(document.activeElement).toBe(elsewhere);
    elsewhere.remove();
  });

  it('follows the visual order of the dialog: close button, then the lender’s page', async () => {
    const element = await mount();
    await open(element);
    const order = [
      ...dialog(element).querySelectorAll<HTMLElement>('button, iframe, [tabindex="0"]'),
    ]
      .filter((one) => one.checkVisibility())
      .map((one) => one.getAttribute('part'));
    expect(order).toEqual(['close', 'frame']);
    expect(element.shadowRoot?.querySelectorAll('[tabindex]:not([tabindex="-1"])')).toHaveLength(0);
  });
});

describe('names and roles', () => {
  it.each([
    ['en', 'Pay over time', 'Pay over time', 'Close'],
    ['de', 'In Raten zahlen', 'Ratenzahlung', 'Schließen'],
    ['ar', 'الدفع بالتقسيط', 'الدفع بالتقسيط', 'إغلاق'],
  ])('exist in %s', async (locale, label, title, close) => {
    const element = await mount();
    element.locale = locale;
    await until(() => expect(button(element).textContent.trim()).toBe(label));
    button(element).click();
    await until(() => expect(focused(element)?.tagName).toBe('IFRAME'));
    const { ariaModal, tagName } = dialog(element);
    // A dialog opened by showModal() is modal without aria-modal.
    expect([tagName, ariaModal]).toEqual(['DIALOG', null]);
    expect(dialog(element).matches(':modal')).toBe(true);
    const name = find(element, `#${dialog(element).getAttribute('aria-labelledby') ?? ''}`);
    expect(name.textContent).toBe(title);
    expect(find(element, 'iframe').title).toBe(title);
    expect(find(element, '[part=close]').ariaLabel).toBe(close);
    expect(find(element, '[lang]').lang).toBe(locale);
  });

  it('change with the language while the dialog is open, including the frame’s', async () => {
    const element = await mount();
    const { title } = await open(element);
    expect(title).toBe('Pay over time');
    element.locale = 'de';
    await until(() => expect(find(element, 'h2').textContent).toBe('Ratenzahlung'));
    expect(find(element, 'iframe').title).toBe('Ratenzahlung');
    element.locale = 'en';
    await until(() => expect(find(element, 'iframe').title).toBe('Pay over time'));
    await until(() => expect(heard(element)).toBe('Your application is ready.'));
  });
});
