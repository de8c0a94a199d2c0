import type { ReturnsAxis } from '@financing-checkout/contract';
import type { OrderPlace } from './survey.ts';

/** An order that is paid in full, as agreed, and reconciled. Minor units. */
export interface PaidOrder extends OrderPlace {
  /** Settled and funded; refunded and taken. */
  settle: number;
  refund: number;
  discount: number;
  net: number;
  /** Whether it has a status, which is another one, or exceptions. */
  stood: boolean;
}

/** What was taken back of an order that is paid in full. */
export function returnsOf({ settle, refund }: Pick<PaidOrder, 'settle' | 'refund'>): ReturnsAxis {
  if (refund === 0) return 'NONE';
  return refund < settle ? 'PARTIALLY_REFUNDED' : 'REFUNDED';
}
