import type { Walk, ColumnKind } from '@financing-checkout/contract/reconciliation';
import { type CsvCell, type CsvDecimal, csvLine } from '@financing-checkout/contract/money';
import { decimal as decimalText } from '../basis/reasons.ts';
import { sheetBytes } from './sheet-file.ts';
import { countInNoSum, walkSteps } from '../money/walk-steps.ts';

const columns = {
  currency: 'text',
  step: 'word',
  amount: 'amount',
  lender: 'text',
  from: 'text',
  to: 'text',
  complete: 'word',
  left_out: 'count',
  zone: 'text',
  as_of: 'text',
  period: 'text',
  seal: 'text',
} as const satisfies Record<string, ColumnKind>;

type Name = keyof typeof columns;
const names = Object.keys(columns) as Name[];

/** Formats a cash walk as CSV, one line per step. */
export function walkCsv(
  walk: Walk,
  { bom, decimal }: { bom: boolean; decimal: CsvDecimal },
): string {
  const text = (value: string): CsvCell => ({ kind: 'text', value });
  const lines = rowsOf(walk).map((row) =>
    names.map((name): CsvCell => {
      if (name === 'amount') return number(decimalText(row.amount, row.currency));
      return name === 'left_out' ? number(String(row.left_out)) : text(row[name]);
    }),
  );
  const mark = bom ? '\uFEFF' : '';
  return mark + [names.map(text), ...lines].map((line) => csvLine(line, decimal)).join('');
}

const number = (value: string): CsvCell => ({ kind: 'number', value });

/** Formats a cash walk as .xlsx, one row per step. */
export async function walkSheet(walk: Walk): Promise<Uint8Array<ArrayBuffer>> {
  const sheet = {
    name: 'cash-walk',
    columns: names.map((name) => ({ name, kind: columns[name] })),
    zone: walk.zone,
  };
  const pages = async function* () {
    yield await Promise.resolve(rowsOf(walk));
  };
  const pieces: Uint8Array[] = [];
  for await (const piece of sheetBytes(sheet, pages())) pieces.push(piece);
  return Buffer.concat(pieces);
}

function rowsOf(walk: Walk) {
  const { book, quarantined = book?.leftOut ?? 0 } = walk;
  const about = {
    lender: walk.lender ?? '',
    from: walk.from ?? '',
    to: walk.to ?? '',
    complete: walk.complete && quarantined === 0 ? 'yes' : 'no',
    left_out: countInNoSum(walk),
    zone: walk.zone,
    as_of: walk.asOf,
    period: book?.period ?? '',
    seal: book?.seal ?? '',
  };
  return walk.statements.flatMap((statement) => {
    const { currency, net, unexplained } = statement;
    const row = (step: string, amount: number) => ({ currency, step, amount, ...about });
    return [
      ...walkSteps.map(({ name, label }) => row(label, statement[name])),
      row('Net posted by lenders', net),
      row('Unexplained', unexplained),
    ];
  });
}
