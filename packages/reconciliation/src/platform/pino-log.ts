import {
  createPinoLogger as create,
  type PinoLoggerOptions as Options,
} from '@financing-checkout/kit/log';
import { logFields, type Logger, type LogFields } from './log.ts';

export { exitAfterLogging, logDestination } from '@financing-checkout/kit/log';

export type PinoLoggerOptions = Omit<Options<LogFields>, 'fields'>;

/** Creates a structured log that writes only the fields of {@link LogFields}. */
export function createPinoLogger(options: PinoLoggerOptions = {}): Logger {
  return create({ ...options, fields: logFields });
}
