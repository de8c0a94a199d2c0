import type { ApiContext } from './context.ts';
import { errorCodes, ServiceError } from '../platform/service-error.ts';

const DAY = 86_400_000;

/** Reads `true` or `false` in any case; false when absent (specification 4.1). */
export function booleanParameter(c: ApiContext, name: string): boolean {
  const text = c.req.query(name)?.toLowerCase();
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw invalidParameter(name, 'must be true or false');
}

/** Maximum integer: the documented type is int32. */
const MAX_INTEGER = 2_147_483_647;

/** Reads an integer of at least `min`. */
export function integerParameter(
  c: ApiContext,
  name: string,
  min: number,
  defaultValue: number,
): number {
  const text = c.req.query(name);
  if (text === undefined) return defaultValue;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= MAX_INTEGER) return value;
  throw invalidParameter(name, `must be a whole number from ${min} to ${MAX_INTEGER}`);
}

const isoDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Reads an ISO 8601 date or date-time, in milliseconds; without an offset it is UTC. A date without
 * a time means the start of the day or, as an upper bound, the end of the day.
 */
export function dateParameter(
  c: ApiContext,
  name: string,
  bound: 'lower' | 'upper',
): number | undefined {
  // An unescaped "+" in an offset is decoded as a space.
  const text = c.req.query(name)?.replace(' ', '+');
  if (text === undefined) return undefined;
  const dateOnly = text.length === 10;
  const zoned = dateOnly || /(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`;
  const time = isoDate.test(text) && isDay(text.slice(0, 10)) ? Date.parse(zoned) : Number.NaN;
  if (Number.isNaN(time)) throw invalidParameter(name, 'must be an ISO 8601 date or date-time');
  return dateOnly && bound === 'upper' ? time + DAY - 1 : time;
}

/** Whether the date exists: Date.parse reads February 31 as a day in March. */
function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

function invalidParameter(name: string, requirement: string): ServiceError {
  return new ServiceError(400, errorCodes.fieldInvalid, `The parameter ${name} ${requirement}.`);
}
