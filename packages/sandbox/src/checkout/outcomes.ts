/** What the lenders decide of an application. */
export const decisions = [
  'approve',
  'decline',
  'pending-approve',
  'pending-decline',
  'more-information',
  'merchant-review',
  'expire',
] as const;
export type Decision = (typeof decisions)[number];

/**
 * When a lender starts to take its time: once it has the shopper's details (`application`: offers
 * come later), or once the shopper has confirmed an offer (`confirmation`: the confirmation token
 * comes later, by the notification `application.checkout-confirmed`).
 */
export type PendingStage = 'application' | 'confirmation';

/** A decision as it is made of one application. */
export interface Verdict {
  decision: Decision;
  /** How long a pending decision takes on the sandbox clock, in milliseconds. */
  decidesAfterMs: number;
  stage: PendingStage;
}

/** A value that forces an outcome, for people and tests that want one. */
export interface Trigger {
  /** Last name on the application; capitals do not matter. */
  lastName: string;
  decision: Decision;
  /** How long a pending decision takes on the sandbox clock, in milliseconds. */
  decidesAfterMs?: number;
  stage?: PendingStage;
  meaning: string;
}

const HOUR = 3_600_000;

/**
 * The triggers, in one table. Any other last name is approved. (Amounts trigger nothing: the cents
 * of a cart are an accident.)
 */
export const triggers: readonly Trigger[] = [
  { lastName: 'Decline', decision: 'decline', meaning: 'no lender makes an offer' },
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

/** What is decided of an application in this name. */
export function decisionFor(lastName: string): Verdict {
  const wanted = lastName.trim().toLowerCase();
  const trigger = triggers.find((candidate) => candidate.lastName.toLowerCase() === wanted);
  return {
    decision: trigger?.decision ?? 'approve',
    decidesAfterMs: trigger?.decidesAfterMs ?? 0,
    stage: trigger?.stage ?? 'application',
  };
}
