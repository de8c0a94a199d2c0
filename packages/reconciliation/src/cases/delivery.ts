import { deliverDue, type WebhookTarget } from '@financing-checkout/kit/outbox';
import type { Clock, Transport } from '@financing-checkout/kit';
import type { DueAlert } from '../facts/alert-facts.ts';
import type { FactStore, Fence } from '../facts/store.ts';
import type { Logger } from '../platform/log.ts';

export interface DeliveryContext {
  facts: Pick<FactStore, 'claimAlerts' | 'finishAlert'>;
  /** The lease of this process. */
  fence: Fence;
  target: WebhookTarget;
  transport: Transport;
  clock: Clock;
  logger: Logger;
  /** From 0 (inclusive) to 1 (exclusive). */
  random: () => number;
}

/**
 * Delivers due alerts to finance, each at least once.
 * @returns the number of attempts @throws {LeaseLostError}
 */
export function deliverAlerts(ctx: DeliveryContext, limit: number): Promise<number> {
  const { target, transport, clock, random, facts, fence, logger } = ctx;
  return deliverDue<DueAlert>(
    {
      target,
      transport,
      clock,
      random,
      claim: (now, until, most) => facts.claimAlerts(fence, now, until, most),
      finish: (alert, result, now) => facts.finishAlert(fence, alert, result, now),
      onAttempt: ({ id, caseId }, attempt) =>
        logger.log(attempt.outcome === 'delivered' ? 'info' : 'warn', 'alert-delivery', {
          deliveryId: id,
          caseId: caseId === '' ? undefined : caseId,
          ...attempt,
        }),
    },
    limit,
  );
}
