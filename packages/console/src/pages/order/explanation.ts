import { html } from 'lit';
import type { OrderExplanation } from '@financing-checkout/contract/reconciliation';
import { statusReasons } from '@financing-checkout/contract/plain';
import { formats, language, majorOf, texts } from '../../locale/locale.ts';
import { headlineText } from '../../parts/values.ts';
import type { Part } from './comparison.ts';

/** Returns an order as plain text for a message or ticket, like `financing-reconcile explain`. */
export function explanationText({
  merchantOrderId,
  orderKey,
  currencies,
  cases,
  timeline,
  notSearched,
}: OrderExplanation): string {
  const { order } = texts();
  const lines = [merchantOrderId ?? orderKey];
  for (const part of currencies) lines.push('', ...partLines(part));
  const { isoMinute, zone } = formats();
  lines.push('', `${zone}:`);
  const columns = timeline.map((one) => [
    isoMinute(Date.parse(one.at)),
    one.source,
    one.what,
    one.amount === undefined
      ? ''
      : programText(one.amount, one.currency ?? '', one.currencyAssumed),
    one.by ?? one.lender ?? '',
    one.status ?? '',
  ]);
  lines.push(...aligned(columns));
  const unclosed = cases.filter(({ state }) => state !== 'closed');
  if (unclosed.length > 0) lines.push('');
  for (const { id, code, state, reason, assignee } of unclosed) {
    const decided = reason === undefined ? state : `${state}: ${reason}`;
    const parts = [`${order.explain.case} ${id}`, code, decided, ...(assignee ? [assignee] : [])];
    lines.push(parts.join('  '));
  }
  const gaps = texts().gaps(notSearched);
  if (gaps !== undefined) lines.push('', gaps);
  return `${lines.join('\n').trimEnd()}\n`;
}

function partLines(part: Part): string[] {
  const { order } = texts();
  const { explain: words } = order;
  const { currency, currencyAssumed, status, discounts, suggestions } = part;
  const money = (minor: number) => programText(minor, currency, currencyAssumed);
  const name = currency === '' ? order.currencyUnknown : `${currency}${currencyAssumed ? '?' : ''}`;
  const lines = [
    `${name}  ${status === undefined ? words.noStatus : headlineText(status.headline)}`,
    ...reasonsOf(part).sentences.map((reason) => `  ${reason}`),
  ];
  if (status === undefined) return lines;
  const { expected, funded, discount, net } = status;
  const sums = [
    [words.settledRefunded, money(expected.settle), money(expected.refund)],
    [words.fundedTakenBack, money(funded.settle), money(funded.refund)],
    [words.chargedBackReversed, money(funded.chargeback), money(funded.reversal)],
    [words.discountNet, money(discount), money(net)],
  ];
  lines.push(...aligned(sums).map((line) => `  ${line}`));
  for (const line of discounts) lines.push(`  ${discountLine(line, currency)}`);
  for (const one of suggestions) {
    const found = one.merchantOrderId ?? one.orderKey;
    const open = order.suggestionOpen(money(one.open));
    lines.push(`  ${words.related}: ${found}, ${open}, ${order.suggestionDays(one.daysApart)}`);
  }
  return lines;
}

function discountLine(line: Part['discounts'][number], currency: string): string {
  const { order } = texts();
  const { isoDay, percent } = formats();
  const { explain: words } = order;
  const money = (minor: number) => programText(minor, currency);
  const fixed = line.agreedPerSettle === undefined ? undefined : money(line.agreedPerSettle);
  const rate = order.rate(percent(line.agreedBasisPoints), fixed);
  const since = line.agreedFrom === undefined ? '' : isoDay(Date.parse(line.agreedFrom));
  const agreed = words.agreedWith(rate, money(line.amount), line.lender, since);
  const done = line.kind === 'settle' ? order.kept : order.returned;
  return [
    `${agreed}: ${money(line.agreed)}`,
    `${done.toLocaleLowerCase()} ${money(line.discount)}`,
    ...(line.variance > 0 ? [words.keptMore(money(line.variance))] : []),
    ...(line.variance < 0 ? [words.keptLess(money(0 - line.variance))] : []),
  ].join(', ');
}

/** Returns an amount as programs write it: `-15.00 USD`, with `?` if its currency is assumed. */
export function programText(minor: number, currency: string, isAssumed?: boolean): string {
  const amount = majorOf(minor, formats().decimals(currency));
  return `${amount} ${currency || '?'}${isAssumed ? '?' : ''}`;
}

/** Returns rows as text, with columns of equal width. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** The explanation of an order's status in one currency, and its language. */
interface Reasons {
  lang: 'en' | 'de';
  sentences: readonly string[];
}

/** Explains an order's status: in German, from the status itself, as the API does in English. */
export function reasonsOf({ currency, currencyAssumed, reasons, status }: Part): Reasons {
  if (language() !== 'de' || status === undefined) return { lang: 'en', sentences: reasons };
  const { amount, day, isoDay, zone } = formats();
  const sentences = statusReasons(status, 'de', {
    money: (minor) => `${amount(minor, currency)}${currencyAssumed === true ? ' (?)' : ''}`,
    day: (time) => day(isoDay(Date.parse(time))),
    zone,
  });
  return { lang: 'de', sentences };
}

/** Shows the explanation as text, and the raw API response. */
export function recordsView(explanation: OrderExplanation) {
  const { order } = texts();
  return html`<div class="card">
    <details>
      <summary><h2>${order.explanation}</h2></summary>
      <div class="scroll-x" tabindex="0" role="region" aria-label=${order.explanation}>
        <pre>${explanationText(explanation)}</pre>
      </div>
    </details>
    <details>
      <summary><h2>${order.raw}</h2></summary>
      <p class="quiet small">${order.rawHint}</p>
      <div class="scroll-x raw" tabindex="0" role="region" aria-label=${order.raw}>
        <pre>${JSON.stringify(explanation, null, 2)}</pre>
      </div>
    </details>
  </div>`;
}
