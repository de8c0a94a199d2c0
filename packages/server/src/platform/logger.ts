import {
  describeError as describe,
  type FieldList,
  listedFields as listed,
  type Logger as KitLogger,
} from '@financing-checkout/kit';
import { unusableSqlite } from '@financing-checkout/kit/sql';

export { type LogLevel, silentLogger } from '@financing-checkout/kit';

/**
 * The fields of a log line. The logger writes only these fields, so that no body, header, token,
 * ticket or name can get into a log by mistake.
 */
export interface LogFields {
  requestId?: string | undefined;
  /** Name of the request's back-office token, from the configuration. */
  actor?: string | undefined;
  serviceRequestId?: string | undefined;
  checkoutId?: string | undefined;
  attemptId?: string | undefined;
  deliveryId?: string | undefined;
  chargeId?: string | undefined;
  operationId?: string | undefined;
  method?: string | undefined;
  /** The route's template, never the path, because a path is input. */
  route?: string | undefined;
  status?: number | undefined;
  durationMs?: number | undefined;
  /** Stable code of a problem or an error. */
  code?: string | undefined;
  /** The next step and the wrong fields of a problem, in the companion's words, never a value. */
  detail?: string | undefined;
  outcome?: string | undefined;
  /** The cause, as one of the companion's own codes. */
  reason?: string | undefined;
  /** Names of fields that the service refused, never a value. */
  fields?: string[] | undefined;
  tries?: number | undefined;
  count?: number | undefined;
  /** 0 is the current private key, 1 the next one. */
  keySlot?: number | undefined;
  address?: string | undefined;
  signal?: string | undefined;
  /** Class of an unexpected error and its stack frames. Its message may contain input. */
  errorName?: string | undefined;
  frames?: string[] | undefined;
  /** Marks an event for the security team. */
  security?: boolean | undefined;
}

export const logFields: FieldList<LogFields> = {
  requestId: true,
  actor: true,
  serviceRequestId: true,
  checkoutId: true,
  attemptId: true,
  deliveryId: true,
  chargeId: true,
  operationId: true,
  method: true,
  route: true,
  status: true,
  durationMs: true,
  code: true,
  detail: true,
  outcome: true,
  reason: true,
  fields: true,
  tries: true,
  count: true,
  keySlot: true,
  address: true,
  signal: true,
  errorName: true,
  frames: true,
  security: true,
};

export type Logger = KitLogger<LogFields>;

/** Returns only the known fields of an object, as every {@link Logger} writes them. */
export function listedFields(fields: LogFields): LogFields {
  return listed(fields, logFields);
}

/** Returns the loggable part of an unexpected error; SQLite's reason for an unusable store is its code. */
export function describeError(error: unknown): LogFields {
  const description = describe(error);
  return { ...description, code: unusableSqlite(error) ?? description.code };
}
