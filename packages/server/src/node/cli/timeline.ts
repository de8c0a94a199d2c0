import { FOUND_SINCE, PENDING } from '../../charges/lookup.ts';
import { toMajorUnits } from '@financing-checkout/contract/money';
import { type KeptMessage } from '@financing-checkout/contract/storefront';
import { isoTime } from '@financing-checkout/kit';
import type {
  AttemptRow,
  ChargeOperationRow,
  ListedDelivery,
  RefusalRow,
  SecondConfirmation,
  Trace,
} from '../../store/store.ts';

export interface TimelineEvent {
  /** ISO 8601, UTC. */
  at: string;
  what: string;
  /** Id of an attempt, an operation, a message, or a refused request. */
  id: string;
  outcome: string;
  /** The cause, or the meaning of the outcome. */
  detail?: string;
  requestId?: string;
  /** The service's request id, which its support asks for. */
  serviceRequestId?: string;
  merchantTransactionId?: string;
}

/**
 * The stored history of a request, without personal data or secrets, so that it can be attached to
 * a support ticket.
 */
export interface Timeline {
  checkout?: {
    id: string;
    environment: string;
    merchantOrderId: string;
    amount: string;
    status: string;
    chargeId?: string;
    chargeState?: string;
    /** Time of the companion's next lookup; absent if nothing is left to do. */
    nextLook?: string;
    /** The financing message that the shopper saw before the checkout, as the page reported it. */
    shown?: KeptMessage;
    /** State and expiry of the link that lets the shopper continue on another device. */
    link?: { state: string; expiresAt: string };
  };
  /** Oldest first. */
  events: TimelineEvent[];
  /** What the state means, and what to do. */
  advice: string[];
}

/** Returns a trace in chronological order, without session tokens and page URLs. */
export function timelineOf(trace: Trace): Timeline {
  const { checkout, attempts, operations, deliveries, refusal, link } = trace;
  const { secondConfirmations = [] } = trace;
  const events = [
    ...attempts.map(attemptEvent),
    ...operations.map(operationEvent),
    ...deliveries.map(deliveryEvent),
    ...secondConfirmations.map(secondConfirmationEvent),
    ...(refusal === undefined ? [] : [refusalEvent(refusal)]),
  ];
  return {
    ...(checkout === undefined
      ? {}
      : {
          checkout: {
            id: checkout.id,
            environment: checkout.environment,
            merchantOrderId: checkout.merchantOrderId,
            amount: `${toMajorUnits(checkout.amount)} ${checkout.amount.currency}`,
            status: checkout.status,
            chargeId: checkout.chargeId,
            chargeState: checkout.chargeState,
            ...(checkout.attentionAt === undefined
              ? {}
              : { nextLook: isoTime(checkout.attentionAt) }),
            ...(checkout.shown && { shown: checkout.shown }),
            ...(link === undefined
              ? {}
              : { link: { state: link.state, expiresAt: isoTime(link.expiresAt) } }),
          },
        }),
    events: events.sort((left, right) => left.at.localeCompare(right.at)),
    advice: [
      ...adviceFor(attempts, operations, deliveries),
      ...(secondConfirmations.length === 0 ? [] : [SECOND_ADVICE]),
    ],
  };
}

const SECOND_ADVICE =
  'An application on the link was confirmed and not charged, because the order has its charge: look it up by its id at the service, and cancel it there.';

function secondConfirmationEvent({ applicationId, seenAt }: SecondConfirmation): TimelineEvent {
  const detail = 'a second confirmation of the order';
  return { at: isoTime(seenAt), what: 'second', id: applicationId, outcome: 'not-charged', detail };
}

function refusalEvent({ requestId, code, detail, refusedAt }: RefusalRow): TimelineEvent {
  const at = isoTime(refusedAt);
  return { at, what: 'refused', id: requestId, outcome: code, ...(detail && { detail }) };
}

