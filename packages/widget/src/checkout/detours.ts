/**
 * What leads away from the usual way of a checkout, from the button to the approval. One file, which
 * loads when it is needed.
 */
export { cancelCheckout } from './cancelling.ts';
export { continueCheckout } from './continuing.ts';
export { moveToPhone } from './moving.ts';
export { settleOrderChange } from './order-change.ts';
