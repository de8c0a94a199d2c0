/** Describes how to bring the widget to a state without user input. */
export interface State {
  /** Selector in the element's shadow root that matches once the state is reached. */
  readonly shows: string;
  /** Absent if the shopper has not acted. */
  readonly start?: {
    /** The companion's response to the opening request. The default is an open checkout. */
    readonly prime?: Answer;
    /**
     * The action of the lender's page once it is shown; `mute` never sends `ready`, and `broken`
     * sends `ready` and then fails.
     */
    readonly lender?:
      | 'mute'
      | 'broken'
      | 'confirmed'
      | 'declined'
      | 'cancelled'
      | 'expired'
      | 'failed';
    /** The companion's response after the page ends. */
    readonly verdict?: Answer;
  };
  /** An action on the element once the lender's page is shown, or at the start. */
  readonly then?: 'disable' | 'leave' | 'restore' | 'fill the cart' | 'take the phone';
  /** Shows `<financing-prequalify>` instead of the checkout. */
  readonly prequalify?: true;
  /** Whether the shopper has opened the link on a phone. */
  readonly opened?: true;
  /** Shows the lender's page in a window. */
  readonly popup?: true;
  /** The browser reports that it is offline. */
  readonly offline?: true;
}

/** A checkout with this status, a problem with this code, no connection, or no response. */
export type Answer =
  | { status: string; retrySafe?: boolean }
  | { problem: string }
  | 'refused'
  | 'never';

const notice = (name: string) => `section.${name}:not([hidden])`;
const unsettled = 'dialog[open] .stage[aria-busy=true]';
const settled = 'dialog[open] .stage[aria-busy=false] .frame:not([hidden]) iframe';

/** Every state that a shopper can see, by name. */
export const states: Readonly<Record<string, State>> = {
  idle: { shows: '#start:not(:disabled)' },
  disabled: { shows: '#start:disabled', then: 'disable' },
  resumable: { shows: '#start slot[name=resume-label]', start: {}, then: 'restore' },
  opening: { shows: unsettled, start: { prime: 'never' } },
  shown: { shows: settled, start: {} },
  slow: { shows: 'dialog[open] .slow:not([hidden])', start: { lender: 'mute' } },
  silent: { shows: 'dialog[open] .silent:not([hidden])', start: { lender: 'broken' } },
  away: { shows: notice('away'), start: {}, popup: true },
  leaving: {
    shows: '#start[aria-disabled=true]',
    start: { verdict: 'never' },
    then: 'leave',
  },
  changed: {
    shows: notice('changed'),
    start: { lender: 'confirmed', verdict: { problem: 'order-changed' } },
  },
  confirming: {
    shows: notice('confirming'),
    start: { lender: 'confirmed', verdict: 'never' },
  },
  checking: {
    shows: notice('checking'),
    start: { lender: 'confirmed', verdict: { status: 'unavailable', retrySafe: false } },
  },
  approved: {
    shows: notice('approved'),
    start: { lender: 'confirmed', verdict: { status: 'approved' } },
  },
  'approved-other': {
    shows: notice('approved'),
    start: { lender: 'confirmed', verdict: { status: 'approved' } },
    then: 'fill the cart',
  },
  pending: {
    shows: notice('pending'),
    start: { lender: 'confirmed', verdict: { status: 'pending' } },
  },
  declined: {
    shows: notice('declined'),
    start: { lender: 'declined', verdict: { status: 'declined' } },
  },
  cancelled: {
    shows: notice('cancelled'),
    start: { lender: 'cancelled', verdict: { status: 'cancelled' } },
  },
  expired: {
    shows: notice('expired'),
    start: { lender: 'expired', verdict: { status: 'expired' } },
  },
  stale: { shows: notice('stale'), start: { prime: { problem: 'order-ticket-expired' } } },
  unavailable: { shows: notice('unavailable'), start: { prime: 'refused' } },
  offline: { shows: notice('offline'), start: { prime: 'refused' }, offline: true },
  failed: {
    shows: notice('failed'),
    start: { lender: 'failed', verdict: { status: 'failed' } },
  },
  'phone-offered': { shows: '#start ~ [part=second-button]:not([hidden])', then: 'take the phone' },
  'phone-waiting': { shows: '.phone [part=address]', start: {}, then: 'take the phone' },
  'phone-opened': {
    shows: '.phone [part=address]',
    start: {},
    then: 'take the phone',
    opened: true,
  },
  'prequalify-idle': { shows: '#start:not(:disabled)', prequalify: true },
  'prequalify-shown': { shows: settled, start: {}, prequalify: true },
  ...Object.fromEntries(
    ['prequalified', 'pending', 'declined', 'not-found', 'expired'].map(
      (status): [string, State] => [
        status === 'prequalified' ? status : `prequalify-${status}`,
        {
          shows: notice(status),
          start: { lender: 'confirmed', verdict: { status } },
          prequalify: true,
        },
      ],
    ),
  ),
  'prequalify-unavailable': {
    shows: notice('unavailable'),
    start: { prime: 'refused' },
    prequalify: true,
  },
};
