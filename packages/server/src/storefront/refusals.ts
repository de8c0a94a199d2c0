import type { ProblemCode } from '@financing-checkout/contract/storefront';
import type { MiddlewareHandler } from 'hono';
import type { CheckoutContext } from '../checkout/context.ts';
import type { Env } from '../platform/http/requests.ts';
import { describeError } from '../platform/logger.ts';
import { problemDetail } from '../platform/problem.ts';

/**
 * Maximum number of refusals stored per minute. Any page can cause refusals and must not fill the
 * store.
 */
export const REFUSALS_PER_MINUTE = 60;

const MINUTE_MS = 60_000;

/**
 * Refusals that a developer or an operator may look up: those caused by the order, the request or
 * the setup.
 */
const explainable = new Set<string>([
  'invalid-request',
  'idempotency-key-missing',
  'idempotency-key-reused',
  'version-unsupported',
  'media-type-unsupported',
  'environment-mismatch',
  'order-ticket-invalid',
  'order-ticket-expired',
  'order-ticket-used',
  'order-totals-mismatch',
  'order-changed',
  'checkout-not-open',
  'service-rejected',
] satisfies ProblemCode[]);

/**
 * Stores why a request was refused, for `explain <request id>`: such a request leaves no attempt.
 * Beyond {@link REFUSALS_PER_MINUTE}, only the log has the reason. A failure to store a refusal
 * does not change the response.
 */
export function keepRefusals({
  store,
  clock,
  logger,
}: Pick<CheckoutContext, 'store' | 'clock' | 'logger'>): MiddlewareHandler<Env> {
  let minute = 0;
  let kept = 0;

  return async function keepRefusals(c, next) {
    await next();
    const problem = c.get('problem');
    if (problem === undefined || !explainable.has(problem.code)) return;
    const now = clock.now();
    if (Math.floor(now / MINUTE_MS) !== minute) {
      minute = Math.floor(now / MINUTE_MS);
      kept = 0;
    }
    if (kept >= REFUSALS_PER_MINUTE) return;
    kept += 1;
    const requestId = c.get('requestId');
    const { code, extras } = problem;
    const detail = problemDetail(extras) ?? '';
    await store.keepRefusal({ requestId, code, detail, refusedAt: now }).catch((error: unknown) => {
      logger.log('warn', 'refusal-not-kept', { requestId, ...describeError(error) });
    });
  };
}
