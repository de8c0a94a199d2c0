import '@financing-checkout/widget/define';
import { oncePerClick } from './double-click.ts';
import { keepLive } from './live.ts';
import { followFinancing } from './payment.ts';
import { quoteTax } from './quote.ts';

document.addEventListener('submit', oncePerClick());
const details = document.querySelector<HTMLFormElement>('#details');
if (details) quoteTax(details);
const financing = document.querySelector('financing-checkout');
if (financing) followFinancing(financing);
// What a lender's page has come back with, where no element is left to take it out of the address.
else if (location.hash.startsWith('#financing-session=')) {
  history.replaceState(history.state, '', location.pathname);
}
const underWay = document.querySelector('[data-under-way]')?.closest('main');
if (underWay) keepLive(underWay);
