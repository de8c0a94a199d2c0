/**
 * Calendar days as text: "2026-01-31".
 * @packageDocumentation
 */

const DAY_MS = 86_400_000;

/** Returns the calendar day `count` days later. */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}

/** Returns all days from one to another, both inclusive, oldest first. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}
