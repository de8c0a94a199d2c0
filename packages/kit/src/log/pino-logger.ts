import { type DestinationStream, pino } from 'pino';
import { type FieldList, listedFields, type Logger, type LogLevel } from './logger.ts';

export interface PinoLoggerOptions<Fields extends object> {
  /** The fields that a line may have; all others are dropped. */
  fields: FieldList<Fields>;
  /** @default 'info' */
  level?: LogLevel;
  /** One JSON object per line, or text for a terminal. @default 'json' */
  format?: 'json' | 'text';
  /** @default standard output */
  destination?: DestinationStream;
}

/** Maximum number of bytes to buffer while the destination is blocked; later lines are dropped. */
const MAX_BUFFERED_BYTES = 1_048_576;

/** Maximum time to flush the last lines when the process exits, in milliseconds. */
const FLUSH_MS = 1_000;

/**
 * Returns a destination that writes each line synchronously, so that no line is lost when the
 * process exits. A full disk does not crash the process: lines are buffered until there is space.
 * @param dest a file path or a file descriptor
 */
export function logDestination(dest: string | number): DestinationStream {
  const destination = pino.destination({ dest, sync: true, maxLength: MAX_BUFFERED_BYTES });
  // An error event without a listener would end the process. The next line is written after the
  // buffered ones.
  destination.on('error', () => undefined);
  // The buffer is full: without another flush attempt, all further lines would be dropped.
  destination.on('drop', () => destination.write(''));
  return destination;
}

/** Creates a structured logger that writes only the listed fields. */
export function createPinoLogger<Fields extends object>(
  options: PinoLoggerOptions<Fields>,
): Logger<Fields> {
  const { fields: list, level = 'info', format = 'json' } = options;
  const destination = options.destination ?? standardOutput();
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'event',
    },
    format === 'text' ? { write: (line) => destination.write(readable(line)) } : destination,
  );
  return {
    log(level, event, fields) {
      if (!logger.isLevelEnabled(level)) return;
      logger[level](fields === undefined ? {} : listedFields(fields, list), event);
    },
  };
}

/** Exits once the last lines have been written, or after one second. */
export function exitAfterLogging(code: number): void {
  if (!isRedirected()) process.exit(code);
  setTimeout(() => process.exit(code), FLUSH_MS);
  process.stdout.write('', () => process.exit(code));
}

/**
 * Descriptor 1, unless a process manager has replaced `process.stdout.write` to collect the lines. PM2 in
 * cluster mode does, and discards lines that are written to the descriptor.
 */
function standardOutput(): DestinationStream {
  if (!isRedirected()) return logDestination(1);
  return { write: (line) => process.stdout.write(line) };
}

function isRedirected(): boolean {
  return Object.hasOwn(process.stdout, 'write');
}

/** Formats a JSON line for a terminal: timestamp, level, event, then `name=value` pairs. */
function readable(line: string): string {
  const { level, time, event, frames, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
  const clock = String(time).slice(11, 19);
  const text = [clock, String(level).toUpperCase().padEnd(5), String(event), ...pairs].join(' ');
  const stack = Array.isArray(frames)
    ? frames.map((frame) => `\n    ${String(frame)}`).join('')
    : '';
  return `${text}${stack}\n`;
}
