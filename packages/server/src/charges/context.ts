import type { CheckoutContext } from '../checkout/context.ts';

/** What the operations on a charge work with. */
export type ChargeContext = Pick<
  CheckoutContext,
  | 'environment'
  | 'store'
  | 'service'
  | 'clock'
  | 'steadySince'
  | 'waits'
  | 'logger'
  | 'counters'
  | 'changed'
  | 'defaultCurrency'
>;
