import '@financing-checkout/widget/define';
import { oncePerClick } from './double-click.ts';
import { keepLive } from './live.ts';
import { watchOrder } from './order-status.ts';
import { followFinancing } from './payment.ts';
import { quoteTax } from './quote.ts';

document.addEventListener('submit', oncePerClick());
const details = document.querySelector<HTMLFormElement>('#details');
if (details) quoteTax(details);
const financing = document.querySelector('financing-checkout');
if (financing) followFinancing(financing);
const underWay = document.querySelector('[data-under-way]')?.closest('main');
if (underWay) keepLive(underWay);
const order = document.querySelector<HTMLElement>('[data-order-status]');
const shown = order?.querySelector<HTMLElement>('[data-status]')?.dataset.status;
if (order?.dataset.orderStatus && shown) {
  watchOrder(order.dataset.orderStatus, shown, () => location.reload());
}
