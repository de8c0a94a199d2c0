import type {
  FundingAxis,
  Headline,
  ReturnsAxis,
} from '@financing-checkout/contract/reconciliation';
import type { OrderException, OrderStatus } from '../order/lines.ts';

type Expected = OrderStatus['expected'];
type Funded = OrderStatus['funded'];

/**
 * Returns how far the settles are funded. If the tolerance is so large that two values apply, the
 * order is FUNDED, because the tolerance covers its residual.
 */
export function fundingAxisOf(expected: Expected, funded: Funded, tolerance: number): FundingAxis {
  if (expected.settle === 0) return funded.settle > tolerance ? 'UNEXPECTED' : 'NONE';
  const residual = funded.settle - expected.settle;
  if (residual > tolerance) return 'OVER_FUNDED';
  if (residual >= -tolerance) return 'FUNDED';
  return funded.settle <= tolerance ? 'UNFUNDED' : 'PARTIALLY_FUNDED';
}

/**
 * Returns the status of lenders' reversals. A chargeback outranks a refund; an order with both also has
 * DOUBLE_DEBIT.
 */
export function returnsAxisOf(funded: Funded, tolerance: number): ReturnsAxis {
  const { settle, refund, chargeback } = funded;
  const open = chargeback - funded.reversal;
  if (open > tolerance) {
    return open >= settle - refund - tolerance ? 'CHARGED_BACK' : 'PARTIALLY_CHARGED_BACK';
  }
  if (refund > tolerance) {
    const isWhole = settle > tolerance && refund >= settle - tolerance;
    return isWhole ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
  }
  const isReversed = chargeback > tolerance && Math.abs(open) <= tolerance;
  return isReversed ? 'CHARGEBACK_REVERSED' : 'NONE';
}

/** Returns the most severe exception, or the progress of an order without exceptions. */
export function headlineOf(
  exceptions: readonly OrderException[],
  funding: FundingAxis,
  returns: ReturnsAxis,
): Headline {
  const [gravest] = exceptions;
  if (gravest) return gravest.code;
  // No exception means that the posting predates the ledger.
  if (funding === 'UNEXPECTED') return 'BEFORE_LEDGER';
  if (funding === 'PARTIALLY_FUNDED') return 'PARTIALLY_FUNDED';
  if (funding === 'UNFUNDED') return 'AWAITING_FUNDING';
  if (returns !== 'NONE') return returns;
  return funding === 'NONE' ? 'NOTHING_DUE' : 'FUNDED';
}
