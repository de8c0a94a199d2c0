// Writes src/texts/currency-digits.ts: the widget may import nothing of the contract but types.
// `node metadata/currency-digits.ts` after a change of the contract's table.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currencies } from '@financing-checkout/contract/plain';

export const path = join(import.meta.dirname, '../src/texts/currency-digits.ts');

/** Returns the widget's table of currencies, from that of the contract. */
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
