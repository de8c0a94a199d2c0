import { count } from './common.ts';

export const order = {
  back: 'All orders',
  notFound: 'This order is unknown',
  notFoundHint:
    'Neither the ledger nor a lender has named it. Days that are not proven may add it.',
  fundingWithoutOrder: 'Funding without an order',
  copyExplanation: 'Copy explanation',
  currencyUnknown: 'Currency unknown',
  changed: (moment: string) => `Status since ${moment}`,
  settled: 'Settled',
  funded: 'Funded',
  net: 'Net',
  updating: 'Updating: new lines of this order are not in the figures yet.',
  stillOpen: 'Still open',

  timeline: 'From checkout to payout',
  timelineSummary: (events: number, first: string, last: string) =>
    `${count(events, 'event', 'events')} from ${first} to ${last}. The list below names each.`,
  timelineEmpty: 'Nothing has happened yet',
  events: (n: number) => (n === 1 ? 'The event' : `All ${count(n, 'event', 'events')}`),
  lanes: { merchant: 'Merchant', lender: 'Lender', case: 'Cases' },
  moments: {
    primed: 'Checkout started',
    Authorize: 'Authorized',
    Settle: 'Settle',
    Refund: 'Refund',
    Void: 'Void',
    Chargeback: 'Chargeback',
    ChargebackReversal: 'Chargeback reversed',
    due: 'Payment due',
  } as Record<string, string>,
  posted: (what: string) => `${what} posted`,
  operationStates: {
    recorded: 'being sent',
    'not-sent': 'not sent',
    rejected: 'refused',
    accepted: 'done',
    unknown: 'outcome unclear',
  } as Record<string, string>,
  fundingStatus: (status: string) => `The service says ${status}`,
  notSettled: (amount: string) => `${amount} of it not settled`,

  comparison: 'Expected against funded',
  expected: 'Expected',
  difference: 'Difference',
  rows: {
    settle: 'Settles',
    refund: 'Refunds',
    chargeback: 'Chargebacks',
    reversal: 'Reversed chargebacks',
    total: 'Gross',
    discount: 'Discount',
    net: 'Net paid out',
    awaiting: 'Awaited, not overdue',
  },
  recheck: (day: string) => `Without new data, the status may change on ${day}.`,
  discounts: 'Discount against the contract',
  agreed: 'Agreed',
  kept: 'Kept',
  returned: 'Given back',
  rate: (percent: string, fixed: string | undefined) =>
    fixed === undefined ? percent : `${percent} + ${fixed}`,

  lines: 'Ledger and fundings',
  ledgerLine: 'Ledger',
  fundingLine: 'Funding',
  noLines: 'Neither the ledger nor a lender states a line in this currency.',
  source: (name: string) =>
    (
      ({ companion: 'from the companion', import: 'imported', api: 'by the API' }) as Record<
        string,
        string
      >
    )[name] ?? name,
  matchedWith: 'Fits',
  why: {
    transactionId: 'same transaction ID',
    merchantTransactionId: 'same transaction ID of the merchant',
    lenderReferenceId: 'same reference of the lender',
    typeAndAmount: 'no ID in common; same type and amount',
  },
  unmatchedLine: 'No single funding fits yet.',
  unmatchedFunding: 'No single ledger line fits.',
  ids: 'IDs',
  transactionId: 'Transaction',
  merchantTransactionId: 'Merchant’s transaction',
  lenderReferenceId: 'Lender’s reference',
  product: 'Product',
  promotion: 'Promotion',
  recordId: 'Record',

  exceptions: 'Exceptions',
  noExceptions: 'Nothing to clear up',
  statusReasons: 'Why it has this status',
  toCase: 'Open the case',
  noCase: 'Its case is opened with the next sync.',
  suggestions: 'Possibly related',
  suggestionsHint: 'Orders with the opposite open amount. Compare before you correct anything.',
  suggestionOpen: (amount: string) => `${amount} open`,
  suggestionDays: (days: number) =>
    days === 0
      ? 'same day'
      : `${count(Math.abs(days), 'day', 'days')} ${days < 0 ? 'before' : 'after'}`,
  raw: 'Raw records',
  rawHint: 'The answer of the API, as programs see it.',
  explanation: 'Explanation as text',
  explain: {
    noStatus: 'no status',
    settledRefunded: 'settled, refunded',
    fundedTakenBack: 'funded, taken back',
    chargedBackReversed: 'charged back, reversed',
    discountNet: 'discount, net',
    related: 'possibly related',
    agreedWith: (rate: string, amount: string, lender: string, since: string) =>
      `${rate} of ${amount} agreed with ${lender}${since === '' ? '' : ` since ${since}`}`,
    keptMore: (amount: string) => `${amount} too much kept`,
    keptLess: (amount: string) => `${amount} too little kept`,
    case: 'case',
  },

  charges: 'Charges',
  chargesHint: 'As the service states them now, through the companion.',
  chargeCurrency: 'Currency of this charge',
  chargeCurrencyHint:
    'The service states no currency, and the companion does not know the order. Choose the currency of the charge before money can move.',
  noCharges: 'The service has no charge for this order.',
  chargesMissing: 'Charges are missing here',
  chargesMissingText:
    'The companion does not answer. Everything else on this page comes from reconciliation and is complete.',
  readOnly: 'To settle, refund or void, your token needs the right “money”.',
  noMoneyToken:
    'Money cannot be moved from here: the server has no RECONCILIATION_COMPANION_MONEY_TOKEN.',
  chargeStates: {
    Created: 'Created',
    Authorized: 'Authorized',
    PartiallySettled: 'Partially settled',
    Settled: 'Settled',
    PartiallyRefunded: 'Partially refunded',
    PartiallySettledPartiallyRefunded: 'Partially settled, partially refunded',
    SettledPartiallyRefunded: 'Settled, partially refunded',
    PartiallySettledRefunded: 'Partially settled, refunded',
    Refunded: 'Refunded',
    Voided: 'Voided',
    ChargedBack: 'Charged back',
  } as Record<string, string>,
  authorized: 'Authorized',
  refunded: 'Refunded',
  toSettle: 'Can be settled',
  toRefund: 'Can be refunded',
  orderedDiffers: (amount: string) =>
    `The order’s total is ${amount}: the lessor charges it without its sales tax.`,
  operations: 'Operations of the companion',
  verbs: { settle: 'Settle', refund: 'Refund', void: 'Void' },
  dialogs: { settle: 'Settle the charge', refund: 'Refund the shopper', void: 'Void the charge' },
  confirm: {
    settle: (amount: string) => `Settle ${amount}`,
    refund: (amount: string) => `Refund ${amount}`,
    void: (amount: string) => `Void ${amount}`,
  },
  howMuch: 'How much?',
  modes: { whole: 'All that is left', part: 'A part', items: 'By item' },
  itemsTax: 'Tax on these items',
  amountLabel: (currency: string) => `Amount in ${currency}`,
  amountHint: (limit: string) => `At most ${limit}.`,
  problems: {
    missing: 'Enter an amount.',
    unreadable: (example: string) => `This is no amount. Write it like ${example}.`,
    'too-precise': (decimals: number) =>
      decimals === 0
        ? 'This currency has no decimals.'
        : `This currency has at most ${count(decimals, 'decimal', 'decimals')}.`,
    zero: 'The amount must be more than zero.',
    exceeds: (limit: string) => `Only ${limit} is left.`,
    noItems: 'Enter the quantity of at least one item.',
  },
  quantity: (name: string) => `Quantity of ${name}`,
  ofQuantity: (n: number) => `of ${n}`,
  preview: 'What will be left',
  now: 'Now',
  after: 'After',
  voidText: 'The authorization ends, and the shopper owes nothing. This cannot be undone.',
  refundText: 'The lender gives the amount back to the shopper. This cannot be undone.',
  settleText: 'The lender pays the amount to you. Settle what you have shipped.',
  done: {
    settle: (amount: string) => `${amount} settled.`,
    refund: (amount: string) => `${amount} refunded.`,
    void: (amount: string) => `${amount} voided.`,
  },
  refused: 'This was not done',
  refusedByService: 'The service refused it.',
  unclear: 'The outcome is not known yet',
  unclearText: {
    settle: (amount: string) =>
      `A settle of ${amount} was sent and no answer came. It may be done. Ask again: the same action is never done twice.`,
    refund: (amount: string) =>
      `A refund of ${amount} was sent and no answer came. It may be done. Ask again: the same action is never done twice.`,
    void: (amount: string) =>
      `A void of ${amount} was sent and no answer came. It may be done. Ask again: the same action is never done twice.`,
  },
  askAgain: 'Ask again',
};
