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

/** Saves rows as CSV (RFC 4180), without cells that a spreadsheet would run as a formula. */
export function saveCsv(name: string, rows: readonly (readonly (string | number)[])[]): void {
  const lines = rows.map((row) => row.map(csvCell).join(','));
  saveFile(name, new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' }));
}

/** Returns a value as a cell. */
export function csvCell(value: string | number): string {
  const isFormula =
    typeof value === 'string' && /^[=+\-@\t\r]/.test(value) && !/^-?[\d.]+$/.test(value);
  const text = isFormula ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
