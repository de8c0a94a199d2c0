import { randomBytes } from 'node:crypto';
import { problems, problemType } from '@financing-checkout/contract';
import { createProblems, levelOf, trackRequests } from '@financing-checkout/kit/http';
import type { MiddlewareHandler } from 'hono';
import { LeaseLostError } from '../facts/store.ts';
import type { Clock } from '@financing-checkout/kit';
import { describeError, type Logger } from '../platform/log.ts';
import { ProblemError, type ProblemExtras } from '../platform/problem.ts';
import { ClientGoneError } from './client-signal.ts';
import type { Env } from './env.ts';

/** Assigns each request an ID, and logs the request after the response. */
export function requestLog(logger: Logger, clock: Clock): MiddlewareHandler<Env> {
  const newId = () => `req_${randomBytes(12).toString('base64url')}`;
  const track = trackRequests({ clock, newId });
  return async function requestLog(c, next) {
    const request = await track(c, next);
    // A standby or starting program responds with 503, which is not a failure.
    const level = levelOf(request.status === 503 ? { ...request, status: 200 } : request);
    const by = { requestId: c.get('requestId'), actor: c.get('actor') };
    logger.log(level, 'request', { ...by, ...request });
  };
}

/** Creates the responses to thrown errors: each is a problem (RFC 9457). */
export function problemAnswers(logger: Logger) {
  const logUnexpected = (error: Error, requestId: string) =>
    logger.log('error', 'request-failed', { requestId, ...describeError(error) });
  return createProblems({
    words: {
      table: problems,
      typeOf: problemType,
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
      // The query was interrupted because the client disconnected, so the response reaches no one.
      if (error instanceof ClientGoneError || c.req.raw.signal.aborted) {
        return new ProblemError('not-ready');
      }
      if (!isOfStore(error)) return undefined;
      logUnexpected(error, c.get('requestId'));
      return new ProblemError('store-unavailable', {
        detail: 'Retry after Retry-After, with the same Idempotency-Key.',
        retryAfterSeconds: 5,
      });
    },
  });
}

/**
 * Returns whether the record store is unavailable, by socket, SQLite and PostgreSQL error codes.
 */
function isOfStore(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return /^(?:E[A-Z]+|ERR_SQLITE_ERROR|08\w{3}|57P\d\d|53\w{3})$/.test(code);
}
