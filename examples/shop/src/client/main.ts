import '@financing-checkout/widget/define';
import '@financing-checkout/widget/message/define';
import '@financing-checkout/widget/prequalify/define';
import { oncePerClick } from './double-click.ts';
import { keepLive } from './live.ts';
import { followQuantity } from './message.ts';
import { followFinancing } from './payment.ts';
import { markUnderWay } from './prequalify.ts';
import { quoteTax } from './quote.ts';

document.addEventListener('submit', oncePerClick());
const details = document.querySelector<HTMLFormElement>('#details');
if (details) quoteTax(details);
const buy = document.querySelector<HTMLFormElement>('form.buy');
if (buy) followQuantity(buy);
const prequalify = document.querySelector('financing-prequalify');
if (prequalify) markUnderWay(prequalify);
const financing = document.querySelector('financing-checkout');
if (financing) followFinancing(financing);
// Removes the lender's answer from the address on pages without the element, which would do it.
else if (location.hash.startsWith('#financing-session=')) {
  history.replaceState(history.state, '', location.pathname);
}
const live = document.querySelector('[data-under-way]')?.closest('main');
if (live) keepLive(live);
