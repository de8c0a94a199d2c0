/** The lenders' possible decisions about an application. */
export const decisions = [
  'approve',
  'decline',
  'no-lender',
  'pending-approve',
  'pending-decline',
  'more-information',
  'merchant-review',
  'expire',
] as const;
type Decision = (typeof decisions)[number];

/**
 * When a decision becomes pending: after the shopper submits their details (`application`: offers
 * come later), or after the shopper confirms an offer (`confirmation`: the confirmation token comes
 * later, in the notification `application.checkout-confirmed`).
 */
type PendingStage = 'application' | 'confirmation';

/** The decision about one application. */
export interface Verdict {
  decision: Decision;
  /** Duration of a pending decision on the sandbox clock, in milliseconds. */
  decidesAfterMs: number;
  stage: PendingStage;
}

/** A last name that forces an outcome, for people and tests. */
interface Trigger {
  /** Last name on the application, case-insensitive. */
  lastName: string;
  decision: Decision;
  decidesAfterMs?: number;
  stage?: PendingStage;
  meaning: string;
}

const HOUR = 3_600_000;

/**
 * The triggers. Any other last name is approved. Amounts trigger nothing, because the cents of a
 * cart total are arbitrary.
 */
export const triggers: readonly Trigger[] = [
  { lastName: 'Decline', decision: 'decline', meaning: 'no lender makes an offer' },
  { lastName: 'NoLender', decision: 'no-lender', meaning: 'no lender is found to ask' },
  {
    lastName: 'Pending',
    decision: 'pending-approve',
    decidesAfterMs: HOUR,
    meaning: 'a lender takes an hour, then offers',
  },
  {
    lastName: 'PendingDecline',
    decision: 'pending-decline',
    decidesAfterMs: HOUR,
    meaning: 'a lender takes an hour, then declines',
  },
  {
    lastName: 'PendingConfirm',
    decision: 'pending-approve',
    decidesAfterMs: HOUR,
    stage: 'confirmation',
    meaning: 'offers; the lender takes an hour after one is confirmed, then approves',
  },
  {
    lastName: 'PendingConfirmDecline',
    decision: 'pending-decline',
    decidesAfterMs: HOUR,
    stage: 'confirmation',
    meaning: 'offers; the lender takes an hour after one is confirmed, then declines',
  },
  {
    lastName: 'MoreInformation',
    decision: 'more-information',
    meaning: 'a lender asks the shopper for a document',
  },
  {
    lastName: 'MerchantReview',
    decision: 'merchant-review',
    meaning: 'a lender asks the shop to look at the order first',
  },
  { lastName: 'Expire', decision: 'expire', meaning: 'the session runs out at once' },
];

/** Returns the decision for a last name. */
export function decisionFor(lastName: string): Verdict {
  const wanted = lastName.trim().toLowerCase();
  const trigger = triggers.find((candidate) => candidate.lastName.toLowerCase() === wanted);
  return {
    decision: trigger?.decision ?? 'approve',
    decidesAfterMs: trigger?.decidesAfterMs ?? 0,
    stage: trigger?.stage ?? 'application',
  };
}
