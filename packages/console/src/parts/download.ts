import { csvLine } from '@financing-checkout/contract/csv';
import { formats } from '../locale/locale.ts';

/** Gives the browser a file to save. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Firefox reads the address after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Saves rows as CSV, with the decimal separator of the language and a byte order mark for Excel. */
export function saveCsv(name: string, rows: readonly (readonly (string | number)[])[]): void {
  // An amount may come as text; `csvLine` guards each value that is not a plain number.
  const lines = rows.map((row) =>
    csvLine(
      row.map((value) => ({ kind: 'number', value: String(value) })),
      formats().csvDecimal,
    ),
  );
  saveFile(name, new Blob([`\uFEFF${lines.join('')}`], { type: 'text/csv;charset=utf-8' }));
}