const meaning: Record<AttemptRow['state'], string> = {
  recorded: 'about to be sent, or its companion crashed; its outcome is looked up',
  'not-sent': 'nothing was done at the service',
  rejected: 'the service refused it: nothing was done',
  accepted: 'the service did it',
  unknown: 'the service may have done it; it is looked up, and never sent again automatically',
};

function attemptEvent(attempt: AttemptRow): TimelineEvent {
  const { reason, requestId, serviceRequestId, merchantTransactionId } = attempt;
  return {
    at: isoTime(attempt.createdAt),
    what: attempt.kind,
    id: attempt.id,
    outcome: attempt.state,
    detail: reason === undefined ? meaning[attempt.state] : `${reason}: ${meaning[attempt.state]}`,
    requestId,
    serviceRequestId,
    merchantTransactionId,
  };
}

/** Returns the event of a charge operation, with the amount, which an operator needs. */
function operationEvent(operation: ChargeOperationRow): TimelineEvent {
  const { kind, state, reason, amount, requestId, serviceRequestId } = operation;
  const money = amount === undefined ? '' : `${toMajorUnits(amount)} ${amount.currency}: `;
  return {
    at: isoTime(operation.createdAt),
    what: kind,
    id: operation.id,
    outcome: state,
    detail: `${money}${reason === undefined ? '' : `${reason}: `}${meaningOf(operation)}`,
    requestId,
    serviceRequestId,
    merchantTransactionId: operation.merchantTransactionId,
  };
}

function meaningOf({ state, reason, resolution }: ChargeOperationRow): string {
  if (reason === PENDING) return 'pending at the service; the companion keeps polling';
  if (resolution === undefined) return meaning[state];
  if (reason === FOUND_SINCE) {
    return 'resolved by a person as not done, but the service has it since';
  }
  return `resolved by a person as ${state === 'accepted' ? '' : 'not '}done`;
}

function deliveryEvent(delivery: ListedDelivery): TimelineEvent {
  const { tries, reason, deliveredAt, nextAttemptAt } = delivery;
  const outcome =
    deliveredAt !== undefined ? 'delivered' : nextAttemptAt !== undefined ? 'waiting' : 'dead';
  const when =
    nextAttemptAt === undefined || deliveredAt !== undefined
      ? ''
      : `, next try ${isoTime(nextAttemptAt)}`;
  return {
    at: isoTime(delivery.createdAt),
    what: 'webhook',
    id: delivery.id,
    outcome,
    detail: `${tries} ${tries === 1 ? 'try' : 'tries'}${reason === undefined ? '' : `, ${reason}`}${when}`,
  };
}

function adviceFor(
  attempts: readonly AttemptRow[],
  operations: readonly ChargeOperationRow[],
  deliveries: readonly ListedDelivery[],
): string[] {
  const unknown = attempts.some(
    ({ kind, state }) => kind !== 'prime' && (state === 'unknown' || state === 'recorded'),
  );
  const dead = deliveries.some(
    ({ deliveredAt, nextAttemptAt }) => deliveredAt === undefined && nextAttemptAt === undefined,
  );
  const moving = operations.some(({ state }) => state === 'unknown' || state === 'recorded');
  const unclear = operations.some(
    ({ reason, state }) => state === 'unknown' && reason === 'charge-moved',
  );
  const keyRejected = [...attempts, ...operations].some(({ reason }) => reason === 'key-rejected');
  return [
    ...(unknown ? ['Do not charge this order another way before the outcome is known.'] : []),
    ...(moving
      ? [
          'Do not move this money another way: repeat the request with the same Idempotency-Key to get its outcome.',
        ]
      : []),
    ...(unclear
      ? [
          'The charge was changed outside the companion, and a person must check it: financing-companion charges unclear.',
        ]
      : []),
    ...(dead ? ['A message to the shop is dead: financing-companion webhooks --help.'] : []),
    ...(keyRejected ? ['The service refused the private key: financing-companion doctor.'] : []),
  ];
}
