/**
 * Everything a log line may hold. Redaction by construction: a field that is not listed here is not
 * written, so no body, header, token or name gets into a log by mistake.
 */
export interface LogFields {
  requestId?: string | undefined;
  /** Name of the access token of a request: configuration, not input. */
  actor?: string | undefined;
  deliveryId?: string | undefined;
  caseId?: string | undefined;
  syncId?: string | undefined;
  day?: string | undefined;
  method?: string | undefined;
  /** The route's template, never the path: a path is input. */
  route?: string | undefined;
  status?: number | undefined;
  durationMs?: number | undefined;
  /** Stable code of a problem or an error. */
  code?: string | undefined;
  outcome?: string | undefined;
  /** One of the program's own words for a reason. */
  reason?: string | undefined;
  tries?: number | undefined;
  count?: number | undefined;
  address?: string | undefined;
  signal?: string | undefined;
  /** Class of an unexpected error, and its frames: its message may hold input. */
  errorName?: string | undefined;
  frames?: string[] | undefined;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Takes log lines. `event` is a short constant name. */
export interface Logger {
  log(level: LogLevel, event: string, fields?: LogFields): void;
}

/** A logger that keeps nothing. */
export const silentLogger: Logger = { log: () => undefined };
