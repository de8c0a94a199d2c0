import '@financing-checkout/widget/define';
import '@financing-checkout/widget/message/define';
import '@financing-checkout/widget/prequalify/define';
import { keepLive } from './live.ts';
import { followFinancing } from './payment.ts';
import { quoteTax } from './quote.ts';
import type { FinancingMessage } from '@financing-checkout/widget/message';

/** Milliseconds: longer than a double click, shorter than two deliberate clicks. */
const DOUBLE_CLICK = 700;

/**
 * Sends a form only once when its button is double-clicked, so that the cart does not get two
 * units.
 */
function oncePerClick(): (event: SubmitEvent) => void {
  const sent = new WeakMap<EventTarget, number>();
  return (event) => {
    const { submitter, target, timeStamp } = event;
    // A form without a submitter was sent deliberately by a script.
    if (!submitter || !target) return;
    if (timeStamp - (sent.get(target) ?? -DOUBLE_CLICK) < DOUBLE_CLICK) event.preventDefault();
    else sent.set(target, timeStamp);
  };
}

/**
 * Keeps a product's financing message, and the application in the header, at the price of the
 * chosen quantity.
 */
function followQuantity(form: HTMLFormElement): void {
  const select = form.querySelector('select');
  const message = document.querySelector<FinancingMessage>('.product financing-message');
  if (!select || !message) return;
  const show = () => {
    const amount = select.selectedOptions[0]?.dataset.amount;
    if (!amount) return;
    message.setAttribute('amount', amount);
    document.querySelector('financing-prequalify')?.setAttribute('amount', amount);
  };
  select.addEventListener('change', show);
  // When the shopper comes back, the browser restores the choice.
  show();
}

/**
 * Marks the element in the header while an application is open, so that its notice does not move
 * the page.
 */
function markUnderWay(element: HTMLElement): void {
  const mark = 'under-way';
  element.addEventListener('financing-start', () => element.classList.add(mark));
  element.addEventListener('financing-prequalify-outcome', () => element.classList.remove(mark));
}

document.addEventListener('submit', oncePerClick());
const details = document.querySelector<HTMLFormElement>('#details');
if (details) quoteTax(details);
const buy = document.querySelector<HTMLFormElement>('form.buy');
if (buy) followQuantity(buy);
const prequalify = document.querySelector('financing-prequalify');
if (prequalify) markUnderWay(prequalify);
const financing = document.querySelector('financing-checkout');
if (financing) followFinancing(financing);
// The element removes the lender's answer from the URL; pages without an element do so here.
else if (location.hash.startsWith('#financing-session=')) {
  history.replaceState(history.state, '', location.pathname);
}
const live = document.querySelector('[data-under-way]')?.closest('main');
if (live) keepLive(live);
