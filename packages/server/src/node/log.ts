import { type DestinationStream, pino } from 'pino';
import { listedFields, type Logger, type LogLevel } from '../platform/logger.ts';

export interface PinoLoggerOptions {
  /** @default 'info' */
  level?: LogLevel;
  /** One JSON object a line, or text for a person's terminal. @default 'json' */
  format?: 'json' | 'text';
  /** @default standard output */
  destination?: DestinationStream;
}

/** Bytes of lines that are buffered while they cannot be written; later lines are dropped. */
const MAX_KEPT_BYTES = 1_048_576;

/**
 * Creates a destination that writes each line synchronously, so that none is missing when the process ends.
 * A full disk of the log must not end the process: lines wait until there is room again.
 * @param dest file, or descriptor of one. @default standard output
 */
export function logDestination(dest: string | number = 1): DestinationStream {
  const destination = pino.destination({ dest, sync: true, maxLength: MAX_KEPT_BYTES });
  // An error event without a listener would end the process. The next line is written after those that wait.
  destination.on('error', () => undefined);
  // The buffer is full: without another try to write it, each further line would be dropped for good.
  destination.on('drop', () => destination.write(''));
  return destination;
}

/** Creates a structured log. It writes only the listed fields of {@link LogFields}. */
export function createPinoLogger(options: PinoLoggerOptions = {}): Logger {
  const { level = 'info', format = 'json', destination = logDestination() } = options;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'event',
    },
    format === 'text'
      ? {
          write: (line) => {
            destination.write(readable(line));
          },
        }
      : destination,
  );
  return {
    log(level, event, fields = {}) {
      if (!logger.isLevelEnabled(level)) return;
      logger[level](listedFields(fields), event);
    },
  };
}

/** Returns a JSON line as text for a person: level, event, then `name=value`. */
function readable(line: string): string {
  const { level, time, event, frames, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = String(time).slice(11, 19);
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
  const text = [clock, String(level).toUpperCase().padEnd(5), String(event), ...pairs].join(' ');
  const stack = Array.isArray(frames)
    ? frames.map((frame) => `\n    ${String(frame)}`).join('')
    : '';
  return `${text}${stack}\n`;
}
