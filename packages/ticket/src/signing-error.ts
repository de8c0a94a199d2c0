import type { FieldError } from '@financing-checkout/contract/storefront';

/** Maximum number of fields that the message names; `errors` lists all of them. */
const MAX_NAMED = 5;

const beginnings = {
  'order-invalid': 'The order cannot be signed',
  'order-totals-mismatch': 'The order cannot be signed',
  'ticket-too-long': 'The order cannot be signed',
  'options-invalid': 'The options of the order ticket are not valid',
};

/** Why an order cannot be signed. */
export type OrderSigningErrorCode = keyof typeof beginnings;

/**
 * Reports an order or options that the companion would refuse. `errors` names each field by its
 * path (`order.items.0.price`, `options.secret`) with the reason, without any value of the order.
 */
export class OrderSigningError extends Error {
  override readonly name = 'OrderSigningError';
  readonly code: OrderSigningErrorCode;
  readonly errors: readonly FieldError[];

  constructor(code: OrderSigningErrorCode, errors: readonly FieldError[]) {
    const named = errors.slice(0, MAX_NAMED).map(({ path, message }) => `${path} ${message}`);
    const more = errors.length > MAX_NAMED ? `; and ${errors.length - MAX_NAMED} more` : '';
    super(`${beginnings[code]}: ${named.join('; ')}${more}.`);
    this.code = code;
    this.errors = errors;
  }
}
