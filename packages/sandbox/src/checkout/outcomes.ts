/** What the lenders decide of an application. */
export type Decision =
  'approve' | 'decline' | 'pending-approve' | 'pending-decline' | 'more-information' | 'expire';

/** A value that forces an outcome, for people and tests that want one. */
export interface Trigger {
  /** Last name on the application; capitals do not matter. */
  lastName: string;
  decision: Decision;
  /** How long a pending decision takes on the sandbox clock, in milliseconds. */
  decidesAfterMs?: number;
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
    lastName: 'MoreInformation',
    decision: 'more-information',
    meaning: 'a lender asks the shopper for a document',
  },
  { lastName: 'Expire', decision: 'expire', meaning: 'the session runs out at once' },
];

/** What is decided of an application in this name. */
export function decisionFor(lastName: string): { decision: Decision; decidesAfterMs: number } {
  const wanted = lastName.trim().toLowerCase();
  const trigger = triggers.find((candidate) => candidate.lastName.toLowerCase() === wanted);
  return { decision: trigger?.decision ?? 'approve', decidesAfterMs: trigger?.decidesAfterMs ?? 0 };
}
