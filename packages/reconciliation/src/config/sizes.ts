const sizeText = /^(\d{1,6}(?:\.\d{1,3})?)([KMGT])(i?)B$/i;

/** Returns whether a string is a size in DuckDB's syntax: `256MB`, `1.5GB`, `512MiB`. */
export function isSize(text: string): boolean {
  return sizeText.test(text);
}

/** Converts a size to bytes, as DuckDB reads it: 1 kB is 1,000 bytes, 1 KiB is 1,024. */
export function bytesOf(size: string): number {
  const [, count = '', unit = '', binary] = sizeText.exec(size) ?? [];
  const base = binary === '' ? 1_000 : 1_024;
  return Math.floor(Number(count) * base ** ('KMGT'.indexOf(unit.toUpperCase()) + 1));
}
