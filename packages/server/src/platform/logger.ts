import { unusableSqlite } from './store-errors.ts';

/**
 * Everything a log line may hold. Redaction by construction: what is not listed here is not
 * written, so no body, header, token, ticket or name can get into a log by mistake.
 */
export interface LogFields {
  requestId?: string | undefined;
  /** Name of the back-office token that a request came with: configuration, not input. */
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
  /** What a problem says to do next, and the fields that are wrong: our words, never a value. */
  detail?: string | undefined;
  outcome?: string | undefined;
  /** One of our own words for why. */
  reason?: string | undefined;
  /** Names of fields that the service refused, never a value. */
  fields?: string[] | undefined;
  tries?: number | undefined;
  count?: number | undefined;
  /** 0 is the current private key, 1 the next one. */
  keySlot?: number | undefined;
  address?: string | undefined;
  signal?: string | undefined;
  /** Class of an unexpected error, and where it was thrown: its message may hold input. */
  errorName?: string | undefined;
  frames?: string[] | undefined;
  /** Marks an event that somebody responsible for security should read. */
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

/** A logger that keeps nothing. */
export const silentLogger: Logger = { log: () => undefined };

/** The listed fields of an object and no other: what every {@link Logger} writes. */
export function listedFields(fields: LogFields): LogFields {
  const listed: Record<string, unknown> = {};
  for (const name of fieldNames) {
    if (fields[name] !== undefined) listed[name] = fields[name];
  }
  return listed;
}

/** What may be said of an unexpected error: its class, and its stack without the message. */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { errorName: typeof error };
  // The stack begins with the message, of which a line may look like a place.
  const frames = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .map((line) => line.trim());
  return { errorName: error.name, code: codeOf(error), frames };
}

/** That of an error; of one that wraps another, and has none, that of the other. */
function codeOf(error: Error): string | undefined {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return (
    unusableSqlite(error) ??
    code ??
    (error.cause instanceof Error ? codeOf(error.cause) : undefined)
  );
}
