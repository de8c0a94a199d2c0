const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Parses "1d", "90m", "1d 12h" to milliseconds; returns undefined for an invalid string. */
export function parseDuration(text: string): number | undefined {
  const compact = text.trim().replaceAll(/\s+/g, '');
  if (!/^(\d{1,9}(ms|[smhdw]))+$/.test(compact)) return undefined;
  let total = 0;
  for (const [, count, unit] of compact.matchAll(/(\d+)(ms|[smhdw])/g)) {
    total += Number(count) * (units[unit ?? ''] ?? 0);
  }
  return total;
}
