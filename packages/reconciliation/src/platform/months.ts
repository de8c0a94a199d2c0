/** Returns the month that is a number of months later: 2026-12 is one after 2026-11. */
export function monthAfter(month: string, distance = 1): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + distance)).toISOString().slice(0, 'YYYY-MM'.length);
}

/** Returns consecutive months that end with the given one. */
export function monthsUntil(last: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => monthAfter(last, index + 1 - count));
}
