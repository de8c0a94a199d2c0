import type { Walk } from '@financing-checkout/contract';
import { type Column, csvHead, csvLine, type Decimal } from './csv.ts';
import { decimal as decimalText } from './reasons.ts';
import { walkSteps } from './walk-steps.ts';

interface Line {
  currency: string;
  step: string;
  amount: number;
}

/** Formats a cash walk as CSV, one line per step. */
export function walkCsv(walk: Walk, decimal: Decimal): string {
  const about = (name: string, value: string): Column<Line> => ({
    name,
    kind: 'text',
    cell: () => value,
  });
  const leftOut = walk.withoutCurrency + walk.assumedCurrency;
  const columns: Column<Line>[] = [
    { name: 'currency', kind: 'text', cell: ({ currency }) => currency },
    { name: 'step', kind: 'text', cell: ({ step }) => step },
    {
      name: 'amount',
      kind: 'number',
      cell: ({ amount, currency }) => decimalText(amount, currency),
    },
    about('lender', walk.lender ?? ''),
    about('from', walk.from ?? ''),
    about('to', walk.to ?? ''),
    about('complete', walk.complete && walk.quarantined === 0 ? 'yes' : 'no'),
    { name: 'left_out', kind: 'number', cell: () => String(leftOut) },
    about('zone', walk.zone),
  ];
  const lines = walk.statements.flatMap((statement): Line[] => {
    const { currency, net, unexplained } = statement;
    const step = (name: string, amount: number): Line => ({ currency, step: name, amount });
    return [
      ...walkSteps.map(({ name, label }) => step(label, statement[name])),
      step('Net posted by lenders', net),
      step('Unexplained', unexplained),
    ];
  });
  return csvHead(columns, decimal) + lines.map((line) => csvLine(columns, line, decimal)).join('');
}
