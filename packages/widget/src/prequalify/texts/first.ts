/** The texts needed before a shopper acts, and when nothing more loads after that. */
export const first = {
  label: 'See if you qualify',
  dialog: 'See if you qualify',
  unavailableTitle: 'The lender cannot be reached right now',
  unavailable: 'Nothing was decided. Try again in a moment.',
};
