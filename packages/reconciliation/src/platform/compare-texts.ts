/** Sorts by code unit: the same on every machine, in each language. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
