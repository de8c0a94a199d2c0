import type { FieldList, Logger as KitLogger } from '@financing-checkout/kit';
import {
  createPinoLogger as create,
  type PinoLoggerOptions as Options,
} from '@financing-checkout/kit/log';

export { describeError, type LogLevel, silentLogger } from '@financing-checkout/kit';

/**
 * All fields that a log line may have. This is redaction by construction: no other field is
 * written, so no body, header, token or name can reach a log by mistake.
 */
export interface LogFields {
  requestId?: string | undefined;
  /** Name of a request's access token, which is configuration rather than input. */
  actor?: string | undefined;
  deliveryId?: string | undefined;
  caseId?: string | undefined;
  syncId?: string | undefined;
  day?: string | undefined;
  /** Name of a period: `2026-10`, or one from the policy. */
  period?: string | undefined;
  method?: string | undefined;
  /** The route template, never the path, because paths are input. */
  route?: string | undefined;
  status?: number | undefined;
  durationMs?: number | undefined;
  /** Stable code of a problem or an error. */
  code?: string | undefined;
  outcome?: string | undefined;
  /** A reason from a fixed set of constants. */
  reason?: string | undefined;
  tries?: number | undefined;
  count?: number | undefined;
  /** Number of items that remain. */
  left?: number | undefined;
  address?: string | undefined;
  /** Issuer stated by the OpenID provider, if it is not the configured one. */
  issuer?: string | undefined;
  /** IDs of a charge and of one of its operations at the companion. */
  chargeId?: string | undefined;
  operationId?: string | undefined;
  /** Heads of both audit trails (numbers and a hash), or a seal's hash. */
  anchor?: string | undefined;
  signal?: string | undefined;
  /** Class and stack frames of an unexpected error, without its message, which may contain input. */
  errorName?: string | undefined;
  frames?: string[] | undefined;
}

/** Every field of {@link LogFields}. */
export const logFields: FieldList<LogFields> = {
  requestId: true,
  actor: true,
  deliveryId: true,
  caseId: true,
  syncId: true,
  day: true,
  period: true,
  method: true,
  route: true,
  status: true,
  durationMs: true,
  code: true,
  outcome: true,
  reason: true,
  tries: true,
  count: true,
  left: true,
  address: true,
  issuer: true,
  chargeId: true,
  operationId: true,
  anchor: true,
  signal: true,
  errorName: true,
  frames: true,
};

export type Logger = KitLogger<LogFields>;

export { exitAfterLogging, logDestination } from '@financing-checkout/kit/log';

export type PinoLoggerOptions = Omit<Options<LogFields>, 'fields'>;

/** Creates a structured log that writes only the fields of {@link LogFields}. */
export function createPinoLogger(options: PinoLoggerOptions = {}): Logger {
  return create({ ...options, fields: logFields });
}
