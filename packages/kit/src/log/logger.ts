export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Writes log lines. `event` is a short, constant name. */
export interface Logger<Fields extends object> {
  log(level: LogLevel, event: string, fields?: Fields): void;
}

/** A logger that discards every line. */
export const silentLogger: Logger<object> = { log: () => undefined };

/** The fields that a program's log lines may have. */
export type FieldList<Fields extends object> = Readonly<Record<keyof Fields, true>>;

/**
 * Returns only the listed fields, so that no body, header, token or name gets into a log by
 * mistake.
 */
export function listedFields<Fields extends object>(
  fields: Fields,
  list: FieldList<Fields>,
): Fields {
  const entries = Object.keys(list).map((name) => [name, fields[name as keyof Fields]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Fields;
}

export interface ErrorDescription {
  errorName: string;
  /** Code of the error, or of the error that it wraps. */
  code?: string | undefined;
  /** The first eight frames of the stack. */
  frames?: string[] | undefined;
}

/**
 * Returns the loggable part of an unexpected error. Its message is omitted because it may contain
 * input.
 */
export function describeError(error: unknown): ErrorDescription {
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

function codeOf(error: Error): string | undefined {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : undefined;
}
