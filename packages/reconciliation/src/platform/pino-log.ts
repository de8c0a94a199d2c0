import { type DestinationStream, pino } from 'pino';
import type { LogFields, Logger, LogLevel } from './log.ts';

export interface PinoLoggerOptions {
  /** @default 'info' */
  level?: LogLevel;
  /** One JSON object per line, or text for a terminal. @default 'json' */
  format?: 'json' | 'text';
  /** @default standard output */
  destination?: DestinationStream;
}

/** Maximum bytes of lines to buffer while the destination is blocked; later lines are dropped. */
const MAX_KEPT_BYTES = 1_048_576;

/**
 * Returns a destination that writes each line synchronously, so that none is missing when the
 * process ends. A full disk does not end the program: lines wait until there is space.
 */
export function logDestination(dest: string | number = 1): DestinationStream {
  const destination = pino.destination({ dest, sync: true, maxLength: MAX_KEPT_BYTES });
  destination.on('error', () => undefined);
  // Waiting lines fill the buffer: without an attempt to write them, each further line would be
  // dropped.
  destination.on('drop', () => destination.write(''));
  return destination;
}

/** Creates a structured log. It writes only the fields of {@link LogFields}. */
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
  ...{ anchor: true, chargeId: true, operationId: true, frames: true },
};

/** Returns the listed fields only. */
function listedFields(fields: LogFields): LogFields {
  const names = Object.keys(listed) as (keyof LogFields)[];
  return Object.fromEntries(
    names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
  );
}

/** Formats a JSON line for a terminal: time, level, event, then `name=value`. */
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
