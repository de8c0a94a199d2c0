/**
 * Code that a checkout needs only when the shopper leaves, continues an earlier checkout, switches
 * to a phone or has changed the order. It is one file, loaded on demand.
 */
export { cancelCheckout } from './cancelling.ts';
export { continueCheckout } from './continuing.ts';
export { moveToPhone } from './moving.ts';
export { settleOrderChange } from './order-change.ts';
