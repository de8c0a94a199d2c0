/** Compares by code unit, so that the result is the same on every machine and in every locale. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
