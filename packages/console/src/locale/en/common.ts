const plural = new Intl.PluralRules('en');
/** Returns the form of a noun for a count. */
export const count = (n: number, one: string, other: string): string =>
  `${n.toLocaleString('en')} ${plural.select(n) === 'one' ? one : other}`;

export const common = {
  all: 'All',
  sum: 'Sum',
  amount: 'Amount',
  cancel: 'Cancel',
  clear: 'Clear filters',
  close: 'Close',
  code: 'Exception',
  copied: 'Copied',
  copy: 'Copy',
  currency: 'Currency',
  day: 'Day',
  settles: 'Settles',
  period: 'Period',
  resend: 'Send again',
  date: 'Date',
  export: 'Export',
  downloadPng: 'Download as PNG',
  filters: 'Filters',
  from: 'From',
  to: 'To',
  lender: 'Lender',
  loading: 'Loading',
  order: 'Order',
  reason: 'Reason',
  retry: 'Try again',
  state: 'State',
  table: 'Show as table',
  unknown: 'unknown',
  assumed: 'Currency assumed',
  assumedHelp:
    'No source states the currency of this amount. It is excluded from sums. Import the ledger of the order, or set RECONCILIATION_DEFAULT_CURRENCY.',
  zone: (zone: string) => `Days in ${zone}`,
  since: (day: string) => `since ${day}`,
  days: (n: number) => count(n, 'day', 'days'),
  rows: (n: number) => count(n, 'row', 'rows'),
  asOf: (moment: string) => `As of ${moment}`,
  incomplete: (days: number) =>
    `${count(days, 'day is', 'days are')} not proven. Results may change, and nothing counts as missing at a lender until then.`,
  quarantined: (n: number) =>
    `${count(n, 'record is', 'records are')} in quarantine and in no sum.`,
  partial: 'The companion did not answer. What it states is missing here.',
  error: {
    title: 'This could not be loaded',
    request: (id: string) => `Request ${id}`,
  },
  empty: 'Nothing here',
};
