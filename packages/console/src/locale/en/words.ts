/** Words for codes of the API. A code without a word is shown as it is. */
export const words = {
  headlines: {
    PARTIALLY_FUNDED: 'Partially funded',
    AWAITING_FUNDING: 'Awaiting funding',
    CHARGED_BACK: 'Charged back',
    PARTIALLY_CHARGED_BACK: 'Partially charged back',
    REFUNDED: 'Refunded',
    PARTIALLY_REFUNDED: 'Partially refunded',
    CHARGEBACK_REVERSED: 'Chargeback reversed',
    FUNDED: 'Funded',
    NOTHING_DUE: 'Nothing due',
  },
  caseStates: { open: 'Open', resolved: 'Resolved', ignored: 'Ignored', closed: 'Closed' },
  syncStates: { running: 'Running', complete: 'Complete', partial: 'Partial', failed: 'Failed' },
};
