import {
  type AnsweredRequest,
  createProblems,
  type HttpVariables,
  levelOf,
  trackRequests,
} from '@financing-checkout/kit/http';
import { type ProblemCode, problemType } from '@financing-checkout/contract/storefront';
import type { MiddlewareHandler } from 'hono';
import type { Clock } from '@financing-checkout/kit';
import { randomId } from '../id.ts';
import { describeError, type Logger } from '../logger.ts';
import type { Meter, MeteredRequest } from '../meter.ts';
import { problemDetail, ProblemError, type ProblemExtras, problemWords } from '../problem.ts';
import { isUnkeepable, StoreUnavailableError } from '../store-errors.ts';
import { inRequestSpan } from '../tracing.ts';

/** Values that the middleware of both listeners sets for the routes. */
export interface Env {
  Variables: HttpVariables & {
    /** Checkout of the request, once it has been found. */
    checkoutId: string | undefined;
    /** Charge operation of the request, once there is one. */
    operationId: string | undefined;
  };
}

/** Gives each request an id, and logs, measures and traces the request once it is answered. */
export function requestLog(options: {
  logger: Logger;
  clock: Clock;
  meter: Meter;
  listener: MeteredRequest['listener'];
}): MiddlewareHandler<Env> {
  const { logger, clock, meter, listener } = options;
  const track = trackRequests({ clock, newId: () => randomId('req') });

  return async function requestLog(c, next) {
    await inRequestSpan({
      listener,
      requestId: () => c.get('requestId'),
      answer: async () => {
        const request = await track(c, next);
        const { durationMs, ...measured } = request;
        const extras: ProblemExtras = c.get('problem')?.extras ?? {};
        logger.log(isOfSetUp(request) ? 'warn' : levelOf(request), 'request', {
          ...request,
          requestId: c.get('requestId'),
          actor: c.get('actor'),
          checkoutId: c.get('checkoutId'),
          operationId: c.get('operationId') ?? extras.operationId,
          detail: problemDetail(extras),
        });
        meter.request({ listener, ...measured, seconds: durationMs / 1000 });
        return request;
      },
    });
  };
}

/** Errors in the shop's setup: every shopper is refused until a developer fixes the setup. */
const setUpCodes = new Set<string | undefined>([
  'order-ticket-invalid',
  'order-totals-mismatch',
  'environment-mismatch',
]);

function isOfSetUp({ code, status }: AnsweredRequest): boolean {
  return status < 500 && setUpCodes.has(code);
}

/** Seconds after which a restarted or failed-over database is usually back. */
const STORE_RETRY_SECONDS = 5;

/**
 * Creates the error handlers, which turn each thrown error into a problem response (RFC 9457).
 * @param docsUrl URL of the documentation, which a problem's `type` points to
 */
export function problemAnswers(logger: Logger, docsUrl?: string) {
  return createProblems({
    words: { ...problemWords, typeOf: (code: ProblemCode) => problemType(code, docsUrl) },
    logUnexpected(error, requestId) {
      logger.log('error', 'request-failed', { requestId, ...describeError(error) });
    },
    explain(error, c) {
      if (isUnkeepable(error)) {
        return new ProblemError('invalid-request', { detail: 'A text contains U+0000.' });
      }
      if (!(error instanceof StoreUnavailableError)) return undefined;
      logger.log('error', 'store-unavailable', {
        requestId: c.get('requestId'),
        // An error from another thread has no cause.
        ...describeError(error.cause ?? error),
      });
      // The store may have failed before or after a call to the service, so a retry with a new
      // Idempotency-Key may not be safe. A retry with the same key is always safe.
      return new ProblemError('store-unavailable', {
        detail: 'Retry with the same Idempotency-Key after Retry-After.',
        retryAfterSeconds: STORE_RETRY_SECONDS,
      });
    },
  });
}
