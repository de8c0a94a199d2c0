import { gapsText, type OrderExplanation } from '@financing-checkout/contract/reconciliation';
import type { Calendar } from '@financing-checkout/reconciliation-rules/calendar';
import { ASSUMED_CURRENCY, written } from '../queries/basis/reasons.ts';
import { assumedNote, isAssumed } from './left-out.ts';
import type { Shell } from './shell.ts';
import { printable, printTable, type TableColumn } from '@financing-checkout/kit/cli';

/** Formats the output of `reconcile explain`. @param calendar days of the business zone */
export function printExplanation(
  shell: Shell,
  explanation: OrderExplanation,
  calendar: Calendar,
): void {
  const { merchantOrderId, orderKey, currencies, cases, notSearched, timeline, updating } =
    explanation;
  shell.print(printable(merchantOrderId ?? orderKey));
  if (updating)
    shell.print('New lines are known that the figures do not include yet: ask again in a moment.');
  for (const part of currencies) {
    const { currency, currencyAssumed, reasons, status, discounts, suggestions } = part;
    const money = (amount: number) => written(amount, currency, currencyAssumed);
    shell.print('');
    shell.print(
      `${currency || 'currency not known'}${currencyAssumed ? '?' : ''}  ${status?.headline ?? 'no status'}`,
    );
    for (const reason of reasons.filter((one) => one !== ASSUMED_CURRENCY)) {
      shell.print(`  ${printable(reason)}`);
    }
    if (status === undefined) continue;
    const sums = [
      ['settled, refunded', status.expected.settle, status.expected.refund],
      ['funded, taken back', status.funded.settle, status.funded.refund],
      ['charged back, reversed', status.funded.chargeback, status.funded.reversal],
      ['discount, net', status.discount, status.net],
    ] as const;
    for (const [name, first, second] of sums) {
      const amounts = [first, second].map(money);
      shell.print(`  ${name.padEnd(24)}${amounts.join('   ')}`);
    }
    for (const line of discounts) shell.print(`  ${discountLine(line, currency, calendar)}`);
    for (const { merchantOrderId, orderKey, open, daysApart } of suggestions) {
      const name = printable(merchantOrderId ?? orderKey);
      const days = `${Math.abs(daysApart)} d ${daysApart < 0 ? 'before' : 'after'}`;
      shell.print(`  possibly related: ${name}, ${money(open)} open, ${days}`);
    }
  }
  shell.print('');
  const references = referencesOf(explanation);
  printTable(shell, momentColumns(references, calendar), timeline);
  if (currencies.some(isAssumed)) shell.print(assumedNote);
  // A closed case no longer has an exception.
  const unclosed = cases.filter(({ state }) => state !== 'closed');
  if (unclosed.length > 0) shell.print('');
  for (const { id, code, state, reason, assignee } of unclosed) {
    const decided = reason === undefined ? state : `${state}: ${reason}`;
    shell.print(
      printable([`case ${id}`, code, decided, ...(assignee ? [assignee] : [])].join('  ')),
    );
  }
  const gaps = gapsText(notSearched);
  if (gaps !== undefined) shell.print(`\n${gaps}`);
}

/** `2.90 % of 100.00 agreed with Meadow Credit since 2027-01-01: 2.90, kept 3.10, 0.20 too much` */
function discountLine(
  line: OrderExplanation['currencies'][number]['discounts'][number],
  currency: string,
  calendar: Calendar,
): string {
  const { kind, lender, amount, agreedPerSettle, agreedFrom, agreed, discount, variance } = line;
  const begun = agreedFrom === undefined ? '' : ` since ${since(agreedFrom, calendar)}`;
  const done = kind === 'settle' ? 'kept' : 'given back';
  const wrong = variance > 0 ? 'too much kept' : 'too little kept';
  const share = percent(line.agreedBasisPoints, line.agreedBasisPoints);
  const fixed = agreedPerSettle === undefined ? '' : ` + ${written(agreedPerSettle, currency)}`;
  return [
    `${share} of ${written(amount, currency)}${fixed} agreed with ${printable(lender)}${begun}: ` +
      written(agreed, currency),
    `${done} ${written(discount, currency)}`,
    ...(variance === 0 ? [] : [`${written(Math.abs(variance), currency)} ${wrong}`]),
  ].join(', ');
}

/** Returns each line's reference, by line ID: the lender's, or else the service's. */
function referencesOf({ currencies }: OrderExplanation): ReadonlyMap<string, string | undefined> {
  return new Map(
    currencies.flatMap(({ fundings, ledger }) => [
      ...fundings.map((of) => [of.id, of.lenderReferenceId ?? transactionOf(of)] as const),
      ...ledger.map((of) => [of.id, transactionOf(of)] as const),
    ]),
  );
}

function transactionOf(of: {
  transactionId?: string | undefined;
  merchantTransactionId?: string | undefined;
}): string | undefined {
  return of.transactionId ?? of.merchantTransactionId;
}

const momentColumns = (
  references: ReadonlyMap<string, string | undefined>,
  calendar: Calendar,
): TableColumn<OrderExplanation['timeline'][number]>[] => [
  { head: `WHEN (${calendar.zone})`, cell: ({ at }) => calendar.minuteOf(Date.parse(at)) },
  { head: 'FROM', cell: ({ source }) => source },
  { head: 'WHAT', cell: ({ what }) => what },
  {
    head: 'AMOUNT',
    cell: ({ amount, currency = '', currencyAssumed }) =>
      amount === undefined ? '' : written(amount, currency, currencyAssumed),
    align: 'right',
  },
  { head: 'BY', cell: ({ by, lender }) => by ?? lender ?? '' },
  { head: 'CLAIM', cell: ({ status }) => status ?? '' },
  { head: 'REFERENCE', cell: ({ id }) => references.get(id) ?? '' },
];

/**
 * Formats a rate with at least two decimals, or with as many as the contracted rate has: `2.90 %`,
 * `2.875 %`.
 */
export function percent(basisPoints: number | undefined, agreed = 0): string {
  if (basisPoints === undefined) return '';
  const decimals = String(Math.round(agreed * 100) / 10_000).split('.')[1]?.length ?? 0;
  return `${(basisPoints / 100).toFixed(Math.max(2, decimals))} %`;
}

/** Formats the start of a contract, which for most contracts is the start of a day. */
export function since(agreedFrom: string | undefined, calendar: Calendar): string {
  if (agreedFrom === undefined) return '';
  const at = Date.parse(agreedFrom);
  const day = calendar.dayOf(at);
  return calendar.startOf(day) === at ? day : calendar.minuteOf(at);
}
