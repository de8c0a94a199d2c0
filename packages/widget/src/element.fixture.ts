import { fixture, html, oneEvent } from '@open-wc/testing';
import { until } from './clock.fixture.ts';
import { COMPANION, ticket } from './companion.fixture.ts';
import './define.ts';
import type { FinancingCheckout, FinancingOutcomeEvent } from './index.ts';

/** Mounts an element with a shop's attributes. */
export function mount(over: Partial<FinancingCheckout> = {}): Promise<FinancingCheckout> {
  return fixture<FinancingCheckout>(
    html`<financing-checkout
      public-key=${over.publicKey ?? 'pk-test-1'}
      environment=${over.environment ?? 'sandbox'}
      companion=${over.companion ?? COMPANION}
      order=${over.order ?? ticket()}
      presentation=${over.presentation ?? ''}
      return-url=${over.returnUrl ?? ''}
      ?disabled=${over.disabled ?? false}
    >
      <a slot="other-methods" href="#card">Pay by card</a>
    </financing-checkout>`,
  );
}

/** Finds a node in the element's shadow tree. */
export function find(element: HTMLElement, selector: string): HTMLElement {
  const found = element.shadowRoot?.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`There is no ${selector}.`);
  return found;
}

function findA<T extends HTMLElement>(
  element: HTMLElement,
  selector: string,
  kind: new () => T,
): T {
  const found = find(element, selector);
  if (!(found instanceof kind)) throw new Error(`${selector} is no ${kind.name}.`);
  return found;
}

export const button = (element: HTMLElement) => findA(element, '#start', HTMLButtonElement);
export const dialog = (element: HTMLElement) => findA(element, 'dialog', HTMLDialogElement);
/** Returns whether the dialog, which loads on the first click, is open. */
export const isOpen = (element: HTMLElement) =>
  element.shadowRoot?.querySelector('dialog')?.open ?? false;
export const frame = (element: HTMLElement) => findA(element, 'iframe', HTMLIFrameElement);
export const frames = (element: HTMLElement) =>
  element.shadowRoot?.querySelectorAll('iframe').length;

/** Returns the visible text of the notice and the button. */
export function seen(element: HTMLElement): { title: string; text: string; action: string } {
  const shown = (part: HTMLElement) => (part.checkVisibility() ? part.textContent.trim() : '');
  const own = button(element).querySelector('slot')?.assignedNodes({ flatten: true }) ?? [];
  const action = own.map((node) => node.textContent).join('');
  return {
    title: shown(find(element, 'h3')),
    text: shown(find(element, '[part=outcome-text]')),
    action: button(element).checkVisibility() ? action.trim() : '',
  };
}

/** Returns the text of the live regions. */
export function heard(element: HTMLElement): string {
  return [...(element.shadowRoot?.querySelectorAll('[role=status]') ?? [])]
    .map((region) => region.textContent.trim())
    .join('');
}

/** Calls a listener when the element shows a frame. */
export function onFrame(element: HTMLElement, listener: () => void): void {
  const root = element.shadowRoot;
  if (!root) throw new Error('The element is not rendered.');
  new MutationObserver((records) => {
    const added = records.flatMap(({ addedNodes }) => [...addedNodes]);
    if (added.some((node) => node instanceof HTMLIFrameElement)) listener();
  }).observe(root, { childList: true, subtree: true });
}

/** Waits until the hosted page is visible and ready. */
export async function shown(element: HTMLElement): Promise<HTMLIFrameElement> {
  await until(() => {
    if (heard(element) !== 'Your application is ready.') throw new Error('not ready yet');
  });
  return findA(element, 'iframe', HTMLIFrameElement);
}

/** Makes the hosted page send a message. */
export function say(element: HTMLElement, message: object): void {
  findA(element, 'iframe', HTMLIFrameElement).contentWindow?.postMessage({ say: message }, '*');
}

/** Waits for the next outcome. */
export async function outcome(element: FinancingCheckout): Promise<FinancingOutcomeEvent> {
  const event: unknown = await oneEvent(element, 'financing-outcome');
  return event as FinancingOutcomeEvent;
}

/** Waits until a page has loaded in a frame that the element does not show yet. */
function loadOfFrame(element: Element): Promise<void> {
  return new Promise((resolve) => {
    // Deferred until the event has ended, because it would still reach a listener that a test adds
    // to the frame.
    const onLoad = () => requestAnimationFrame(() => resolve());
    element.shadowRoot?.addEventListener('load', onLoad, { capture: true, once: true });
  });
}

/** Presses the button and waits until the hosted page is ready and has loaded. */
export async function open(element: HTMLElement): Promise<HTMLIFrameElement> {
  // `ready` may arrive before the load event, which a test would then mistake for that of the next
  // page.
  const loaded = loadOfFrame(element);
  button(element).click();
  const held = await shown(element);
  await loaded;
  return held;
}
