import { unusableSqlite } from './store-errors.ts';

/**
 * The fields of a log line. The logger writes only these fields, so no body, header, token, ticket or
 * name can get into a log by mistake.
 */
export interface LogFields {
  requestId?: string | undefined;
  /** Name of the request's back-office token, from the configuration. */
  actor?: string | undefined;
  serviceRequestId?: string | undefined;
  checkoutId?: string | undefined;
  attemptId?: string | undefined;
  deliveryId?: string | undefined;
  operationId?: string | undefined;
  method?: string | undefined;
  /** The route's template, never the path: a path is input. */
  route?: string | undefined;
  status?: number | undefined;
  durationMs?: number | undefined;
  /** A problem's or an error's stable code. */
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

const fieldNames: readonly (keyof LogFields)[] = [
  'requestId',
  'actor',
  'serviceRequestId',
  'checkoutId',
  'attemptId',
  'deliveryId',
  'operationId',
  'method',
  'route',
  'status',
  'durationMs',
  'code',
  'detail',
  'outcome',
  'reason',
  'fields',
  'tries',
  'count',
  'keySlot',
  'address',
  'signal',
  'errorName',
  'frames',
  'security',
];

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Where log lines go. `event` is a short constant name. */
export interface Logger {
  log(level: LogLevel, event: string, fields?: LogFields): void;
}

/** A logger that discards every line. */
export const silentLogger: Logger = { log: () => undefined };

/** Returns the known fields of an object and no others, as every {@link Logger} writes them. */
export function listedFields(fields: LogFields): LogFields {
  const listed: Record<string, unknown> = {};
  for (const name of fieldNames) {
    if (fields[name] !== undefined) listed[name] = fields[name];
  }
  return listed;
}

/** Returns the class of an unexpected error and its stack without the message. */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { errorName: typeof error };
  // The stack begins with the message, and a line of the message may look like a frame.
  const frames = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .map((line) => line.trim());
  return { errorName: error.name, code: codeOf(error), frames };
}

/** Returns the code of an error, or of the error it wraps. */
function codeOf(error: Error): string | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return (
    unusableSqlite(error) ??
    code ??
    (error.cause instanceof Error ? codeOf(error.cause) : undefined)
  );
}
