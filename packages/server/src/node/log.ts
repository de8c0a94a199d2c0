import {
  createPinoLogger as create,
  type PinoLoggerOptions as Options,
} from '@financing-checkout/kit/log';
import { logFields, type Logger, type LogFields } from '../platform/logger.ts';

export { exitAfterLogging } from '@financing-checkout/kit/log';

export type PinoLoggerOptions = Omit<Options<LogFields>, 'fields'>;

/** Creates a structured logger that writes only the listed fields of {@link LogFields}. */
export function createPinoLogger(options: PinoLoggerOptions = {}): Logger {
  return create({ ...options, fields: logFields });
}
