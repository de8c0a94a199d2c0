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

/** Bytes of lines that are kept while they cannot be written; later ones are dropped. */
const MAX_KEPT_BYTES = 1_048_576;

/**
 * Where lines are written, one by one, so that none is missing when the process ends. That the disk of
 * the log is full is no reason to end, and no shopper's fault: lines wait until there is room again.
 * @param dest file, or descriptor of one. @default standard output
 */
export function logDestination(dest: string | number = 1): DestinationStream {
  const destination = pino.destination({ dest, sync: true, maxLength: MAX_KEPT_BYTES });
  // What nobody listens to would end the process. The next line is written behind those that wait.
  destination.on('error', () => undefined);
  // What waits fills its place: without a try to write it, each further line would be dropped for good.
  destination.on('drop', () => destination.write(''));
  return destination;
}

/** Structured logs. Only the listed fields of {@link LogFields} are written. */
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

/** A JSON line as a person reads it: level, event, then `name=value`. */
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
