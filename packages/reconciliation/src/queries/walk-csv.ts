import type { Walk } from '@financing-checkout/contract';
import { type CsvCell, type CsvDecimal, csvLine } from '@financing-checkout/contract/csv';
import { decimal as decimalText } from './reasons.ts';
import { walkSteps } from './walk-steps.ts';

const text = (value: string): CsvCell => ({ kind: 'text', value });
const number = (value: string): CsvCell => ({ kind: 'number', value });

const head = [
  ...['currency', 'step', 'amount'],
  ...['lender', 'from', 'to', 'complete', 'left_out', 'zone'],
].map(text);

/** Formats a cash walk as CSV, one line per step. */
export function walkCsv(
  walk: Walk,
  { bom, decimal }: { bom: boolean; decimal: CsvDecimal },
): string {
  const about = [
    text(walk.lender ?? ''),
    text(walk.from ?? ''),
    text(walk.to ?? ''),
    text(walk.complete && walk.quarantined === 0 ? 'yes' : 'no'),
    number(String(walk.withoutCurrency + walk.assumedCurrency)),
    text(walk.zone),
  ];
  const lines = walk.statements.flatMap((statement) => {
    const { currency, net, unexplained } = statement;
    const step = (name: string, amount: number) => [
      text(currency),
      text(name),
      number(decimalText(amount, currency)),
      ...about,
    ];
    return [
      ...walkSteps.map(({ name, label }) => step(label, statement[name])),
      step('Net posted by lenders', net),
      step('Unexplained', unexplained),
    ];
  });
  const mark = bom ? '\uFEFF' : '';
  return mark + [head, ...lines].map((line) => csvLine(line, decimal)).join('');
}
