/**
 * Whether lenders paid for orders what merchants expect: pure rules, to the cent.
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
} from './lines.ts';
export { DIGITS_OF_UNKNOWN } from './lines.ts';
export { reconcileOrder } from './order-status.ts';
export { InexactOrderError } from './exact.ts';
export { cashFlows, flowSteps } from './cash-flow.ts';
export type { CashFlow, FlowStep } from './cash-flow.ts';
export { addFlows, mergeWalks, walkStatements } from './cash-walk.ts';
export type { CashWalk, CashWalkDay, WalkStatement, WalkWindow } from './cash-walk.ts';
export {
  agreedDiscounts,
  auditDiscounts,
  effectiveBasisPoints,
  mergeAudits,
} from './discount-audit.ts';
export type { AgreedDiscount, DiscountAudit, DiscountSums } from './discount-audit.ts';
export { fixedOf } from './discount.ts';
export { mergeRadars, sweepClaims } from './radar.ts';
export type { ClaimCount, ClaimRadar, ClaimSums } from './radar.ts';
export {
  compareContracts,
  fittingContracts,
  lenderNames,
  lenderOf,
  ppmOf,
  WHOLE_PPM,
} from './terms.ts';
export { suggestionRange, suggestMatches } from './suggestion.ts';
export type { OpenAmount, Suggestion } from './suggestion.ts';
