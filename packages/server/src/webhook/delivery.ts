import { deliverDue as deliver, type WebhookTarget } from '@financing-checkout/kit/outbox';
import type { Transport } from '@financing-checkout/kit';
import type { ChargeContext } from '../charges/context.ts';
import type { DeliveryRow } from '../store/store.ts';

/** Each environment has its own target. */
interface DeliveryContext extends Pick<
  ChargeContext,
  'clock' | 'environment' | 'logger' | 'store'
> {
  target: WebhookTarget;
  transport: Transport;
  random: () => number;
}

/**
 * Delivers due messages to the merchant's backend, at least once each.
 * @returns the number of messages attempted
 */
export function deliverDue(ctx: DeliveryContext, limit: number): Promise<number> {
  const { target, transport, clock, random, environment, store, logger } = ctx;
  return deliver<DeliveryRow>(
    {
      target,
      transport,
      clock,
      random,
      claim: (now, until, most) => store.claimDeliveries(environment, now, until, most),
      finish: ({ id, tries }, result, now) => store.finishDelivery(id, tries, result, now),
      onAttempt: ({ id, checkoutId }, attempt) =>
        logger.log(attempt.outcome === 'delivered' ? 'info' : 'warn', 'webhook-delivery', {
          deliveryId: id,
          checkoutId,
          ...attempt,
        }),
    },
    limit,
  );
}
