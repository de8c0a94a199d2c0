import type { ProblemCode } from '@financing-checkout/contract';
import type { MiddlewareHandler } from 'hono';
import type { CheckoutContext } from '../checkout/context.ts';
import type { Env } from '../platform/http/requests.ts';
import { describeError } from '../platform/logger.ts';

/** Refusals that are kept of one minute: any page can make some, and must not fill the store. */
export const REFUSALS_PER_MINUTE = 60;

const MINUTE_MS = 60_000;

/** Refusals that a developer or an operator asks about: of the order, the request and the set-up. */
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
 * Keeps why a request was refused, for `explain <request id>`: such a request leaves no attempt. Over
 * {@link REFUSALS_PER_MINUTE} the log alone has the reason. A refusal that cannot be kept is answered all
 * the same.
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
    const code = c.get('problemCode');
    if (code === undefined || !explainable.has(code)) return;
    const now = clock.now();
    if (Math.floor(now / MINUTE_MS) !== minute) {
      minute = Math.floor(now / MINUTE_MS);
      kept = 0;
    }
    if (kept >= REFUSALS_PER_MINUTE) return;
    kept += 1;
    const requestId = c.get('requestId');
    const detail = c.get('problemDetail') ?? '';
    await store.keepRefusal({ requestId, code, detail, refusedAt: now }).catch((error: unknown) => {
      logger.log('warn', 'refusal-not-kept', { requestId, ...describeError(error) });
    });
  };
}
