import { first, prequalifyFirst } from '../first.ts';
import type { MessageTexts, OwnPrequalifyTexts, Texts } from '../texts.ts';

/**
 * Loaded when a shopper acts and no other language is set. The initial texts are part of every
 * page.
 */
export const checkout: Texts = {
  ...first,
  startAgain: 'Start again',
  phoneWaiting: 'Scan the code with your phone, or open the address there.',
  phoneLocal: 'A phone cannot open this address: it leads to this device.',
  copy: 'Copy the address',
  copied: 'Address copied',
  openHere: 'Open it on this device',
  reload: 'Reload this page',
  ready: 'Your application is ready.',
  slow: 'This is taking longer than usual.',
  elsewhere: 'Continue on the lender’s own page',
  awayTitle: 'Your application is open',
  away: 'Continue there. This page waits for you and shows the result.',
  showWindow: 'Show the window',
  cancel: 'Cancel',
  changedTitle: 'Your cart has changed',
  changed: 'Approved for {amount}, your cart is now {current}. You were not charged.',
  changedCart: 'What was approved is not what is in your cart now. You were not charged.',
  keep: 'Keep {amount}',
  approvedTitle: 'Your financing is approved',
  approved: '{amount} is financed. There is nothing more to do here.',
  approvedOther:
    '{amount} is financed. Your cart is now {current}: the shop will tell you what happens with the difference.',
  pendingTitle: 'Your application is being reviewed',
  pending:
    'You can leave this page. The shop will tell you when there is a decision. Please do not pay another way meanwhile.',
  declinedTitle: 'No offer this time',
  declined:
    'No lender made an offer for this order, and you were not charged. The lender will send you the reasons.',
  cancelledTitle: 'You left the application',
  cancelled: 'You were not charged. Start again whenever you like.',
  cancelledLink:
    'You were not charged. The address works for 24 hours: please do not use it if you pay another way.',
  confirmingTitle: 'Confirming with your lender',
  confirming: 'This takes a few seconds. Please stay on this page.',
  expiredTitle: 'Your application ran out of time',
  expired: 'You were not charged. You can start again.',
  staleTitle: 'This page has been open for a while',
  stale: 'Reload it to go on. You were not charged.',
  offlineTitle: 'You seem to be offline',
  offline: 'You were not charged. Try again when you are connected.',
  failedTitle: 'Financing is not available for this order',
  failed: 'You were not charged. Please pay another way.',
  refundedTitle: 'Your financing was refunded',
  refunded: '{current} went back to the lender.',
  reducedTitle: 'A part of your financing was refunded',
  reduced: '{current} of {amount} went back to the lender.',
  voidedTitle: 'Your financing was cancelled',
  voided: 'This order is not financed any more.',
};

export const prequalify: OwnPrequalifyTexts = {
  ...prequalifyFirst,
  prequalifiedTitle: 'You are prequalified',
  prequalified:
    'A lender offers you up to {amount}. Choose financing at the checkout: the lender makes its final decision there.',
  prequalifiedOpen:
    'A lender offers you financing. Choose it at the checkout: the lender makes its final decision there.',
  pending:
    'The lender has not decided yet, or needs something from you. You can come back to this page.',
  declined:
    'No lender made an offer. The lender will send you the reasons. You can still buy here and pay another way.',
  notFoundTitle: 'No application was made',
  notFound: 'It ended before it reached a lender, so nothing was decided. You can start again.',
  cancelled: 'Nothing was decided. You can continue where you left off.',
  expired: 'Nothing was decided. You can start again.',
  offline: 'Nothing was decided. Try again when you are connected.',
  failedTitle: 'This is not available right now',
  failed: 'Nothing was decided. You can still ask for financing at the checkout.',
};

export const message: MessageTexts = {
  title: 'Pay over time',
  close: 'Close',
  plan: 'Lender',
  payment: 'Payment',
  count: 'Payments',
  apr: 'APR',
  interest: 'Interest',
  leaseCost: 'Cost of the lease',
  total: 'Total',
  perMonth: '{payment} a month',
  perWeek: '{payment} a week',
  perTwoWeeks: '{payment} every two weeks',
  perDay: '{payment} a day',
  example: 'Representative example',
  amount: 'Amount financed',
  cashPrice: 'Cash price',
  last: 'Last payment',
  questions: 'Questions and answers',
  whatQuestion: 'How does it work?',
  whatAnswer:
    'A lender pays the shop for your order, and you repay the lender in the payments shown here.',
  offerQuestion: 'Is this my final offer?',
  offerAnswer:
    'No. These payments are computed from the lender’s published terms. Your own offer comes from the lender after you apply, and you decide then.',
  creditQuestion: 'Does it affect my credit score?',
  creditAnswer:
    'That depends on the lender. It says which checks it makes before you agree to them.',
  disclosures: 'Information from the lenders',
  qualify: 'See if you qualify',
};

export const learnMore = 'Learn more';
