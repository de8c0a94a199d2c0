import { randomBytes } from 'node:crypto';
import { problems, problemType } from '@financing-checkout/contract/storefront';
import { createProblems, levelOf, trackRequests } from '@financing-checkout/kit/http';
import type { MiddlewareHandler } from 'hono';
import { LeaseLostError } from '../facts/store.ts';
import { isUnavailable } from '@financing-checkout/kit/sql';
import type { Clock } from '@financing-checkout/kit';
import { LakeError } from '../lake/folder.ts';
import { describeError, type Logger } from '../platform/log.ts';
import type { Meter } from '../platform/meter.ts';
import { ProblemError, type ProblemExtras } from '../platform/problem.ts';
import { inRequestSpan } from '../platform/tracing.ts';
import { ClientGoneError, type Env } from './context.ts';

/** Name of the program's listener in metrics and traces. */
export const LISTENER = 'reconciliation';

/** Assigns each request an ID, and logs, measures and traces the request after the response. */
export function requestLog(options: {
  logger: Logger;
  clock: Clock;
  meter: Meter;
}): MiddlewareHandler<Env> {
  const { logger, clock, meter } = options;
  const newId = () => `req_${randomBytes(12).toString('base64url')}`;
  const track = trackRequests({ clock, newId });
  return async function requestLog(c, next) {
    const request = await inRequestSpan({
      listener: LISTENER,
      requestId: () => c.get('requestId'),
      answer: () => track(c, next),
    });
    // A standby or starting program responds with 503, which is not a failure.
    const level = levelOf(request.status === 503 ? { ...request, status: 200 } : request);
    const by = { requestId: c.get('requestId'), actor: c.get('actor') };
    logger.log(level, 'request', { ...by, ...request });
    const { durationMs, ...measured } = request;
    meter.request({ listener: LISTENER, ...measured, seconds: durationMs / 1_000 });
  };
}

/**
 * Creates the responses to thrown errors, each of which is a problem (RFC 9457).
 * @param docsUrl documentation URL on which the `type` of a problem is based
 */
export function problemAnswers(logger: Logger, docsUrl?: string) {
  const logUnexpected = (error: Error, requestId: string) =>
    logger.log('error', 'request-failed', { requestId, ...describeError(error) });
  return createProblems({
    words: {
      table: problems,
      typeOf: (code) => problemType(code, docsUrl),
      membersOf: ({ parameters, serviceRequestId }: ProblemExtras) => ({
        serviceRequestId,
        parameters,
      }),
    },
    headersOf: ({ leader }) => (leader === undefined ? undefined : { 'financing-leader': leader }),
    logUnexpected,
    explain(error, c) {
      if (error instanceof LeaseLostError) {
        return new ProblemError('standby', {
          detail: 'Another process has taken the lease, and nothing was written: retry.',
          retryAfterSeconds: 5,
        });
      }
      if (error instanceof LakeError)
        return new ProblemError(error.code, { detail: error.message });
      // The query was interrupted because the client disconnected, so nobody receives the response.
      if (error instanceof ClientGoneError || c.req.raw.signal.aborted) {
        return new ProblemError('not-ready');
      }
      if (!isUnavailable(error)) return undefined;
      logUnexpected(error, c.get('requestId'));
      return new ProblemError('store-unavailable', {
        detail: 'Retry after Retry-After, with the same Idempotency-Key.',
        retryAfterSeconds: 5,
      });
    },
  });
}
