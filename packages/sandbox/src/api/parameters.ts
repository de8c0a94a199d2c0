import type { ApiContext } from './context.ts';
import { invalidParameter } from './errors.ts';

const DAY = 86_400_000;

/** `true` or `false` in any case; false when absent (specification 4.1). */
export function booleanParameter(c: ApiContext, name: string): boolean {
  const text = c.req.query(name)?.toLowerCase();
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw invalidParameter(name, 'must be true or false');
}

/** A whole number in a range, or the default when absent. */
export function integerParameter(
  c: ApiContext,
  name: string,
  range: { from: number; to: number; otherwise: number },
): number {
  const text = c.req.query(name);
  if (text === undefined) return range.otherwise;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.from && value <= range.to) return value;
  throw invalidParameter(name, `must be a whole number from ${range.from} to ${range.to}`);
}

const isoDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * An ISO 8601 date or date-time in milliseconds; without an offset it is UTC. A date alone means
 * its first moment, or, as an upper bound, its last.
 */
export function dateParameter(
  c: ApiContext,
  name: string,
  bound: 'lower' | 'upper',
): number | undefined {
  // An unescaped "+" of an offset arrives as a space.
  const text = c.req.query(name)?.replace(' ', '+');
  if (text === undefined) return undefined;
  const dateOnly = text.length === 10;
  const zoned = dateOnly || /(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`;
  const time = isoDate.test(text) && isDay(text.slice(0, 10)) ? Date.parse(zoned) : Number.NaN;
  if (Number.isNaN(time)) throw invalidParameter(name, 'must be an ISO 8601 date or date-time');
  return dateOnly && bound === 'upper' ? time + DAY - 1 : time;
}

/** Whether the day exists: Date.parse takes 31 February for a day in March. */
function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}
