/**
 * Pure rules that check lenders' payments against expected amounts, to the cent.
 * @packageDocumentation
 */
export type {
  DiscountContract,
  FundingLine,
  LedgerLine,
  OrderException,
  OrderLines,
  OrderStatus,
  Policy,
  SlaDays,
  UnplacedFunding,
} from './order/lines.ts';
export { DIGITS_OF_UNKNOWN } from './order/lines.ts';
export { compareTexts } from './order/posting.ts';
export { reconcileOrder } from './status/order-status.ts';
export { InexactOrderError } from './order/exact-sum.ts';
export { cashFlows, flowSteps } from './sums/cash-flow.ts';
export type { CashFlow, FlowStep } from './sums/cash-flow.ts';
export { agreedDiscounts, postedDiscounts } from './sums/discount-audit.ts';
export type { AgreedDiscount, DiscountSums, PostedDiscounts } from './sums/discount-audit.ts';
export { fixedOf } from './checks/discounts.ts';
export { postedClaims } from './sums/radar.ts';
export type { ClaimCount, ClaimSums, PostedClaims } from './sums/radar.ts';
export { compareContracts, fittingContracts } from './policy/contract.ts';
export { calendarOf, dueOf, lateAfter } from './policy/due-day.ts';
export { ledgerStartKey } from './policy/ledger-start.ts';
export { lenderNames, lenderOf } from './policy/lender.ts';
export { ppmOf, WHOLE_PPM } from './policy/share.ts';
export { suggestionRange, suggestMatches } from './suggestion.ts';
export type { OpenAmount, Suggestion } from './suggestion.ts';
export {
  applyEvents,
  fold,
  FOLD_VERSION,
  permittedActions,
  RECONCILIATION,
  snoozeEnd,
} from './cases/fold.ts';
export type { Case, CaseEvent, CaseException, Cases } from './cases/fold.ts';
export { decide } from './cases/decide.ts';
export type { CaseDecision, CaseProblem, CaseRequest } from './cases/decide.ts';
export { followOrder, withFollowing } from './cases/follow.ts';
export type { JudgedOrder } from './cases/follow.ts';
