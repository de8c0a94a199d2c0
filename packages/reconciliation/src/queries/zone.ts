/** Returns whether this runtime knows a zone ("Europe/Berlin", "UTC"). */
export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/**
 * Formats moments in a zone with their offset, so that a line of an export belongs to exactly one
 * day of the merchant's accounts: "2026-10-31T23:59:37-07:00".
 */
export function zoneWriter(zone: string): (iso: string) => string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    timeZoneName: 'longOffset',
  });
  // Clocks change on a quarter of an hour; computing every moment is slow.
  const offsets = new Map<number, { minutes: number; text: string }>();
  function offsetAt(time: number): { minutes: number; text: string } {
    const quarter = Math.floor(time / QUARTER_MS);
    const known = offsets.get(quarter);
    if (known) return known;
    const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName');
    const shift = name?.value.replace('GMT', '') ?? '';
    const text = shift === '' ? '+00:00' : shift;
    const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)/.exec(text) ?? [];
    const size = Number(hours) * 60 + Number(minutes);
    const offset = { minutes: sign === '-' ? -size : size, text };
    if (offsets.size >= MAX_OFFSETS) offsets.clear();
    offsets.set(quarter, offset);
    return offset;
  }
  return function inZone(iso) {
    const time = Date.parse(iso);
    const { minutes, text } = offsetAt(time);
    return new Date(time + minutes * 60_000).toISOString().slice(0, 19) + text;
  };
}

const QUARTER_MS = 900_000;
const MAX_OFFSETS = 10_000;
