/*
 * Shows one state in one look: `cell.html?state=declined&theme=calm&scheme=dark&language=de`.
 * `data-reached` on the root element indicates that the state has been reached and rendered.
 */
import calm from '../themes/calm.css?inline';
import contrast from '../themes/contrast.css?inline';
import soft from '../themes/soft.css?inline';
import '../src/define.ts';
import type { FinancingCheckout } from '../src/index.ts';
import '../src/prequalify/define.ts';
import type { FinancingPrequalify } from '../src/prequalify/index.ts';
import { formatMoney } from '../src/texts/money.ts';
import { checkoutTexts } from '../src/texts/checkout-texts.ts';
import { amount, companionFor, later, ticketFor } from './companion.ts';
import { states } from './states.ts';
import type { State } from './states.ts';

const sheets: Record<string, string> = { calm, contrast, soft };
const query = new URLSearchParams(location.search);
const language = query.get('language') ?? 'en';
const root = document.documentElement;

function find(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`There is no ${selector} in the page.`);
  return found;
}

async function dress(): Promise<void> {
  root.dataset.scheme = query.get('scheme') ?? 'light';
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(sheets[query.get('theme') ?? 'none'] ?? '');
  document.adoptedStyleSheets.push(sheet);
  const { lang, dir } = await checkoutTexts.load(language);
  Object.assign(root, { lang, dir });
  find('.price').textContent = formatMoney(amount, lang);
}

/** Shortens the widget's timeouts of several seconds to this many milliseconds. */
function hurry(patience: number): void {
  const wait = globalThis.setTimeout.bind(globalThis);
  globalThis.setTimeout = Object.assign(
    (run: () => void, milliseconds = 0) =>
      wait(run, milliseconds >= 10_000 ? patience : milliseconds),
    wait,
  );
  let now = 0;
  Date.now = () => (now += 10_000);
}

/** Prevents focus changes from scrolling the page, which contains many cells. */
function stayPut(): void {
  const { focus } = Object.getOwnPropertyDescriptors(HTMLElement.prototype);
  const plain = focus.value;
  HTMLElement.prototype.focus = function (this: HTMLElement) {
    plain?.call(this, { preventScroll: true });
  };
}

/** Replaces an opened window with an invisible frame. */
function openInside(): void {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  document.body.append(frame);
  globalThis.open = () => frame.contentWindow;
}

/** @throws when the condition is not met within a minute */
async function comesTo(element: HTMLElement, selector: string): Promise<void> {
  const end = performance.now() + 60_000;
  while (!element.shadowRoot?.querySelector(selector)) {
    if (performance.now() > end) throw new Error(`The element never shows ${selector}.`);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

/** Replaces the checkout with the element for an application without a cart. */
function withoutCart(element: FinancingCheckout): FinancingPrequalify {
  const other = document.createElement('financing-prequalify');
  // Each cell has its own companion, because the cells of a tab share the session storage.
  const companion = `${element.companion}/${crypto.randomUUID()}`;
  const { environment, publicKey } = element;
  Object.assign(other, { companion, environment, publicKey, currency: 'USD', locale: language });
  other.append(...element.childNodes);
  element.replaceWith(other);
  return other;
}

async function reachPrequalify(element: FinancingPrequalify, state: State): Promise<void> {
  globalThis.fetch = companionFor(state, '', language);
  await element.updateComplete;
  if (state.start) element.start();
  await settle(element, state);
}

async function reach(element: FinancingCheckout, state: State): Promise<void> {
  // Each cell has its own order, because the cells of a tab share the session storage.
  const id = crypto.randomUUID();
  globalThis.fetch = companionFor(state, id, language);
  element.phone = state.then === 'take the phone';
  if (state.offline) Object.defineProperty(navigator, 'onLine', { value: false });
  if (state.start?.lender === 'mute') hurry(100);
  // Long enough for the first page.
  if (state.start?.lender === 'broken') hurry(1_000);
  if (state.popup) openInside();
  Object.assign(element, {
    locale: language,
    order: ticketFor(id),
    presentation: state.popup ? 'popup' : '',
  });
  element.addEventListener('financing-order-change', (event) => {
    event.restoreWith(() => Promise.resolve(ticketFor(id)));
  });
  await element.updateComplete;
  if (state.then === 'disable') element.disabled = true;
  if (state.start && element.phone) {
    element.shadowRoot?.querySelector<HTMLElement>('#start ~ [part=second-button]')?.click();
  } else if (state.start) element.start();
  if (state.then === 'leave' || state.then === 'restore') {
    await comesTo(element, states.shown?.shows ?? '');
    if (state.then === 'leave') element.close();
    else dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  }
  if (state.then === 'fill the cart') {
    await comesTo(element, state.shows);
    element.order = ticketFor(id, later);
    await element.updateComplete;
  }
  await settle(element, state);
}

/** Waits until the state is reached, is in the right language, and has no running animations. */
async function settle(element: HTMLElement, state: State): Promise<void> {
  await comesTo(element, state.shows);
  const { lang } = await checkoutTexts.load(language);
  await comesTo(element, `[lang="${lang}"]`);
  const moving = (element.shadowRoot?.getAnimations() ?? []).filter(
    (one) => one.effect?.getComputedTiming().iterations !== Infinity,
  );
  await Promise.allSettled(moving.map(({ finished }) => finished));
}

if (parent !== window) stayPut();
const state = states[query.get('state') ?? 'idle'];
if (!state) throw new Error('There is no such state.');
await dress();
const element = document.querySelector('financing-checkout');
if (!element) throw new Error('There is no element in the page.');
await (state.prequalify ? reachPrequalify(withoutCart(element), state) : reach(element, state));
root.dataset.reached = '';
