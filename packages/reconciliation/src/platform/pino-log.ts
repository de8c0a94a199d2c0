import { type DestinationStream, pino } from 'pino';
import type { LogFields, Logger, LogLevel } from './log.ts';

export interface PinoLoggerOptions {
  /** @default 'info' */
  level?: LogLevel;
  /** One JSON object a line, or text for a terminal. @default 'json' */
  format?: 'json' | 'text';
  /** @default standard output */
  destination?: DestinationStream;
}

/** Bytes of lines that are kept while they cannot be written; later ones are dropped. */
const MAX_KEPT_BYTES = 1_048_576;

/**
 * Returns where lines are written, one by one, so that none is missing when the process ends. A full disk
 * of the log does not end the program: lines wait until there is room again.
 */
export function logDestination(dest: string | number = 1): DestinationStream {
  const destination = pino.destination({ dest, sync: true, maxLength: MAX_KEPT_BYTES });
  destination.on('error', () => undefined);
  // Lines that wait fill their place: without a try to write them, each further line would be dropped.
  destination.on('drop', () => destination.write(''));
  return destination;
}

/** Creates a structured log. Only the listed fields of {@link LogFields} are written. */
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
    format === 'text' ? { write: (line) => destination.write(readable(line)) } : destination,
  );
  return {
    log(level, event, fields = {}) {
      if (logger.isLevelEnabled(level)) logger[level](listedFields(fields), event);
    },
  };
}

const listed: Record<keyof LogFields, true> = {
  ...{ requestId: true, actor: true, deliveryId: true, caseId: true, syncId: true, day: true },
  ...{ method: true, route: true, status: true, durationMs: true, code: true, outcome: true },
  ...{ reason: true, tries: true, count: true, address: true, signal: true, errorName: true },
  frames: true,
};

/** Returns the listed fields and no other: what an object carries besides is not written. */
function listedFields(fields: LogFields): LogFields {
  const names = Object.keys(listed) as (keyof LogFields)[];
  return Object.fromEntries(
    names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
  );
}

/** Writes a JSON line as a person reads it: time, level, event, then `name=value`. */
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
