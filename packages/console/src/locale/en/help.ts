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
  /** Each as the term and, after a colon, its meaning. */
  terms: {
    service: 'Service: The financing service: one API in front of several lenders.',
    lender: 'Lender: The company that gives the shopper credit and pays the merchant.',
    companion:
      'Companion: The merchant’s own server that holds the private key and moves money at the service.',
    charge: 'Charge: The financed payment of one order at the service.',
    application: 'Application: The shopper’s request for credit at the service.',
    hold: 'Hold: An authorized charge that is not settled yet. It ends after the days of its lender; what is not settled by then cannot be collected.',
    settle:
      'Settle: Collects an authorized charge, whole or in part. The lender owes the amount from then on.',
    refund: 'Refund: Gives a settled charge back, whole or in part.',
    void: 'Void: Cancels a charge that is not settled.',
    chargeback:
      'Chargeback: The lender takes money back because the shopper disputes the order. A reversal gives it back to the merchant.',
    ledger:
      'Ledger: What the merchant recorded: one line for each settle, refund, void and chargeback, from the companion and from imports.',
    funding: 'Funding: One record of the service’s report: a lender’s posting.',
    gross:
      'Gross, discount, net: The gross amount of a funding less the lender’s discount is the net amount, which arrives at the bank.',
    discount:
      'Discount (MDR): What a lender keeps of a settle, by contract in percent and as a fixed amount. Some contracts return it with a refund.',
    expected:
      'Expected and funded: Expected is what the ledger says lenders owe; funded is what they have posted. Awaiting is what is settled, unpaid and not late.',
    late: 'Late: After the days within which the lender pays, by your policy. Nothing counts as late while a day is unproven.',
    tolerance:
      'Tolerance: Differences that your policy accepts per order. Differences within it are summed, and the sum is judged again.',
    'minor-units':
      'Minor units: An amount as an integer in the smallest unit of its currency: 945.63 USD is 94563.',
    'funding-day':
      'Funding day: One calendar day of fundings in the declared time zone. It is read and proven as a unit.',
    proven:
      'Proven: Two passes in a row read the day with the same records. Until then nothing counts as missing.',
    stale: 'Stale: A proven day that has to be read again.',
    quarantine:
      'Quarantine: Where records stand that cannot be read as money. They are in no sum, and their orders miss nothing.',
    assumed:
      'Assumed currency: No source states the currency of the amount, so the default is shown with a question mark. It is in no sum.',
    sync: 'Sync: Reads the service’s report through the companion, day by day.',
    import:
      'Import: Ledger lines from a file or the API, all of them or none, with the name of the person.',
    'look-alike':
      'Look-alike: A line of a file that may exist already in another form: the same amount for the same order, or another amount with the same ID.',
    'order-status':
      'Order status: The verdict on one order in one currency: what was paid, what was taken back, and its gravest exception.',
    exception: 'Exception: A difference that a person should know of, with a stable code.',
    case: 'Case: A person’s work on one exception. It closes by itself when the exception is gone.',
    trail: 'Trail: All actions of people, linked by hashes, so that a later change is found.',
    walk: 'Cash walk: The way from what was owed to what was paid, step by step.',
    unexplained:
      'Unexplained: What remains after every step of the cash walk. It is 0.00 unless money moved that no rule explains.',
    transit:
      'In transit: Owed at the end of a period and not late. It is the opening amount of the next period.',
    radar: 'Radar: Names lenders whose fundings the service marks wrongly, with number and amount.',
    suggestion:
      'Suggestion: An order with the opposite open amount, to which an unmatched funding may belong. A person decides.',
    analytics:
      'Analytics database: Made from the facts and the companion’s ledger. It can be deleted and rebuilt at any time.',
    standby:
      'Standby: A second process that answers and does not write. It takes over when the writing one ends.',
  },
};
