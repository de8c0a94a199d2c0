/**
 * The texts needed before a shopper acts, or if nothing else loads afterwards. Every page loads
 * this file, so it contains no other texts.
 */
export const first = {
  lang: 'en',
  dir: 'ltr' as const,
  label: 'Pay over time',
  resume: 'Continue your application',
  tryAgain: 'Try again',
  checkNow: 'Check now',
  phone: 'Continue on your phone',
  working: 'One moment…',
  dialog: 'Pay over time',
  close: 'Close',
  loading: 'Opening your application…',
  unavailableTitle: 'Financing cannot be reached right now',
  unavailable: 'You were not charged. Try again in a moment, or pay another way.',
  checkingTitle: 'We are checking your application',
  checking:
    'Please do not pay another way yet. This can take a few minutes, and you will see the result here.',
};

/** The corresponding texts of an application without a cart, where they differ. */
export const prequalifyFirst = {
  label: 'See if you qualify',
  unavailableTitle: 'The lender cannot be reached right now',
  unavailable: 'Nothing was decided. Try again in a moment.',
};
