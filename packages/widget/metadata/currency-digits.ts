// Writes src/texts/currency-digits.ts, because the widget may import only types from the contract.
// Run `node metadata/currency-digits.ts` after changing the contract's table.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currencies } from '@financing-checkout/contract/money';

export const path = join(import.meta.dirname, '../src/texts/currency-digits.ts');

/** Returns the source of the widget's currency table, generated from the contract's table. */
export function currencyDigitsSource(): string {
  const codes = [...currencies].flatMap(([code, { digits, lastDay }]) =>
    lastDay === undefined && digits !== 2 ? [{ code, digits }] : [],
  );
  const rows = Array.from(
    Map.groupBy(codes, ({ digits }) => digits),
    ([digits, group]) =>
      `  if ('${group.map(({ code }) => code).join(' ')}'.includes(currency)) {\n    return ${digits};\n  }\n`,
  );
  return `// Generated from the contract's table by metadata/currency-digits.ts.

/** Returns the number of decimals of a currency in use (ISO 4217). */
export function digitsOf(currency: string): number {
${rows.join('')}  return 2;
}
`;
}

if (import.meta.main) writeFileSync(path, currencyDigitsSource());
