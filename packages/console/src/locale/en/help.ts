export const help = {
  contents: 'On this page',
  exceptionsTitle: 'Exceptions',
  exceptionsIntro:
    'An exception is a difference that a person should know of. It names the cause, not its consequences: a wrong amount is not also “funded too much”. The gravest come first.',
  means: 'Meaning',
  todo: 'What to do',
  termsTitle: 'Terms',
  rightsTitle: 'Rights',
  rightsIntro:
    'Rights belong to the access token. Its name stands in the trail for every action. Your administrator sets tokens in RECONCILIATION_TOKENS.',
  yours: 'You have this right',
  notYours: 'You do not have this right',
  rights: {
    view: { name: 'View', text: 'See every page and export. Every token permits it.' },
    cases: {
      name: 'cases',
      text: 'Assign, note, resolve, ignore and reopen cases, and send messages to finance again.',
    },
    sync: { name: 'sync', text: 'Start a sync, and read a day again.' },
    imports: { name: 'imports', text: 'Check, import and withdraw ledger files.' },
    rebuild: { name: 'rebuild', text: 'Rebuild the analytics database.' },
    money: {
      name: 'money',
      text: 'Settle, refund and void charges, and end operations whose outcome is unclear. It also needs RECONCILIATION_COMPANION_MONEY_TOKEN on the server.',
    },
  },
  keyboardTitle: 'Keyboard',
  keyboardIntro: 'Every function works without a mouse.',
  keys: [
    ['Tab, Shift + Tab', 'Next or previous control'],
    ['Enter', 'Follows a link, presses a button, opens the chosen match of the search'],
    ['↑ ↓', 'Move through the matches of the search, and scroll a table that has the focus'],
    ['← → ↑ ↓', 'Move between the days of the calendar'],
    ['Space', 'Sets a check mark, opens a list'],
    ['Esc', 'Closes a dialog, or the matches of the search'],
  ] as [keys: string, effect: string][],
  terms: {
    service: {
      name: 'Service',
      text: 'The financing service: one API in front of several lenders.',
    },
    lender: {
      name: 'Lender',
      text: 'The company that gives the shopper credit and pays the merchant.',
    },
    companion: {
      name: 'Companion',
      text: 'The merchant’s own server that holds the private key and moves money at the service.',
    },
    charge: { name: 'Charge', text: 'The financed payment of one order at the service.' },
    application: { name: 'Application', text: 'The shopper’s request for credit at the service.' },
    hold: {
      name: 'Hold',
      text: 'An authorized charge that is not settled yet. It ends after the days of its lender; what is not settled by then cannot be collected.',
    },
    settle: {
      name: 'Settle',
      text: 'Collects an authorized charge, whole or in part. The lender owes the amount from then on.',
    },
    refund: { name: 'Refund', text: 'Gives a settled charge back, whole or in part.' },
    void: { name: 'Void', text: 'Cancels a charge that is not settled.' },
    chargeback: {
      name: 'Chargeback',
      text: 'The lender takes money back because the shopper disputes the order. A reversal gives it back to the merchant.',
    },
    ledger: {
      name: 'Ledger',
      text: 'What the merchant recorded: one line for each settle, refund, void and chargeback, from the companion and from imports.',
    },
    funding: { name: 'Funding', text: 'One record of the service’s report: a lender’s posting.' },
    gross: {
      name: 'Gross, discount, net',
      text: 'The gross amount of a funding less the lender’s discount is the net amount, which arrives at the bank.',
    },
    discount: {
      name: 'Discount (MDR)',
      text: 'What a lender keeps of a settle, by contract in percent and as a fixed amount. Some contracts return it with a refund.',
    },
    expected: {
      name: 'Expected and funded',
      text: 'Expected is what the ledger says lenders owe; funded is what they have posted. Awaiting is what is settled, unpaid and not late.',
    },
    late: {
      name: 'Late',
      text: 'After the days within which the lender pays, by your policy. Nothing counts as late while a day is unproven.',
    },
    tolerance: {
      name: 'Tolerance',
      text: 'Differences that your policy accepts per order. Differences within it are summed, and the sum is judged again.',
    },
    'minor-units': {
      name: 'Minor units',
      text: 'An amount as an integer in the smallest unit of its currency: 945.63 USD is 94563.',
    },
    'funding-day': {
      name: 'Funding day',
      text: 'One calendar day of fundings in the declared time zone. It is read and proven as a unit.',
    },
    proven: {
      name: 'Proven',
      text: 'Two passes in a row read the day with the same records. Until then nothing counts as missing.',
    },
    stale: { name: 'Stale', text: 'A proven day that has to be read again.' },
    quarantine: {
      name: 'Quarantine',
      text: 'Where records stand that cannot be read as money. They are in no sum, and their orders miss nothing.',
    },
    assumed: {
      name: 'Assumed currency',
      text: 'No source states the currency of the amount, so the default is shown with a question mark. It is in no sum.',
    },
    sync: { name: 'Sync', text: 'Reads the service’s report through the companion, day by day.' },
    import: {
      name: 'Import',
      text: 'Ledger lines from a file or the API, all of them or none, with the name of the person.',
    },
    'look-alike': {
      name: 'Look-alike',
      text: 'A line of a file that may exist already in another form: the same amount for the same order, or another amount with the same ID.',
    },
    'order-status': {
      name: 'Order status',
      text: 'The verdict on one order in one currency: what was paid, what was taken back, and its gravest exception.',
    },
    exception: {
      name: 'Exception',
      text: 'A difference that a person should know of, with a stable code.',
    },
    case: {
      name: 'Case',
      text: 'A person’s work on one exception. It closes by itself when the exception is gone.',
    },
    trail: {
      name: 'Trail',
      text: 'All actions of people, linked by hashes, so that a later change is found.',
    },
    walk: {
      name: 'Cash walk',
      text: 'The way from what was owed to what was paid, step by step.',
    },
    unexplained: {
      name: 'Unexplained',
      text: 'What remains after every step of the cash walk. It is 0.00 unless money moved that no rule explains.',
    },
    transit: {
      name: 'In transit',
      text: 'Owed at the end of a period and not late. It is the opening amount of the next period.',
    },
    radar: {
      name: 'Radar',
      text: 'Names lenders whose fundings the service marks wrongly, with number and amount.',
    },
    suggestion: {
      name: 'Suggestion',
      text: 'An order with the opposite open amount, to which an unmatched funding may belong. A person decides.',
    },
    analytics: {
      name: 'Analytics database',
      text: 'Made from the facts and the companion’s ledger. It can be deleted and rebuilt at any time.',
    },
    standby: {
      name: 'Standby',
      text: 'A second process that answers and does not write. It takes over when the writing one ends.',
    },
  },
};
